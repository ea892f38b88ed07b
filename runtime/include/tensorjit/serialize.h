#pragma once
/// Checkpoints: the state of a module or optimizer as a safetensors file.
#include "tensorjit/nn/module.h"
#include "tensorjit/optim/optimizer.h"

#include <string>

namespace tensorjit {

/// Writes `state_dict()` by way of a temporary name: `path` keeps its old contents where anything fails. Throws
/// `io_error`.
void save(const nn::Module &module, const std::string &path);
void save(const optim::Optimizer &optimizer, const std::string &path);

/// `load_state_dict` of the file's tensors. Throws `io_error` for a file that is missing, damaged or foreign, and
/// `value_error` listing what is missing, unexpected or of other sizes or dtypes; nothing has changed then.
void load(nn::Module &module, const std::string &path, SourceLocation loc = SourceLocation::current());
void load(optim::Optimizer &optimizer, const std::string &path, SourceLocation loc = SourceLocation::current());

} // namespace tensorjit
