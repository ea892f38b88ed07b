// The program's floating-point mode changes no result, in its own thread and in the pool's, and stays as it was.
#include "Work.h"

#include <cfenv>
#include <cmath>
#include <cstring>
#include <vector>
#include <xmmintrin.h>

namespace {

constexpr unsigned flushToZero = 0x8040;

struct Results {
  std::vector<tj::Tensor> tensors;
  explicit Results(tj::CompiledFunction<std::vector<tj::Tensor> (*)(const tj::Tensor &)> &compiled) {
    tj::manual_seed(1);
    const tj::Tensor x = tj::rand({1 << 18}) * 1e-3 + 1.f, tiny = tj::full({1 << 18}, 1e-39f);
    tensors = {x, tiny * 0.5f, tj::tensor({0.1, 1e-40}), (x / 3.f).sum(), tj::randn({1000}), x.to(tj::kFloat64) / 7.0};
    for (const tj::Tensor &in : {x, tiny})
      for (const tj::Tensor &out : compiled(in)) tensors.push_back(out);
    tj::Tensor inPlace = x.clone();
    inPlace.div_(3.f);
    tensors.push_back(inPlace);
    tensors.push_back(tj::matmul(x.reshape({512, 512}), x.reshape({512, 512})));
  }
};

void requireSame(const Results &a, const Results &b) {
  for (size_t i = 0; i < a.tensors.size(); ++i) {
    if (tj::equal(a.tensors[i], b.tensors[i])) continue;
    std::fprintf(stderr, "result %zu differs\n", i);
    _exit(1);
  }
}

} // namespace

int main() {
  auto compiled = tj::compile(
      +[](const tj::Tensor &x) {
        return std::vector<tj::Tensor>{x / 3.f, (x * 0.1f).exp()};
      },
      testOptions());
  auto later = tj::compile(
      +[](const tj::Tensor &x) {
        return std::vector<tj::Tensor>{x / 3.f, (x * 0.1f).exp()};
      },
      testOptions());
  tj::set_num_threads(2);
  const Results expected(compiled);
  for (int rounding : {FE_UPWARD, FE_TOWARDZERO, FE_TONEAREST})
    for (unsigned flush : {0u, flushToZero}) {
      std::fesetround(rounding);
      _mm_setcsr(_mm_getcsr() | flush);
      const unsigned before = _mm_getcsr();
      requireSame(Results(compiled), expected);
      requireSame(Results(later), expected); // first compiled in a mode of its own
      REQUIRE((_mm_getcsr() & ~0x3fu) == (before & ~0x3fu));
      REQUIRE(std::fegetround() == rounding);
      tj::set_num_threads(1);
      tj::set_num_threads(2); // new threads, made in this mode
      requireSame(Results(compiled), expected);
      std::fesetenv(FE_DFL_ENV);
    }
  // Traps that the program asks for are for its own code.
  _mm_setcsr(_mm_getcsr() & ~_MM_MASK_DIV_ZERO & ~_MM_MASK_INVALID);
  REQUIRE(std::isinf((tj::ones({1000}) / tj::zeros({1000})).sum().item()));
  requireSame(Results(compiled), expected);
}
