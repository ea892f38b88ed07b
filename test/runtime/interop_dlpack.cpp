// DLPack out and in: what is shared, who frees it, and what is refused.
#include "Expect.h"
#include "interop/DlpackAbi.h"

#include <cstdlib>
#include <memory>

using namespace tensorjit;
using namespace tensorjit::test;

namespace {

/// A tensor of another library that counts the calls of its deleter.
struct Foreign {
  std::vector<float> data;
  std::vector<int64_t> shape, strides;
  DLManagedTensorVersioned managed{};
  int deleted = 0;

  Foreign(std::vector<float> values, std::vector<int64_t> sizes, std::vector<int64_t> steps = {})
      : data(std::move(values)), shape(std::move(sizes)), strides(std::move(steps)) {
    managed.version = {1, 3};
    managed.manager_ctx = this;
    managed.deleter = [](DLManagedTensorVersioned *self) { ++static_cast<Foreign *>(self->manager_ctx)->deleted; };
    managed.dl_tensor.data = data.data();
    managed.dl_tensor.device = {kDLCPU, 0};
    managed.dl_tensor.ndim = static_cast<int32_t>(shape.size());
    managed.dl_tensor.dtype = {kDLFloat, 32, 1};
    managed.dl_tensor.shape = shape.data();
    managed.dl_tensor.strides = strides.empty() ? nullptr : strides.data();
  }
};

struct Delete {
  template <class Managed> void operator()(Managed *m) const { m->deleter(m); }
};
using Out = std::unique_ptr<DLManagedTensorVersioned, Delete>;

float *elements(const Out &out) { return static_cast<float *>(out->dl_tensor.data); }

} // namespace

TEST(DlpackOut, SharesMemoryBothWays) {
  Tensor t = tensor({{1.f, 2.f}, {3.f, 4.f}});
  Out out(to_dlpack(t));
  EXPECT_EQ(out->version.major, 1u);
  EXPECT_EQ(out->flags, 0u);
  EXPECT_EQ(out->dl_tensor.ndim, 2);
  EXPECT_EQ(out->dl_tensor.shape[1], 2);
  EXPECT_EQ(out->dl_tensor.strides[0], 2);
  EXPECT_EQ(out->dl_tensor.data, t.data_ptr());
  elements(out)[3] = 40;
  EXPECT_VALUES(t, 1, 2, 3, 40);
  t.add_(1);
  t.fill_(7);
  t.select(0, 0).mul_(2);
  EXPECT_EQ(elements(out)[0], 14);
  EXPECT_EQ(elements(out)[3], 7);
  t.copy_(zeros({2, 2}));
  EXPECT_EQ(elements(out)[0], 0);
}

TEST(DlpackOut, OutlivesTheTensorAndItsOtherExports) {
  Tensor t = tensor({1.f, 2.f});
  Out first(to_dlpack(t)), second(to_dlpack(t));
  t = Tensor();
  first.reset();
  Tensor others = full({2}, 9.f); // would get the memory if it were free
  EXPECT_EQ(elements(second)[1], 2);
}

TEST(DlpackOut, ASavedValueKeepsItsElements) {
  Tensor x = tensor({2.f}).requires_grad_(), y = x * 1.f;
  Tensor z = (y * y).sum(); // saves y
  Out out(to_dlpack(y.detach()));
  {
    NoGradGuard guard;
    y.fill_(5);
  }
  z.backward();
  EXPECT_VALUES(x.grad(), 4);
}

TEST(DlpackOut, ADenseWindowIsSharedOtherViewsAreCopied) {
  Tensor t = tensor({{1.f, 2.f}, {3.f, 4.f}});
  Out row(to_dlpack(t.select(0, 1)));
  EXPECT_EQ(row->flags, 0u);
  elements(row)[0] = 30;
  EXPECT_VALUES(t, 1, 2, 30, 4);
  Out column(to_dlpack(t.select(1, 0)));
  EXPECT_EQ(column->flags, dlpack::isCopied);
  EXPECT_EQ(elements(column)[1], 30);
}

