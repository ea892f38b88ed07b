/// In-place writes through views of a tensor from outside: only the windows that were written move.
///
/// A recording keeps the value of the whole tensor, `slice_scatter(base, x)`. Where nothing but the tensor itself wants
/// that value, the executable computes the `x` and the recorder copies them into the tensor's memory, on a device where
/// the window is one that it copies into at once (device::rowsOf):
///
///   cache.select(0, 7).copy_(row)      %1 = slice_scatter(%cache, %row)     output %row, copied into cache[7]
#include "core/TensorAccess.h"
#include "device/Transfer.h"
#include "eager/Copy.h"
#include "op/ShapeIds.h"
#include "op/infer/Infer.h"
#include "trace/Recorder.h"
#include "trace/SaveRequest.h"

#include <algorithm>
#include <cstring>

namespace tensorjit::trace {

namespace {

/// More windows than this are cheaper to write as the whole tensor.
constexpr size_t maxWindows = 64;

/// The part of a dense tensor that the slice of a `slice_scatter` selects.
device::Window sliceOf(const TraceNode &node, const Shape &sizes) {
  const ResultSpec &whole = *node.result;
  const Attrs attrs = node.attrs();
  AttrReader read(attrs);
  const size_t dim = static_cast<size_t>(read.integer());
  const int64_t start = read.integer();
  read.integer(); // stop: the sizes say it
  const int64_t step = read.integer();
  device::Window window{whole.dtype, sizes, whole.strides, sizes[dim] > 0 ? start * whole.strides[dim] : 0};
  window.strides[dim] *= step;
  return window;
}

} // namespace

/// The windows whose writes make `written`'s value of its leaf's, in order, when that is less than half of it.
bool Recorder::collectWindows(const Written &written) {
  const size_t before = windows_.size();
  const Value &last = values_[written.value];
  const bool wanted = !last.node || !last.buffer || last.buffer->useCount() != 1; // by others than the storage
  if (SaveRequest::current || wanted || !leafOf(written.leaf).buffer->order().isRowMajor()) return false;
  size_t bytes = 0;
  for (ValueId v = written.value; v != written.leaf;) {
    const TraceNode *node = values_[v].node;
    const bool writes = node && node->kind == TraceNode::Op && node->op == opid::SliceScatter;
    if (!writes || isLeaf(node->operands[1]) || windows_.size() - before == maxWindows) return dropWindows(before);
    if (!segmentDevice().is_cpu() && !device::rowsOf(sliceOf(*node, specOf(node->operands[1]).sizes)))
      return dropWindows(before);
    windows_.push_back({written.leaf, node->operands[1], node, nullptr});
    bytes += specOf(node->operands[1]).bytes;
    v = node->operands[0];
  }
  if (bytes * 2 > last.buffer->bytes()) return dropWindows(before);
  std::reverse(windows_.begin() + static_cast<ptrdiff_t>(before), windows_.end());
  return true;
}

bool Recorder::dropWindows(size_t size) {
  windows_.resize(size);
  return false;
}

/// Before the run: the memory that each window goes into. The tensor's own where nobody holds the old contents.
void Recorder::placeWindows() {
  for (size_t w = 0; w < windows_.size(); ++w) {
    Window &window = windows_[w];
    if (w && windows_[w - 1].leaf == window.leaf) {
      window.memory = windows_[w - 1].memory;
      continue;
    }
    const Ref<Buffer> &own = leafOf(window.leaf).buffer;
    if (own->isExclusive()) {
      window.memory = own;
    } else if (!own->device().is_cpu()) {
      window.memory = device::copyOnDevice(*own, {0, own->bytes()});
    } else {
      window.memory = Buffer::allocate(own->bytes());
      std::memcpy(window.memory->data(), own->data(), own->bytes());
    }
  }
}

/// After the run, whose outputs hold what the windows receive.
void Recorder::writeWindows(const CompiledSegment &segment) {
  for (const Window &window : windows_) {
    auto output = std::lower_bound(segment.outputs.begin(), segment.outputs.end(), SegmentOutput{window.value, 0});
    const auto &memory = outputMemory_[static_cast<size_t>(output - segment.outputs.begin())];
    const ResultSpec &from = specOf(window.value);
    const device::Window slice = sliceOf(*window.node, from.sizes);
    if (memory->device().is_cpu()) {
      char *start =
          static_cast<char *>(window.memory->data()) + slice.offset * static_cast<int64_t>(itemSize(slice.dtype));
      eager::copyStrided({memory->data(), from.dtype, from.sizes, from.strides},
                         {start, slice.dtype, slice.sizes, slice.strides});
    } else {
      device::copyRows(*memory, 0, *window.memory, *device::rowsOf(slice));
    }
    leafOf(window.leaf).update = window.memory;
  }
}

} // namespace tensorjit::trace
