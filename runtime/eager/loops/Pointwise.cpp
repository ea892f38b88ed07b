#include "eager/loops/PointwiseLoops.h"

#include "eager/Pointwise.inc"