TEST(DlpackOut, DtypesAndEmptyTensors) {
  struct Row {
    DType type;
    uint8_t code, bits;
  };
  for (auto [type, code, bits] : {Row{kBool, kDLBool, 8}, Row{kUInt8, kDLUInt, 8}, Row{DType::I8, kDLInt, 8},
                                  Row{kInt32, kDLInt, 32}, Row{kInt64, kDLInt, 64}, Row{kFloat64, kDLFloat, 64}})
    for (Shape sizes : {Shape{}, Shape{2, 0}, Shape{3}}) {
      Tensor t = ones(sizes, type);
      DLManagedTensorVersioned *out = to_dlpack(t);
      EXPECT_EQ(out->dl_tensor.dtype.code, code);
      EXPECT_EQ(out->dl_tensor.dtype.bits, bits);
      EXPECT_TRUE(equal(from_dlpack(out), t)) << name(type) << sizes.str();
    }
}

TEST(DlpackOut, Refuses) {
  errorOf<type_error>([] { to_dlpack(Tensor()); });
  errorOf<grad_error>([] { to_dlpack(ones({1}).requires_grad_()); });
}

TEST(DlpackOut, UnversionedHasTheOldForm) {
  Tensor t = tensor({1.f, 2.f});
  std::unique_ptr<DLManagedTensor, Delete> out(to_dlpack_unversioned(t));
  EXPECT_EQ(out->dl_tensor.data, t.data_ptr());
  EXPECT_EQ(out->dl_tensor.shape[0], 2);
}

TEST(DlpackIn, SharesMemoryAndDeletesOnce) {
  Foreign f({1, 2, 3, 4, 5, 6}, {2, 3});
  {
    Tensor t = from_dlpack(&f.managed);
    EXPECT_EQ(t.sizes(), (Shape{2, 3}));
    f.data[5] = 60;
    EXPECT_VALUES(t, 1, 2, 3, 4, 5, 60);
    t.mul_(2);
    EXPECT_EQ(f.data[5], 120);
    Tensor view = t.select(0, 0), copy = t;
    t = Tensor();
    EXPECT_EQ(f.deleted, 0);
  }
  EXPECT_EQ(f.deleted, 1);
}

TEST(DlpackIn, DimsInAnotherOrderAreShared) {
  Foreign f({1, 2, 3, 4, 5, 6}, {3, 1, 2}, {1, 77, 3});
  Tensor t = from_dlpack(&f.managed);
  EXPECT_VALUES(t, 1, 4, 2, 5, 3, 6);
  f.data[3] = 40;
  EXPECT_VALUES(t, 1, 40, 2, 5, 3, 6);
  EXPECT_EQ(f.deleted, 0);
}

