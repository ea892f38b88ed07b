#include "core/StateDict.h"
#include "core/Dispatch.h"
#include "tensorjit/autograd.h"

#include <unordered_map>

namespace tensorjit {

namespace {

using Index = std::unordered_map<std::string, const Tensor *>;

Index indexOf(const OrderedDict<Tensor> &dict) {
  Index index;
  for (const auto &[name, value] : dict) index.emplace(name, &value);
  return index;
}

std::string typeText(const Tensor &t) { return name(t.dtype()) + t.sizes().str(); }

void append(std::string &list, const std::string &item) { list += (list.empty() ? "" : ", ") + item; }

} // namespace

void requireSameEntries(const std::string &what, const OrderedDict<Tensor> &own, const OrderedDict<Tensor> &from,
                        SourceLocation loc) {
  std::string missing, unexpected, different;
  const Index given = indexOf(from), known = indexOf(own);
  for (const auto &[key, value] : own) {
    const auto found = given.find(key);
    if (found == given.end() || !found->second->defined()) append(missing, key);
    else if (found->second->sizes() != value.sizes() || found->second->dtype() != value.dtype())
      append(different, key + " is " + typeText(*found->second) + ", expected " + typeText(value));
  }
  for (const auto &[key, value] : from)
    if (!known.count(key)) append(unexpected, key);
  std::string text;
  auto section = [&](const char *title, const std::string &list) {
    if (!list.empty()) text += (text.empty() ? "" : "; ") + std::string(title) + ": " + list;
  };
  section("missing", missing);
  section("unexpected", unexpected);
  section("different", different);
  if (!text.empty()) throw value_error(what + ": the state does not fit: " + text + dispatch::at(loc));
}

void copyEntries(const OrderedDict<Tensor> &own, const OrderedDict<Tensor> &from) {
  NoGradGuard guard;
  const Index given = indexOf(from);
  for (const auto &[key, value] : own) Tensor(value).copy_(*given.at(key));
}

} // namespace tensorjit
