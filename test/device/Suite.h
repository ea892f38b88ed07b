#pragma once
/// What every device has to do, case by case. A device lists what it cannot do, with the reason; a case in the list
/// that passes after all is a failure too, so that no list outlives its reason.
#include "tensorjit/tensorjit.h"

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace device_suite {

namespace tj = tensorjit;

struct Failed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void require(bool holds, const std::string &what) {
  if (!holds) throw Failed(what);
}

/// Runs `body`, which must throw `E`, and returns the text.
template <class E> std::string thrownBy(const std::function<void()> &body) {
  try {
    body();
  } catch (const E &e) {
    return e.what();
  }
  throw Failed("nothing was thrown");
}

inline void requireContains(const std::string &text, const std::string &part) {
  require(text.find(part) != text.npos, "'" + part + "' is missing in: " + text);
}

/// Same dtype, sizes and bits on both devices; any NaN is any other.
void requireSame(const tj::Tensor &onDevice, const tj::Tensor &onCpu, const std::string &what);
void requireClose(const tj::Tensor &onDevice, const tj::Tensor &onCpu, const std::string &what, double rtol = 1e-5,
                  double atol = 1e-6);

std::vector<tj::Tensor> moved(const std::vector<tj::Tensor> &tensors, tj::Device d);

struct Case {
  const char *name;
  void (*run)(tj::Device);
};

/// The cases of each file; those of the last two lines are named after public reports of what other systems got wrong.
extern const std::vector<Case> copyCases, opCases, trainingCases, streamCases, interopCases;
extern const std::vector<Case> pointwiseCases, roundingCases, reductionCases;
extern const std::vector<Case> shapeCases, productCases, gradientCases;

/// Names of cases and why the device cannot do them.
std::map<std::string, std::string> cannot(tj::Device device);

} // namespace device_suite
