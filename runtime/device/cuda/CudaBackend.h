#pragma once
#include "device/Backend.h"

namespace tensorjit::device {

/// Throws `device_error` where there is no driver or no device of this number.
std::unique_ptr<Backend> openCuda(int index);
/// Devices that the driver sees; `why` receives the reason where there are none.
int countCuda(std::string *why);

} // namespace tensorjit::device
