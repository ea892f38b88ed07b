#pragma once
#include "tensorjit/arguments.h"
#include "tensorjit/dtype.h"
#include "tensorjit/scalar.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace tensorjit::run {

/// A host number as JSON writes it: 2 is an integer, 2.0 floating, {"f": "inf"} what JSON has no word for.
Scalar scalarOf(const nlohmann::json &j);
DType dtypeOf(const std::string &name);

/// The attribute `name` of a case; a shape may be one integer, a list of one. Throws `not_supported` for another form.
template <class T> T fromJson(const nlohmann::json &j, const char *name);

} // namespace tensorjit::run
