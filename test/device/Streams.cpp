// Order between streams, and memory that follows it.
#include "Suite.h"
#include "device/Memory.h"
#include "device/Stream.h"

namespace device_suite {

namespace {

using namespace tensorjit::device;

struct OnStream {
  explicit OnStream(Stream &stream) : before(currentStream(stream.backend.device())) { setCurrentStream(stream); }
  ~OnStream() { setCurrentStream(before); }
  Stream &before;
};

void streams(tj::Device d) {
  Stream &other = poolStream(d), &third = poolStream(d);
  require(&other != &currentStream(d) && &other != &third, "streams of their own");
  // Written on one stream, read on another, updated on a third, read on the first.
  tj::Tensor x = tj::ones({64}).to(d), sum;
  for (int round = 0; round < 20; ++round) {
    tj::Tensor y;
    {
      OnStream guard(other);
      y = x * 2.0;
    }
    {
      OnStream guard(third);
      x.add_(y);
      y = {}; // its memory is free while `third` still reads it
    }
    x = x / 3.0;
  }
  requireSame(x.cpu(), tj::ones({64}), "work of three streams");
}

/// Parts of a tensor are written where it lies: behind what still reads the old contents on another stream.
void writesBehindReads(tj::Device d) {
  Stream &other = poolStream(d);
  tj::Tensor x = tj::zeros({64, 64}).to(d);
  std::vector<tj::Tensor> seen;
  for (int round = 0; round < 20; ++round) {
    {
      OnStream guard(other);
      seen.push_back(x * 1.0);
    }
    x.slice(1, 8, 24).copy_(tj::full({64, 16}, round + 1.0, d));
    x.select(0, 40).fill_(round + 1.0);
  }
  for (int round = 0; round < 20; ++round) {
    tj::Tensor expected = tj::zeros({64, 64});
    expected.slice(1, 8, 24).fill_(round);
    expected.select(0, 40).fill_(round);
    requireSame(seen[static_cast<size_t>(round)].cpu(), expected,
                "what was read before round " + std::to_string(round));
  }
}

/// Memory that is freed while another stream still uses it is not handed out before that is done.
void freedWhileUsed(tj::Device d) {
  Stream &home = poolStream(d), &other = poolStream(d);
  std::vector<tj::Tensor> seen;
  for (int round = 0; round < 20; ++round) {
    tj::Tensor y;
    {
      OnStream guard(home);
      y = tj::full({4096}, round + 0.0, d);
    }
    {
      OnStream guard(other);
      seen.push_back(y * 2.0);
      y = {};
    }
    OnStream guard(home);
    tj::full({4096}, -1.0, d);
  }
  for (int round = 0; round < 20; ++round)
    requireSame(seen[static_cast<size_t>(round)].cpu(), tj::full({4096}, 2.0 * round), "what another stream read");
}

void timing(tj::Device d) {
  Stream &stream = currentStream(d);
  EventState from(stream.backend, true), to(stream.backend, true);
  stream.backend.record(from.handle, stream.handle);
  tj::ones({1000}).to(d).add_(1.0);
  stream.backend.record(to.handle, stream.handle);
  stream.synchronize();
  require(stream.backend.milliseconds(from.handle, to.handle) >= 0, "time runs backward");
}

void memory(tj::Device d) {
  Stream &stream = currentStream(d);
  stream.synchronize();
  emptyCache(d);
  const MemoryUse before = memoryUse(d);
  for (int i = 0; i < 10; ++i) Temporary block(1 << 20, stream);
  const MemoryUse after = memoryUse(d);
  require(after.fromDevice == before.fromDevice + 1, "a freed block is not handed out again");
  require(after.live == before.live && after.cached >= before.cached + (1 << 20), "the counts are wrong");
  // A block that another stream uses is not handed out before that stream is done, and counts as cached.
  Stream &other = poolStream(d);
  Block *block = allocateBlock(1 << 20, stream);
  orderRead(*block, other);
  freeBlock(block);
  emptyCache(d);
  require(memoryUse(d).cached == 0, "a block is lost");
}

/// Copies from page-locked memory run beside other work; the memory is not used again before they are done.
void pinnedCopies(tj::Device d) {
  const void *address = nullptr;
  for (int i = 0; i < 3; ++i) {
    const tj::Tensor x = tj::cuda::pin_memory(tj::full({70000}, i));
    require(!address || x.data_ptr() == address, "page-locked memory is not used again");
    address = x.data_ptr();
  }
  // A copy beside other work does not go into memory that this work still reads.
  std::vector<tj::Tensor> results;
  const tj::Tensor fives = tj::cuda::pin_memory(tj::full({1000}, 5.0));
  for (int i = 0; i < 8; ++i) {
    tj::Tensor read = tj::full({1000}, i + 0.0, d);
    results.push_back(read * 3.0);
    read = {};
    results.push_back(fives.to(d, true));
  }
  for (int i = 0; i < 8; ++i) {
    requireSame(results[2 * static_cast<size_t>(i)].cpu(), tj::full({1000}, 3.0 * i), "work beside a copy");
    requireSame(results[2 * static_cast<size_t>(i) + 1].cpu(), tj::full({1000}, 5.0), "a copy beside work");
  }
  std::vector<tj::Tensor> copies;
  for (int i = 0; i < 8; ++i) {
    tj::Tensor x = tj::cuda::pin_memory(tj::full({1000}, i)); // page-locked again each time, in recycled memory
    require(tj::cuda::is_pinned(x) && !tj::cuda::is_pinned(tj::ones({2})), "is_pinned");
    copies.push_back(x.to(d, true));
    x.add_(100); // what the copy reads stays as it was
  }
  for (int i = 0; i < 8; ++i) {
    requireSame((copies[static_cast<size_t>(i)] * 2).cpu(), tj::full({1000}, 2 * i), "a copy beside other work");
    requireSame(tj::cuda::pin_memory(tj::full({10}, i)).to(d).cpu(), tj::full({10}, i), "a copy that blocks");
  }
}

void pinnedBatches(tj::Device d) {
  struct Numbers : tj::data::Dataset {
    int64_t size() const override { return 12; }
    tj::data::Example get(int64_t i) override { return {tj::full({100}, i), tj::tensor(i)}; }
  };
  auto loader = tj::data::make_data_loader(Numbers(),
                                           tj::data::DataLoaderOptions().batch_size(2).num_workers(1).pin_memory(true));
  std::vector<tj::Tensor> copies;
  for (auto [x, y] : *loader) {
    require(tj::cuda::is_pinned(x), "a batch is not in page-locked memory");
    copies.push_back(x.to(d, true));
  }
  for (int64_t i = 0; i < 12; ++i)
    requireSame(copies[static_cast<size_t>(i / 2)].select(0, i % 2).cpu(), tj::full({100}, i), "a batch");
}

/// The names that programs use.
void publicStreams(tj::Device d) {
  using namespace tj::cuda;
  const tj::cuda::Stream first = default_stream(d.index()), a = new_stream(d.index()), b = new_stream(d.index());
  require(current_stream(d.index()) == first && !(a == b) && !(a == first), "streams");
  require(a.device() == d && a.native() && a.native() != b.native(), "a stream's handle");
  {
    StreamGuard guard(a);
    require(current_stream(d.index()) == a, "a guard");
  }
  require(current_stream(d.index()) == first, "after a guard");

  // What b does after the event sees what a did before it, in memory that the library does not order.
  tensorjit::device::Backend &backend = tensorjit::device::backend(d);
  std::vector<int> seen(1 << 12);
  void *memory = backend.allocate(seen.size() * sizeof(int));
  for (int round = 1; round < 6; ++round) {
    tj::cuda::Event event;
    require(event.query(), "an event that was never recorded");
    backend.fill(memory, &round, sizeof round, seen.size(), a.native());
    event.record(a);
    b.wait(event);
    backend.copyToHost(seen.data(), memory, seen.size() * sizeof(int), b.native());
    b.synchronize();
    require(seen.front() == round && seen.back() == round, "a stream does not wait for an event");
    event.synchronize();
    require(event.query() && a.query(), "an event that has been reached");
    backend.fill(memory, &seen[0], sizeof(int), seen.size(), b.native());
    b.synchronize();
  }
  backend.free(memory);

  tj::cuda::Event from(true), to(true), untimed;
  from.record(a);
  to.record(a);
  to.synchronize();
  require(from.elapsed_time(to) >= 0, "time runs backward");
  untimed.record(a);
  thrownBy<tj::value_error>([&] { from.elapsed_time(untimed); });
  thrownBy<tj::value_error>([&] { from.elapsed_time(tj::cuda::Event(true)); });
}

void publicMemory(tj::Device d) {
  using namespace tj::cuda;
  const int i = d.index();
  synchronize(i);
  empty_cache(i);
  const MemoryStats before = memory_stats(i);
  require(before.cached == 0, "the cache is not empty");
  {
    const tj::Tensor x = tj::zeros({1 << 18}, d);
    require(memory_stats(i).live >= before.live + (1 << 20), "live bytes");
  }
  const MemoryStats after = memory_stats(i);
  require(after.live == before.live && after.cached >= 1 << 20 && after.peak >= before.live + (1 << 20), "freed bytes");
  empty_cache(i);
  require(memory_stats(i).cached == 0, "cached bytes");
  const tj::Tensor lost = tj::cross_entropy(tj::zeros({1, 2}, d), tj::tensor({5}).to(d));
  requireContains(thrownBy<tj::index_error>([&] { synchronize(i); }), "cross_entropy");
  synchronize(i);
}

} // namespace

const std::vector<Case> streamCases = {
    {"streams", streams},
    {"writes behind reads of other streams", writesBehindReads},
    {"memory freed while another stream uses it", freedWhileUsed},
    {"timing", timing},
    {"memory is reused in stream order", memory},
    {"pinned memory", pinnedCopies},
    {"pinned batches", pinnedBatches},
    {"streams and events of the public API", publicStreams},
    {"memory in the public API", publicMemory},
};

} // namespace device_suite
