#include "eager/onednn/Convolution.h"

#include <algorithm>
#include <dnnl.hpp>
#include <omp.h>

namespace tensorjit::eager::onednn {

static const ContractionHost *runtime = nullptr;

const ContractionHost &host() { return *runtime; }

int matchThreads() {
  static thread_local int set = 0;
  if (const int n = host().numThreads(); n != set) omp_set_num_threads(set = n);
  return set;
}

static bool gemm(const GemmCall &g) {
  matchThreads();
  const char ta = g.aColumn == 1 ? 'N' : 'T', tb = g.bColumn == 1 ? 'N' : 'T';
  const int64_t lda = ta == 'N' ? g.aRow : g.aColumn, ldb = tb == 'N' ? g.bRow : g.bColumn;
  float beta = 0;
  if (g.bias) {
    for (int64_t i = 0; i < g.m; ++i) std::copy_n(g.bias, g.n, g.c + i * g.n);
    beta = 1;
  }
  return dnnl_sgemm(ta, tb, g.m, g.n, g.k, 1.0f, g.a, lda, g.b, ldb, beta, g.c, g.n) == dnnl_success;
}

} // namespace tensorjit::eager::onednn

extern "C" const tensorjit::eager::ContractionLibrary *
tensorjitContractionLibrary(const tensorjit::eager::ContractionHost *host) {
  using namespace tensorjit::eager;
  onednn::runtime = host;
  static const ContractionLibrary library{onednn::gemm, onednn::conv, onednn::convInputGrad, onednn::convWeightGrad};
  return &library;
}