TEST(DlpackIn, OtherStridesAreCopiedAndTheOwnerIsFree) {
  for (auto strides : {std::vector<int64_t>{2, 6}, {0, 1}, {1, 1}, {-1, 2}}) {
    Foreign f({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {2, 2}, strides);
    f.managed.dl_tensor.byte_offset = 8;
    Tensor t = from_dlpack(&f.managed);
    EXPECT_EQ(f.deleted, 1);
    const auto at = [&](int64_t i, int64_t j) { return static_cast<double>(2 + i * strides[0] + j * strides[1]); };
    EXPECT_VALUES(t, at(0, 0), at(0, 1), at(1, 0), at(1, 1));
  }
}

TEST(DlpackIn, ReadOnlyMemoryIsNeverWritten) {
  Foreign f({1, 2}, {2});
  f.managed.flags = dlpack::readOnly;
  Tensor t = from_dlpack(&f.managed);
  t.add_(1);
  EXPECT_VALUES(t, 2, 3);
  EXPECT_EQ(f.data[0], 1);
  Foreign g({1, 2}, {2});
  g.managed.flags = dlpack::readOnly;
  Tensor u = from_dlpack(&g.managed);
  Out out(to_dlpack(u));
  EXPECT_EQ(out->flags, dlpack::readOnly);
  u.fill_(7);
  u.data_ptr<float>()[0] = 8;
  EXPECT_EQ(g.data[0], 1);
}

TEST(DlpackIn, ACompiledFunctionUsesIt) {
  Foreign f({1, 2, 3}, {3});
  Tensor t = from_dlpack(&f.managed);
  auto step = compile([&] { t.mul_(2); });
  for (int i = 0; i < 3; ++i) step();
  EXPECT_VALUES(t, 8, 16, 24);
  EXPECT_EQ(f.data[2], 24);
}

TEST(DlpackIn, Refuses) {
  Foreign f({1, 2, 3}, {3});
  auto refused = [&]<class E>(E *, auto change) {
    Foreign g({1, 2, 3}, {3});
    change(g.managed);
    errorOf<E>([&] { from_dlpack(&g.managed); });
    EXPECT_EQ(g.deleted, 0);
  };
  using M = DLManagedTensorVersioned;
  errorOf<value_error>([] { from_dlpack(static_cast<M *>(nullptr)); });
  refused(static_cast<value_error *>(nullptr), [](M &m) { m.version.major = 2; });
  refused(static_cast<device_error *>(nullptr), [](M &m) { m.dl_tensor.device.device_type = kDLCUDA; });
  refused(static_cast<type_error *>(nullptr), [](M &m) { m.dl_tensor.dtype.lanes = 4; });
  refused(static_cast<type_error *>(nullptr), [](M &m) { m.dl_tensor.dtype.code = 5; });
  refused(static_cast<type_error *>(nullptr), [](M &m) { m.dl_tensor.dtype = {kDLBfloat, 32, 1}; });
  refused(static_cast<value_error *>(nullptr), [](M &m) { m.dl_tensor.data = nullptr; });
  refused(static_cast<value_error *>(nullptr), [](M &m) { m.dl_tensor.byte_offset = 2; });
  refused(static_cast<value_error *>(nullptr), [](M &m) { m.dl_tensor.ndim = 9; });
  refused(static_cast<value_error *>(nullptr), [](M &m) { m.dl_tensor.ndim = -1; });
  refused(static_cast<shape_error *>(nullptr), [](M &m) { m.dl_tensor.shape[0] = -3; });
}

TEST(DlpackIn, NoDeleterIsNeeded) {
  Foreign f({1}, {1});
  f.managed.deleter = nullptr;
  EXPECT_VALUES(from_dlpack(&f.managed), 1);
}

TEST(DlpackIn, UnversionedIsTakenToo) {
  static int deleted = 0;
  float data[] = {1, 2};
  int64_t shape[] = {2};
  DLManagedTensor managed{
      {data, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, shape, nullptr, 0}, nullptr, [](DLManagedTensor *) { ++deleted; }};
  EXPECT_VALUES(from_dlpack(&managed), 1, 2);
  EXPECT_EQ(deleted, 1);
}

TEST(FromBlob, ReleasesOnceAndChecksItsMemory) {
  alignas(64) float data[] = {1, 2, 3, 4};
  int released = 0;
  {
    Tensor t = from_blob(data, {2, 2}, [&] { ++released; });
    Tensor view = t.select(0, 1);
    t.add_(1);
    t = Tensor();
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
  EXPECT_EQ(data[3], 5);
  errorOf<value_error>([&] { from_blob(nullptr, {2}); });
  errorOf<value_error>([&] { from_blob(reinterpret_cast<char *>(data) + 2, {2}, [&] { ++released; }); });
  errorOf<shape_error>([&] { from_blob(data, {-1}); });
  EXPECT_EQ(released, 1);
  EXPECT_EQ(from_blob(nullptr, {0}).numel(), 0);
}

// Kernels want 64 bytes; memory of others has what malloc gives.
TEST(FromBlob, MemoryOfAnyAlignmentRunsCompiled) {
  alignas(64) float data[40] = {};
  for (int offset = 0; offset < 4; ++offset) {
    Tensor t = from_blob(data + offset, {33});
    t.fill_(0);
    auto step = compile([&] { t.add_(1); });
    for (int i = 0; i < 3; ++i) step();
    EXPECT_EQ(data[offset], 3);
    EXPECT_EQ(data[offset + 32], 3);
  }
}
