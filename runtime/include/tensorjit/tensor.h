#pragma once
#include "tensorjit/operand.h"
#include "tensorjit/tensor_base.h"
#include "tensorjit/tensor_options.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tensorjit {

/// A handle to an n-dimensional array. Copying the handle shares the array; ops return new arrays; methods whose
/// name ends in `_` update in place. A default-constructed handle is undefined.
class Tensor : public TensorBase {
public:
  Tensor() noexcept = default;
  explicit Tensor(TensorImpl *impl) : TensorBase(impl) {}
  /// The same handle, with the methods.
  Tensor(TensorBase t) noexcept : TensorBase(std::move(t)) {}
  /// Takes over a reference that the caller holds.
  static Tensor adopt(TensorImpl *impl) noexcept { return TensorBase::adopt(impl); }

  // Autograd
  Tensor &requires_grad_(bool r = true);
  const Tensor &grad() const;
  Tensor &mutable_grad();
  /// Runs the tape from this scalar (or with `gradient` of the same shape) and adds into `.grad()` of its leaves.
  void backward(const Tensor &gradient = {}, bool retain_graph = false, bool create_graph = false,
                SourceLocation loc = SourceLocation::current()) const;
  /// Calls `hook` with this tensor's gradient in each backward pass, once it is complete; what it returns takes the
  /// gradient's place, where it returns a defined tensor. Hooks run in the order in which they were added. Returns a
  /// number for `remove_hook`. Throws `grad_error` for a tensor that does not require grad.
  size_t register_hook(std::function<Tensor(const Tensor &)> hook) const;
  void remove_hook(size_t number) const;
  /// Gives this handle and all its copies the value of `t`, whatever its dtype and sizes; the tape is not told.
  void set_data(const Tensor &t);
  Tensor detach() const;
  Tensor &detach_();
  Tensor clone(SourceLocation loc = SourceLocation::current()) const;
  Tensor contiguous(SourceLocation loc = SourceLocation::current()) const;
  Tensor to(DType t, SourceLocation loc = SourceLocation::current()) const;
  /// The tensor on a device: itself where it is there already, else a dense copy, through which gradients flow.
  /// `non_blocking`: a copy from page-locked memory runs beside the work of the current stream, which waits for it only
  /// where it is used. Throws `device_error` where there is no such device, `out_of_memory`.
  Tensor to(Device device, bool non_blocking = false, SourceLocation loc = SourceLocation::current()) const;
  Tensor to(Device device, DType dtype, bool non_blocking = false,
            SourceLocation loc = SourceLocation::current()) const;
  Tensor cpu(SourceLocation loc = SourceLocation::current()) const { return to(Device(), false, loc); }
  Tensor cuda(SourceLocation loc = SourceLocation::current()) const { return to(Device(kCUDA), false, loc); }

  // In-place updates by values that no op makes
  /// Elements of `source`, cast to this dtype and broadcast to these sizes.
  Tensor &copy_(const Tensor &source, SourceLocation loc = SourceLocation::current());
  Tensor &fill_(Scalar value, SourceLocation loc = SourceLocation::current());
  Tensor &zero_(SourceLocation loc = SourceLocation::current());
  /// Uniform in [from, to) and normal, drawn from the default generator. Throw `type_error` for integers and bool.
  Tensor &uniform_(double from = 0, double to = 1, SourceLocation loc = SourceLocation::current());
  Tensor &normal_(double mean = 0, double std = 1, SourceLocation loc = SourceLocation::current());
  /// 1 with probability `p`, else 0, drawn from the default generator. Throws `value_error` for p outside [0, 1].
  Tensor &bernoulli_(double p = 0.5, SourceLocation loc = SourceLocation::current());

#include "tensorjit/ops/CompositeMethods.inc"
#include "tensorjit/ops/TensorMethods.inc"
};

inline Operand::Operand(const Tensor &t, SourceLocation loc) : tensor_(&t), location_(loc) {}
inline const Tensor &Operand::tensor() const { return static_cast<const Tensor &>(*tensor_); }

} // namespace tensorjit
