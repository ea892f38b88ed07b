#include "core/Dispatch.h"
#include "core/StateDict.h"
#include "tensorjit/data/safetensors.h"
#include "tensorjit/serialize.h"

namespace tensorjit {

OrderedDict<Tensor> nn::Module::state_dict() const {
  OrderedDict<Tensor> dict;
  for (const auto &[name, value] : named_parameters()) dict.insert(name, value.detach());
  for (const auto &[name, value] : named_buffers()) dict.insert(name, value.detach());
  return dict;
}

void nn::Module::load_state_dict(const OrderedDict<Tensor> &state, SourceLocation loc) {
  const OrderedDict<Tensor> own = state_dict();
  requireSameEntries("module", own, state, loc);
  copyEntries(own, state);
}

void save(const nn::Module &module, const std::string &path) { data::write_safetensors(path, module.state_dict()); }
void save(const optim::Optimizer &optimizer, const std::string &path) {
  data::write_safetensors(path, optimizer.state_dict());
}

void load(nn::Module &module, const std::string &path, SourceLocation loc) {
  module.load_state_dict(data::read_safetensors(path), loc);
}
void load(optim::Optimizer &optimizer, const std::string &path, SourceLocation loc) {
  optimizer.load_state_dict(data::read_safetensors(path), loc);
}

} // namespace tensorjit
