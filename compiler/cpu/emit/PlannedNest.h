#pragma once
/// One nest of a kernel: which skeleton runs it, and its code.
#include "cpu/emit/Contraction.h"
#include "cpu/emit/Plan.h"

namespace tensorjit::cpu {

/// What is decided about a nest before its code is written.
class PlannedNest {
public:
  PlannedNest(Space space, const Target &target);

  int64_t extent() const { return contraction_ ? contraction_->extent() : plan_.extent(space_); }
  double seconds() const { return extent() * (contraction_ ? contraction_->unitSeconds() : plan_.unitSeconds); }
  llvm::StringRef skeleton() const { return contraction_ ? "contraction" : plan_.skeleton; }

  /// Emits units [lo, hi).
  void emit(Emission &emission, mlir::Value lo, mlir::Value hi) const;

private:
  std::optional<Contraction> contraction_;
  Space space_;
  std::optional<Body> body_;
  Plan plan_;
};

} // namespace tensorjit::cpu
