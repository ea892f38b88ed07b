/// Convolution and its gradients. oneDNN chooses the layouts; operands that lie otherwise are reordered on the way in
/// and out, as torch's eager mode does.
#include "eager/onednn/Convolution.h"

#include <algorithm>
#include <array>
#include <dnnl.hpp>
#include <map>
#include <memory>
#include <mutex>

namespace tensorjit::eager::onednn {

namespace {

using dnnl::memory;
using Key = std::array<int64_t, 26>;

dnnl::engine &engine() {
  static dnnl::engine e(dnnl::engine::kind::cpu, 0);
  return e;
}

/// Memory from the runtime's allocator, for the time of a call.
class Workspace {
public:
  explicit Workspace(size_t bytes) : bytes_(bytes), data_(bytes ? host().allocate(bytes) : nullptr) {}
  ~Workspace() { host().release(data_, bytes_); }
  Workspace(const Workspace &) = delete;
  void *data() const { return data_; }

private:
  size_t bytes_;
  void *data_;
};

/// One tensor of the primitive: its layout outside and the one that the primitive wants.
struct Side {
  int argument;
  memory::desc outside, inside;
  dnnl::reorder reorder; ///< into `inside`, or out of it for the result; unset where both are the same

  bool isCopied() const { return outside != inside; }
};

struct Primitive {
  dnnl::primitive run;
  std::array<Side, 3> sides; ///< two operands, then the result
  memory::desc bias, scratch;
};

struct Descs {
  memory::desc x, weight, bias, y;
  memory::dims stride, dilation, low, high;
};

memory::desc plain(const memory::dims &dims) {
  memory::dims strides(dims.size());
  memory::dim s = 1;
  for (size_t i = dims.size(); i-- > 0; s *= dims[i]) strides[i] = s;
  return memory::desc(dims, memory::data_type::f32, strides);
}
memory::desc any(const memory::desc &d) {
  return memory::desc(d.dims(), memory::data_type::f32, memory::format_tag::any);
}

Descs describe(const ConvCall &c) {
  const int first = c.isImage ? 1 : 0;
  auto sizes = [&](memory::dims lead, const int64_t(&space)[3]) {
    lead.insert(lead.end(), space + first, space + 3);
    return plain(lead);
  };
  Descs d;
  d.x = sizes({c.n, c.c}, c.in);
  d.y = sizes({c.n, c.o}, c.out);
  d.weight = c.groups == 1 ? sizes({c.o, c.c}, c.kernel) : sizes({c.groups, c.o / c.groups, c.c / c.groups}, c.kernel);
  d.bias = plain({c.o});
  for (int i = first; i < 3; ++i) {
    d.stride.push_back(c.stride[i]);
    d.dilation.push_back(c.dilation[i] - 1);
    d.low.push_back(c.padding[i]);
    d.high.push_back((c.out[i] - 1) * c.stride[i] + c.dilation[i] * (c.kernel[i] - 1) + 1 - c.in[i] - c.padding[i]);
  }
  return d;
}

dnnl::primitive_attr userScratch() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

dnnl::convolution_forward::primitive_desc forwardDesc(const Descs &d, bool bias) {
  using Forward = dnnl::convolution_forward;
  const auto algorithm = dnnl::algorithm::convolution_direct;
  const auto kind = dnnl::prop_kind::forward_training;
  auto desc =
      bias ? Forward::desc(kind, algorithm, any(d.x), any(d.weight), d.bias, any(d.y), d.stride, d.dilation, d.low,
                           d.high)
           : Forward::desc(kind, algorithm, any(d.x), any(d.weight), any(d.y), d.stride, d.dilation, d.low, d.high);
  return {desc, userScratch(), engine()};
}

enum Direction : int64_t { Forward, InputGrad, WeightGrad };

Side side(int argument, const memory::desc &outside, const memory::desc &inside, bool isResult) {
  Side s{argument, outside, inside, {}};
  if (!s.isCopied()) return s;
  const auto &from = isResult ? inside : outside, &to = isResult ? outside : inside;
  s.reorder = dnnl::reorder(dnnl::reorder::primitive_desc(engine(), from, engine(), to));
  return s;
}

Primitive make(const ConvCall &c, Direction direction) {
  const Descs d = describe(c);
  const auto forward = forwardDesc(d, c.bias != nullptr);
  const auto algorithm = dnnl::algorithm::convolution_direct;
  if (direction == Forward)
    return {dnnl::convolution_forward(forward),
            {side(DNNL_ARG_SRC, d.x, forward.src_desc(), false),
             side(DNNL_ARG_WEIGHTS, d.weight, forward.weights_desc(), false),
             side(DNNL_ARG_DST, d.y, forward.dst_desc(), true)},
            d.bias,
            forward.scratchpad_desc()};
  if (direction == InputGrad) {
    dnnl::convolution_backward_data::primitive_desc p(
        {algorithm, any(d.x), any(d.weight), any(d.y), d.stride, d.dilation, d.low, d.high}, userScratch(), engine(),
        forward);
    return {dnnl::convolution_backward_data(p),
            {side(DNNL_ARG_DIFF_DST, d.y, p.diff_dst_desc(), false),
             side(DNNL_ARG_WEIGHTS, d.weight, p.weights_desc(), false),
             side(DNNL_ARG_DIFF_SRC, d.x, p.diff_src_desc(), true)},
            d.bias,
            p.scratchpad_desc()};
  }
  dnnl::convolution_backward_weights::primitive_desc p(
      {algorithm, any(d.x), any(d.weight), any(d.y), d.stride, d.dilation, d.low, d.high}, userScratch(), engine(),
      forward);
  return {dnnl::convolution_backward_weights(p),
          {side(DNNL_ARG_DIFF_DST, d.y, p.diff_dst_desc(), false), side(DNNL_ARG_SRC, d.x, p.src_desc(), false),
           side(DNNL_ARG_DIFF_WEIGHTS, d.weight, p.diff_weights_desc(), true)},
          d.bias,
          p.scratchpad_desc()};
}

/// Making a primitive compiles code, so each shape keeps its own.
std::shared_ptr<const Primitive> cached(const ConvCall &c, Direction direction, int threads) {
  static std::mutex mutex;
  static auto &cache = *new std::map<Key, std::shared_ptr<const Primitive>>; // static objects may compute at the end
  constexpr size_t most = 512;
  Key key{direction, c.isImage, c.n, c.c, c.o, c.groups, c.bias != nullptr, threads};
  int64_t *at = key.data() + 8;
  for (const auto *numbers : {&c.in, &c.out, &c.kernel, &c.stride, &c.padding, &c.dilation})
    at = std::copy(std::begin(*numbers), std::end(*numbers), at);
  std::lock_guard lock(mutex);
  if (auto it = cache.find(key); it != cache.end()) return it->second;
  if (cache.size() >= most) cache.clear();
  return cache[key] = std::make_shared<const Primitive>(make(c, direction));
}

bool run(const ConvCall &c, Direction direction, std::array<void *, 3> data) try {
  const auto p = cached(c, direction, matchThreads());
  dnnl::stream stream(engine());
  const Workspace scratch(p->scratch.get_size());
  std::array<std::unique_ptr<Workspace>, 3> copies;
  std::unordered_map<int, memory> arguments;
  std::array<memory, 3> outside, inside;
  for (size_t i = 0; i < 3; ++i) {
    const Side &s = p->sides[i];
    outside[i] = memory(s.outside, engine(), data[i]);
    inside[i] = outside[i];
    if (s.isCopied()) {
      copies[i] = std::make_unique<Workspace>(s.inside.get_size());
      inside[i] = memory(s.inside, engine(), copies[i]->data());
      if (i < 2) s.reorder.execute(stream, outside[i], inside[i]);
    }
    arguments.emplace(s.argument, inside[i]);
  }
  if (c.bias && direction == Forward)
    arguments.emplace(DNNL_ARG_BIAS, memory(p->bias, engine(), const_cast<void *>(c.bias)));
  arguments.emplace(DNNL_ARG_SCRATCHPAD, memory(p->scratch, engine(), scratch.data()));
  p->run.execute(stream, arguments);
  if (copies[2]) p->sides[2].reorder.execute(stream, inside[2], outside[2]);
  stream.wait();
  return true;
} catch (const dnnl::error &) {
  return false;
}

} // namespace

bool conv(const ConvCall &c) { return run(c, Forward, {c.x, c.weight, c.y}); }
bool convInputGrad(const ConvCall &c) { return run(c, InputGrad, {c.y, c.weight, c.x}); }
bool convWeightGrad(const ConvCall &c) { return run(c, WeightGrad, {c.y, c.x, c.weight}); }

} // namespace tensorjit::eager::onednn
