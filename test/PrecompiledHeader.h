#pragma once
// GoogleTest and the parts of the standard library that the public headers include. Nothing of the project, whose
// headers change.
#include <gtest/gtest.h>

#include <algorithm>
#include <any>
#include <array>
#include <cmath>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <source_location>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <vector>
