#include "Expected.h"

#include <sstream>

namespace device_suite {

void requireResults(tj::Device d, const Tensors &inputs, const Results &f, const Tensors &expected, double tolerance) {
  const Tensors own = moved(inputs, d);
  auto compiled = tj::compile([&](const Tensors &x) { return f(x); });
  for (int call = 0; call < 4; ++call) {
    const Tensors results = call == 0 ? f(own) : compiled(own);
    require(results.size() == expected.size(), "another number of results");
    for (size_t i = 0; i < results.size(); ++i) {
      const tj::Tensor y = results[i].detach().cpu(), &e = expected[i];
      std::ostringstream what;
      what << "result " << i << (call ? ", compiled" : ", eager") << ": ";
      if (y.numel() <= 64) what << y << ", expected " << e;
      if (tolerance) requireClose(y, e, what.str(), tolerance, 0);
      else requireSame(y, e, what.str());
    }
  }
}

static tj::Tensor repeated(const tj::Tensor &t, int64_t n) {
  if (t.dim() == 0) return t;
  return tj::index_select(t, 0, tj::remainder(tj::arange(n), t.size(0)));
}

void requireAtLengths(tj::Device d, const Tensors &inputs, const Results &f, const Tensors &expected,
                      double tolerance) {
  Tensors x, y;
  for (int64_t n : {1, 3, 8, 17, 64, 1000}) {
    for (const tj::Tensor &t : inputs) x.push_back(repeated(t, n));
    for (const tj::Tensor &t : expected) y.push_back(repeated(t, n));
  }
  // One function for all lengths: it is compiled once.
  const Results atAllLengths = [&](const Tensors &all) {
    Tensors results;
    for (auto own = all.begin(); own != all.end(); own += static_cast<int64_t>(inputs.size()))
      for (const tj::Tensor &t : f(Tensors(own, own + static_cast<int64_t>(inputs.size())))) results.push_back(t);
    return results;
  };
  requireResults(d, x, atAllLengths, y, tolerance);
}

} // namespace device_suite
