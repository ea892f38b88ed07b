#include "../SameBits.h"
#include "Suite.h"

namespace device_suite {

void requireSame(const tj::Tensor &onDevice, const tj::Tensor &onCpu, const std::string &what) {
  require(onCpu.is_cpu(), what + ": the expected value is not on the CPU");
  require(onDevice.dtype() == onCpu.dtype() && onDevice.sizes() == onCpu.sizes(), what + ": another type");
  require(tj::test::sameBits(onDevice, onCpu), what + " differs");
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
