#include "Suite.h"

#include <cmath>
#include <cstring>

namespace device_suite {

static bool sameBits(const tj::Tensor &a, const tj::Tensor &b) {
  if (!tj::isFloat(a.dtype())) return tj::equal(a, b);
  const tj::Tensor x = a.to(tj::kDouble).contiguous(), y = b.to(tj::kDouble).contiguous();
  for (int64_t i = 0; i < x.numel(); ++i) {
    const double p = x.data_ptr<double>()[i], q = y.data_ptr<double>()[i];
    if (!(std::isnan(p) && std::isnan(q)) && std::memcmp(&p, &q, sizeof p)) return false;
  }
  return true;
}

void requireSame(const tj::Tensor &onDevice, const tj::Tensor &onCpu, const std::string &what) {
  require(onCpu.is_cpu(), what + ": the expected value is not on the CPU");
  require(onDevice.dtype() == onCpu.dtype() && onDevice.sizes() == onCpu.sizes(), what + ": another type");
  require(sameBits(onDevice, onCpu), what + " differs");
}

void requireClose(const tj::Tensor &onDevice, const tj::Tensor &onCpu, const std::string &what, double rtol,
                  double atol) {
  require(onDevice.dtype() == onCpu.dtype() && onDevice.sizes() == onCpu.sizes(), what + ": another type");
  require(tj::allclose(onDevice, onCpu, rtol, atol, true), what + " differs");
}

std::vector<tj::Tensor> moved(const std::vector<tj::Tensor> &tensors, tj::Device d) {
  std::vector<tj::Tensor> y;
  for (const tj::Tensor &t : tensors) y.push_back(t.to(d));
  return y;
}

} // namespace device_suite
