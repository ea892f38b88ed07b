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

} // namespace

const std::vector<Case> streamCases = {
    {"streams", streams},
    {"timing", timing},
    {"memory is reused in stream order", memory},
};

} // namespace device_suite
