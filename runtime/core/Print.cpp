#include "core/HalfBits.h"
#include "core/TensorAccess.h"
#include "device/Transfer.h"
#include "eager/Copy.h"
#include "tensorjit/creation.h"
#include "trace/Recorder.h"

#include <ostream>
#include <sstream>

namespace tensorjit {

namespace {

/// Significant digits.
int precisionOf(DType t) {
  switch (t) {
  case DType::F16: return 5;
  case DType::BF16: return 4;
  case DType::F64: return 16;
  default: return 7;
  }
}

struct Printer {
  std::ostream &os;
  const Shape &sizes;
  DType dtype;
  const char *data;
  static constexpr int64_t edge = 4; ///< elements shown at each end of a long dim

  void element(int64_t at) {
    switch (dtype) {
    case DType::Bool: os << (data[at] ? "true" : "false"); break;
    case DType::U8: os << int(reinterpret_cast<const uint8_t *>(data)[at]); break;
    case DType::I8: os << int(reinterpret_cast<const int8_t *>(data)[at]); break;
    case DType::I16: os << reinterpret_cast<const int16_t *>(data)[at]; break;
    case DType::F16: os << halfToFloat(reinterpret_cast<const uint16_t *>(data)[at]); break;
    case DType::BF16: os << bfloatToFloat(reinterpret_cast<const uint16_t *>(data)[at]); break;
    case DType::I32: os << reinterpret_cast<const int32_t *>(data)[at]; break;
    case DType::I64: os << reinterpret_cast<const int64_t *>(data)[at]; break;
    case DType::F32: os << reinterpret_cast<const float *>(data)[at]; break;
    default: os << reinterpret_cast<const double *>(data)[at]; break;
    }
  }

  void dim(size_t d, int64_t at, int64_t inner) {
    if (d == sizes.rank()) return element(at);
    const int64_t n = sizes[d], step = n ? inner / n : 0;
    const bool last = d + 1 == sizes.rank();
    os << '[';
    for (int64_t i = 0; i < n; ++i) {
      if (i) os << (last ? ", " : ",\n" + std::string(d + 1, ' '));
      if (n > 4 * edge && i == edge) {
        os << "...";
        i = n - edge - 1;
        continue;
      }
      dim(d + 1, at + i * step, step);
    }
    os << ']';
  }
};

} // namespace

std::ostream &operator<<(std::ostream &os, const Tensor &t) {
  if (!t.defined()) return os << "undefined tensor";
  trace::materialise(t, "print", SourceLocation::current());
  std::vector<char> dense(static_cast<size_t>(t.numel()) * itemSize(t.dtype()));
  eager::copyToDense(viewOf(device::onHost(t)), dense.data());
  std::ostringstream text;
  text.imbue(std::locale::classic()); // not the program's
  text.precision(precisionOf(t.dtype()));
  Printer{text, t.sizes(), t.dtype(), dense.data()}.dim(0, 0, t.numel());
  os << text.str() << ' ' << name(t.dtype()) << t.sizes().str();
  return t.is_cpu() ? os : os << ' ' << t.device().str();
}

} // namespace tensorjit
