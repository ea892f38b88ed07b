#pragma once
#include "tensorjit/random.h"
#include "tensorjit/tensor.h"

#include <functional>
#include <iosfwd>
#include <memory>
#include <vector>

namespace tensorjit {

/// Every creation function throws `shape_error` for a negative size and `out_of_memory`; `device_error` where the
/// device of the options cannot be opened. The dtype is f32 and the device the CPU unless said otherwise.
Tensor zeros(const Shape &sizes, TensorOptions options = {}, SourceLocation loc = SourceLocation::current());
Tensor ones(const Shape &sizes, TensorOptions options = {}, SourceLocation loc = SourceLocation::current());
/// Zeros: no program sees uninitialised memory.
Tensor empty(const Shape &sizes, TensorOptions options = {}, SourceLocation loc = SourceLocation::current());
/// Every element is one number. Without a dtype: i64 for integers, f32 for floating numbers, bool for bool. Throws
/// `value_error` for an integer that the dtype cannot hold.
Tensor full(const Shape &sizes, Scalar value, TensorOptions options = {},
            SourceLocation loc = SourceLocation::current());
/// start, start + step, ... before `end`: ceil((end - start) / step) elements; i64 where all three are integers, else
/// f32, unless the options name a dtype. Throws `value_error` for step 0 or an end on the wrong side.
Tensor arange(Scalar end, TensorOptions options = {}, SourceLocation loc = SourceLocation::current());
Tensor arange(Scalar start, Scalar end, TensorOptions options = {}, SourceLocation loc = SourceLocation::current());
Tensor arange(Scalar start, Scalar end, Scalar step, TensorOptions options = {},
              SourceLocation loc = SourceLocation::current());
/// `steps` numbers from start to end, evenly spaced and both ends among them (start alone for one step); computed in
/// f64 and rounded once. Throws `value_error` for a negative number of steps.
Tensor linspace(Scalar start, Scalar end, int64_t steps, TensorOptions options = {},
                SourceLocation loc = SourceLocation::current());
/// [n x m], or square: 1 on the diagonal, 0 elsewhere.
Tensor eye(int64_t n, TensorOptions options = {}, SourceLocation loc = SourceLocation::current());
Tensor eye(int64_t n, int64_t m, TensorOptions options = {}, SourceLocation loc = SourceLocation::current());

/// Of the sizes, dtype and device of `like`, unless the options name others.
Tensor zeros_like(const Tensor &like, TensorOptions options = {}, SourceLocation loc = SourceLocation::current());
Tensor ones_like(const Tensor &like, TensorOptions options = {}, SourceLocation loc = SourceLocation::current());
Tensor empty_like(const Tensor &like, TensorOptions options = {}, SourceLocation loc = SourceLocation::current());
Tensor full_like(const Tensor &like, Scalar value, TensorOptions options = {},
                 SourceLocation loc = SourceLocation::current());

/// A dense row-major tensor of memory that the caller keeps alive, or gives up through `release`. In-place ops write
/// into that memory while no saved value needs its old contents. Memory of a CUDA device (`options.device`) must be
/// ready for work of the current stream; `release` is called when all work that uses it is done. Throws `value_error`
/// for null, for memory that is not aligned to its elements or not of the device; nothing has been taken over then.
Tensor from_blob(void *data, const Shape &sizes, TensorOptions options = {},
                 SourceLocation loc = SourceLocation::current());
Tensor from_blob(void *data, const Shape &sizes, std::function<void()> release, TensorOptions options = {},
                 SourceLocation loc = SourceLocation::current());

namespace detail {
/// A tensor of `count` host numbers of dtype `from`, cast to the options' dtype.
Tensor fromHost(const void *data, DType from, const Shape &sizes, TensorOptions options, SourceLocation loc);

/// Integers become i64, floating numbers f32, bool bool.
template <class T>
using HostElement =
    std::conditional_t<std::is_same_v<T, bool>, bool, std::conditional_t<std::is_integral_v<T>, int64_t, double>>;
template <class T> constexpr DType hostDType() {
  if constexpr (std::is_same_v<T, bool>) return DType::Bool;
  else return std::is_integral_v<T> ? DType::I64 : DType::F64;
}
template <class T> TensorOptions withDefault(TensorOptions o) {
  if (o.hasDType()) return o;
  return o.dtype(std::is_floating_point_v<T> ? DType::F32 : hostDType<T>());
}
template <class T> Tensor fromRange(const T *data, const Shape &sizes, TensorOptions options, SourceLocation loc) {
  const int64_t n = sizes.numel();
  std::unique_ptr<HostElement<T>[]> wide(new HostElement<T>[static_cast<size_t>(n)]);
  for (int64_t i = 0; i < n; ++i) wide[static_cast<size_t>(i)] = static_cast<HostElement<T>>(data[i]);
  return fromHost(wide.get(), hostDType<T>(), sizes, withDefault<T>(options), loc);
}
template <class T>
concept HostNumber = std::is_arithmetic_v<T>;
} // namespace detail

/// `tensor(2.5)`: a 0-d tensor. Integers become i64, floating numbers f32, unless the options name a dtype.
template <detail::HostNumber T>
Tensor tensor(T value, TensorOptions options = {}, SourceLocation loc = SourceLocation::current()) {
  return detail::fromRange(&value, {}, options, loc);
}
/// `tensor({1, 2, 3})`
template <detail::HostNumber T>
Tensor tensor(std::initializer_list<T> values, TensorOptions options = {},
              SourceLocation loc = SourceLocation::current()) {
  return detail::fromRange(values.begin(), {static_cast<int64_t>(values.size())}, options, loc);
}
template <detail::HostNumber T>
Tensor tensor(const std::vector<T> &values, TensorOptions options = {},
              SourceLocation loc = SourceLocation::current()) {
  std::unique_ptr<T[]> copy(new T[values.size()]); // vector<bool> has no array
  for (size_t i = 0; i < values.size(); ++i) copy[i] = values[i];
  return detail::fromRange(copy.get(), {static_cast<int64_t>(values.size())}, options, loc);
}
/// `tensor({{1, 2}, {3, 4}})`. Throws `shape_error` for rows of different lengths.
template <detail::HostNumber T>
Tensor tensor(std::initializer_list<std::initializer_list<T>> rows, TensorOptions options = {},
              SourceLocation loc = SourceLocation::current()) {
  const size_t columns = rows.size() ? rows.begin()->size() : 0;
  std::unique_ptr<T[]> flat(new T[rows.size() * columns]);
  size_t at = 0;
  for (const auto &row : rows) {
    if (row.size() != columns)
      throw shape_error("tensor: rows of " + std::to_string(columns) + " and " + std::to_string(row.size()) +
                        " elements");
    for (T v : row) flat[at++] = v;
  }
  return detail::fromRange(flat.get(), {static_cast<int64_t>(rows.size()), static_cast<int64_t>(columns)}, options,
                           loc);
}

/// Same dtype, sizes and elements; NaN differs from everything.
bool equal(const Tensor &a, const Tensor &b, SourceLocation loc = SourceLocation::current());
/// abs(a - b) <= atol + rtol * abs(b) everywhere, computed in f64. Equal infinities are close. Throws `shape_error`
/// for different sizes.
bool allclose(const Tensor &a, const Tensor &b, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false,
              SourceLocation loc = SourceLocation::current());

/// Elements in nested brackets, then dtype and sizes. Ends a recording's segment.
std::ostream &operator<<(std::ostream &os, const Tensor &t);

} // namespace tensorjit
