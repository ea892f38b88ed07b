#pragma once
/// Every op as a free function. The headers of the families are generated from the op records.
#include "tensorjit/ops/AllFamilies.inc"
#include "tensorjit/ops/Composites.h"
