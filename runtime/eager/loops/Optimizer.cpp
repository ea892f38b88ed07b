#include "eager/loops/PointwiseLoops.h"

#include "eager/Optimizer.inc"
