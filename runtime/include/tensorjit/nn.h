#pragma once
#include "tensorjit/nn/clip_grad.h"
#include "tensorjit/nn/functional.h"
#include "tensorjit/nn/init.h"
#include "tensorjit/nn/layers.h"
#include "tensorjit/nn/module.h"
