#pragma once
#include "device/Backend.h"

namespace tensorjit::device {

std::unique_ptr<Backend> openNull(int index);

} // namespace tensorjit::device
