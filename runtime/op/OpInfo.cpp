#include "op/OpInfo.h"

#include "op/Families.h"

#include <array>
#include <unordered_map>

namespace tensorjit {

static const auto &families() {
  static const std::array tables = {
#define TENSORJIT_FAMILY(Family) opsOf##Family(),
#include "op/Families.inc"
#undef TENSORJIT_FAMILY
  };
  return tables;
}

const OpInfo &info(OpId op) {
  static const auto &tables = families();
  const auto number = static_cast<uint16_t>(op);
  return tables[number >> 8][number & 255];
}

int64_t indexBound(const OpInfo &op, std::span<const TensorType> operands, const Attrs &attrs) {
  const IndexCheckRule &rule = op.indexCheck;
  if (rule.of < 0) return attrs.words()[0];
  const int64_t dim = rule.dim < 0 ? attrs.words()[0] : rule.dim;
  const Shape &sizes = operands[static_cast<size_t>(rule.of)].sizes;
  return sizes.empty() ? 1 : sizes[static_cast<size_t>(dim)];
}

std::span<const OpId> allOps() {
  // Never destroyed, as everything that destructors of static objects may need.
  static const auto &ops = *new std::vector<OpId>([] {
    std::vector<OpId> list;
    for (size_t f = 0; f < families().size(); ++f)
      for (size_t i = 0; i < families()[f].size(); ++i) list.push_back(static_cast<OpId>(f * 256 + i));
    return list;
  }());
  return ops;
}

std::optional<OpId> opByName(std::string_view name) {
  static const auto &byName = *new std::unordered_map<std::string_view, OpId>([] {
    std::unordered_map<std::string_view, OpId> map;
    for (OpId op : allOps()) map.emplace(info(op).name, op);
    return map;
  }());
  auto it = byName.find(name);
  if (it == byName.end()) return std::nullopt;
  return it->second;
}

} // namespace tensorjit
