#include "core/InPlace.h"
#include "tensorjit/ops.h"

namespace tensorjit {

Tensor Tensor::view(const Shape &sizes, SourceLocation loc) const { return tensorjit::view(*this, sizes, loc); }
Tensor Tensor::view(DType dtype, SourceLocation loc) const { return tensorjit::view(*this, dtype, loc); }
Tensor Tensor::flatten(int64_t start_dim, int64_t end_dim, SourceLocation loc) const {
  return tensorjit::flatten(*this, start_dim, end_dim, loc);
}
Tensor Tensor::unsqueeze(int64_t dim, SourceLocation loc) const { return tensorjit::unsqueeze(*this, dim, loc); }
Tensor Tensor::squeeze(OptionalInt dim, SourceLocation loc) const { return tensorjit::squeeze(*this, dim, loc); }
Tensor Tensor::transpose(int64_t a, int64_t b, SourceLocation loc) const {
  return tensorjit::transpose(*this, a, b, loc);
}
Tensor Tensor::t(SourceLocation loc) const { return tensorjit::t(*this, loc); }
Tensor Tensor::expand(const Shape &sizes, SourceLocation loc) const { return tensorjit::expand(*this, sizes, loc); }
Tensor Tensor::slice(int64_t dim, OptionalInt start, OptionalInt end, int64_t step, SourceLocation loc) const {
  return tensorjit::slice(*this, dim, start, end, step, loc);
}
Tensor Tensor::narrow(int64_t dim, int64_t start, int64_t length, SourceLocation loc) const {
  return tensorjit::narrow(*this, dim, start, length, loc);
}
Tensor Tensor::select(int64_t dim, int64_t index, SourceLocation loc) const {
  return tensorjit::select(*this, dim, index, loc);
}
std::vector<Tensor> Tensor::split(int64_t split_size, int64_t dim, SourceLocation loc) const {
  return tensorjit::split(*this, split_size, dim, loc);
}
std::vector<Tensor> Tensor::chunk(int64_t chunks, int64_t dim, SourceLocation loc) const {
  return tensorjit::chunk(*this, chunks, dim, loc);
}
Tensor Tensor::slice_scatter(const Tensor &v, int64_t dim, OptionalInt start, OptionalInt end, int64_t step,
                             SourceLocation loc) const {
  return tensorjit::slice_scatter(*this, v, dim, start, end, step, loc);
}
Tensor Tensor::matmul(const Tensor &b, SourceLocation loc) const { return tensorjit::matmul(*this, b, loc); }
Tensor Tensor::mm(const Tensor &b, SourceLocation loc) const { return tensorjit::mm(*this, b, loc); }
Tensor Tensor::bmm(const Tensor &b, SourceLocation loc) const { return tensorjit::bmm(*this, b, loc); }
Tensor Tensor::median(SourceLocation loc) const { return tensorjit::median(*this, loc); }
Tensor Tensor::cumsum(int64_t dim, DType dtype, SourceLocation loc) const {
  return tensorjit::cumsum(*this, dim, dtype, loc);
}
Tensor Tensor::cumprod(int64_t dim, DType dtype, SourceLocation loc) const {
  return tensorjit::cumprod(*this, dim, dtype, loc);
}

Tensor Tensor::squeeze(const Shape &dims, SourceLocation loc) const { return tensorjit::squeeze(*this, dims, loc); }
std::vector<Tensor> Tensor::split(const Shape &split_sizes, int64_t dim, SourceLocation loc) const {
  return tensorjit::split(*this, split_sizes, dim, loc);
}
Tensor Tensor::index(const std::vector<Tensor> &indices, int64_t dim, SourceLocation loc) const {
  return tensorjit::index(*this, indices, dim, loc);
}
Tensor Tensor::index_put(const std::vector<Tensor> &indices, const Operand &value, bool accumulate, int64_t dim,
                         SourceLocation loc) const {
  return tensorjit::index_put(*this, indices, value, accumulate, dim, loc);
}
Tensor &Tensor::index_put_(const std::vector<Tensor> &indices, const Operand &value, bool accumulate, int64_t dim,
                           SourceLocation loc) {
  dispatch::replace(*this, tensorjit::index_put(*this, indices, value, accumulate, dim, loc), "index_put_", loc);
  return *this;
}
Tensor Tensor::scatter_reduce(int64_t dim, const Tensor &index, const Tensor &src, const std::string &reduce,
                              bool include_self, SourceLocation loc) const {
  return tensorjit::scatter_reduce(*this, dim, index, src, reduce, include_self, loc);
}

} // namespace tensorjit
