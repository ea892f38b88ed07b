#pragma once
#include "eager/ContractionLibrary.h"

namespace tensorjit::eager::onednn {

bool conv(const ConvCall &call);
bool convInputGrad(const ConvCall &call);
bool convWeightGrad(const ConvCall &call);

/// The runtime that opened this library.
const ContractionHost &host();
/// Makes the OpenMP team of this thread as large as the runtime's pool, and returns its size.
int matchThreads();

} // namespace tensorjit::eager::onednn
