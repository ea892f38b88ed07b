#pragma once
#include "tensorjit/optim/adam.h"
#include "tensorjit/optim/lr_scheduler.h"
#include "tensorjit/optim/optimizer.h"
#include "tensorjit/optim/rmsprop.h"
#include "tensorjit/optim/sgd.h"
