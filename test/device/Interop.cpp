// Memory that other libraries share with a device's tensors, and files.
#include "Suite.h"
#include "device/Backend.h"
#include "device/Stream.h"
#include "interop/DlpackAbi.h"

#include <filesystem>
#include <unistd.h>

namespace device_suite {

namespace {

using namespace tensorjit::device;

struct Delete {
  void operator()(DLManagedTensorVersioned *m) const { m->deleter(m); }
};
using Out = std::unique_ptr<DLManagedTensorVersioned, Delete>;

void dlpack(tj::Device d) {
  tj::Tensor x = tj::arange(6, tj::kFloat32).reshape({2, 3}).to(d);
  Out out(tj::to_dlpack(x));
  require(out->dl_tensor.device.device_type == (d.is_cpu() ? kDLCPU : kDLCUDA), "another kind of device");
  require(out->dl_tensor.device.device_id == d.index() && out->flags == 0, "another device, or a copy");
  require(out->dl_tensor.data == x.data_ptr(), "another address");
  // Back in, the memory is one and the same.
  tj::Tensor y = tj::from_dlpack(out.release());
  require(y.device() == d && y.sizes() == x.sizes(), "another tensor");
  requireSame(y.cpu(), x.cpu(), "what came in");
  y.add_(1.0);
  requireSame(x.cpu(), tj::arange(1, 7, tj::kFloat32).reshape({2, 3}), "a write on the other side");
  x.select(0, 0).mul_(2.0);
  x.select(1, 2).fill_(0.0); // a window that does not lie densely
  requireSame(y.cpu(), tj::tensor({{2.f, 4.f, 0.f}, {4.f, 5.f, 0.f}}), "a write on this side");
  auto triple = tj::compile([](tj::Tensor t) { t.mul_(3.0); });
  triple(y);
  requireSame(x.cpu(), tj::tensor({{6.f, 12.f, 0.f}, {12.f, 15.f, 0.f}}), "a compiled write");
  x.slice(1, 0, 3, 2).add_(1.0); // nor in rows
  requireSame(y.cpu(), tj::tensor({{7.f, 12.f, 1.f}, {13.f, 15.f, 1.f}}), "a write of every second column");
  const tj::Tensor turn = tj::tensor({{0.f, 0.f, 1.f}, {1.f, 0.f, 0.f}, {0.f, 1.f, 0.f}}).to(d);
  auto product = tj::compile([&](tj::Tensor t) { t.copy_(tj::matmul(t, turn)); }); // which cannot be made in place
  product(y);
  requireSame(x.cpu(), tj::tensor({{12.f, 1.f, 7.f}, {15.f, 1.f, 13.f}}), "a compiled product");
  auto replaced = tj::compile([&](tj::Tensor t) { t.copy_(turn.slice(0, 1, 3) + 1.0); }); // without reading it
  replaced(y);
  requireSame(x.cpu(), tj::tensor({{2.f, 1.f, 1.f}, {1.f, 2.f, 1.f}}), "a compiled value");
  // Strided tensors go out as copies; what comes in may lie in another order, or with gaps.
  Out columns(tj::to_dlpack(x.permute({1, 0})));
  require(columns->flags == tensorjit::dlpack::isCopied, "a strided tensor is no copy");
  Out whole(tj::to_dlpack(x));
  int64_t sizes[] = {3, 2}, strides[] = {1, 3};
  whole->dl_tensor.shape = sizes;
  whole->dl_tensor.strides = strides;
  const tj::Tensor turned = tj::from_dlpack(whole.release());
  requireSame(turned.cpu(), x.cpu().permute({1, 0}).contiguous(), "dims in another order");
  x.copy_(tj::tensor({{12.f, 1.f, 7.f}, {15.f, 1.f, 13.f}})); // which no memory of the host holds by chance
  Out part(tj::to_dlpack(x));
  int64_t two[] = {2, 2};
  int64_t gaps[] = {3, 2};
  part->dl_tensor.shape = two;
  part->dl_tensor.strides = gaps;
  requireSame(tj::from_dlpack(part.release()).cpu(), tj::tensor({{12.f, 7.f}, {15.f, 13.f}}), "a tensor with gaps");
}

void dlpackStreams(tj::Device d) {
  Backend &b = backend(d);
  const StreamHandle theirs = b.createStream();
  for (int64_t round = 0; round < 4; ++round) {
    tj::Tensor x = tj::full({1 << 14}, 1.0).to(d);
    for (int i = 0; i < 4; ++i) x = x * 2.0;
    const Out out(tj::to_dlpack(x, reinterpret_cast<int64_t>(theirs)));
    std::vector<float> seen(1 << 14);
    b.copyToHost(seen.data(), out->dl_tensor.data, seen.size() * sizeof seen[0], theirs);
    require(seen.front() == 16 && seen.back() == 16, "the receiver's stream does not wait");
  }
  const tj::Tensor x = tj::ones({2}).to(d);
  for (int64_t stream : {1, 2, -1}) Out(tj::to_dlpack(x, stream));
  requireContains(thrownBy<tj::value_error>([&] { tj::to_dlpack(x, 0); }), "Interop.cpp:");
  requireContains(thrownBy<tj::value_error>([&] { tj::to_dlpack(tj::ones({2}), 1); }), "on the CPU");
}

/// from_blob: the owner gets its memory back when all work that uses it is done, and overwrites it at once.
void memoryOfOthers(tj::Device d) {
  Backend &b = backend(d);
  const StreamHandle theirs = b.createStream();
  const size_t count = 1 << 14;
  auto *memory = static_cast<float *>(b.allocate(count * sizeof(float)));
  const float one = 1, two = 2;
  for (int round = 0; round < 4; ++round) {
    b.fill(memory, &one, sizeof one, count, theirs);
    b.synchronize(theirs);
    int released = 0;
    tj::Tensor y;
    {
      tj::Tensor x = tj::from_blob(
          memory, {1 << 14},
          [&] {
            ++released;
            b.fill(memory, &two, sizeof two, count, theirs);
            b.synchronize(theirs);
          },
          tj::TensorOptions().device(d));
      x.add_(1.0);
      require(x.data_ptr() == memory, "an in-place op moved on");
      y = x * 3.0;
      require(released == 0, "released too early");
    }
    require(released == 1, "not released");
    requireSame(y.cpu(), tj::full({1 << 14}, 6.f), "work on memory of another owner");
  }
  b.free(memory);
  if (d.is_cuda())
    requireContains(thrownBy<tj::value_error>([&] {
                      float host[2];
                      tj::from_blob(host, {2}, tj::TensorOptions().device(d));
                    }),
                    "from_blob: the memory is not of " + d.str());
}

void files(tj::Device d) {
  const std::string folder = std::filesystem::temp_directory_path() / ("tensorjit-files-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const tj::Tensor x = tj::randn({3, 4}), y = x.to(d).permute({1, 0});
  tj::data::write_npy(folder + "/x.npy", y);
  requireSame(tj::data::read_npy(folder + "/x.npy"), x.permute({1, 0}).contiguous(), "a .npy file");
  tj::nn::Linear one(tj::nn::LinearOptions(3, 2)), other(tj::nn::LinearOptions(3, 2));
  one->to(d);
  other->to(d);
  tj::save(*one, folder + "/m.safetensors");
  tj::load(*other, folder + "/m.safetensors");
  require(other->weight.device() == d, "a loaded weight left the device");
  requireSame(other->weight.detach().cpu(), one->weight.detach().cpu(), "a checkpoint");
  std::filesystem::remove_all(folder);
}

} // namespace

const std::vector<Case> interopCases = {
    {"DLPack", dlpack},
    {"DLPack streams", dlpackStreams},
    {"memory of others", memoryOfOthers},
    {"files", files},
};

} // namespace device_suite
