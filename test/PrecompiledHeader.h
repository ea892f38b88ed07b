#pragma once
// What every test includes.
#include <gtest/gtest.h>

#include <tensorjit/tensorjit.h>
