// Programs that no compiler made: PTX with bytes, words and lines changed. Whatever it is, loading answers with a
// result and running ends. MALFORMED_SEEDS=from:to runs others, MALFORMED_PRINT=file keeps the one that runs.
#include "Device.h"

#include <cstdlib>
#include <random>

namespace {

const char *const cuda = R"(
__device__ int depth(int n) { return n <= 0 ? 0 : 1 + depth(n - 1); }
__device__ __noinline__ float call(float x, float (*f)(float)) { return f(x); }
__device__ float half(float x) { return x / 2; }
__constant__ float table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__device__ int counter;
extern "C" __global__ void mixed(const float *x, float *y, int n, double scale) {
  __shared__ float tile[64];
  int local[9];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x % 64] = i < n ? x[i] : 0.f;
  __syncthreads();
  for (int k = 0; k < 9; ++k) local[k] = k * i % 7;
  float sum = tile[(threadIdx.x + 1) % 64] + table[i & 7] + local[i % 9] + depth(i % 5);
  switch (i % 6) {
  case 0: sum += sinf(sum); break;
  case 1: sum = call(sum, half); break;
  case 2: sum += __shfl_sync(__activemask(), sum, i % 32); break;
  case 3: sum -= (float)(scale * sum); break;
  case 4: sum += (float)((long long)sum / (i + 1)); break;
  default: atomicAdd(&counter, i);
  }
  float4 four = *(const float4 *)(x + i / 4 * 4);
  if (i < n) y[i] = sum + four.x + __ldg(x + i) + (float)__popc(i);
})";

const char *const matrix = R"(
__device__ unsigned place(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
extern "C" __global__ void mixed(const unsigned short *a, float *c, int n, double) {
  __shared__ __align__(16) unsigned short tile[2][16][16];
  const int lane = threadIdx.x;
  if (lane >= 32) return;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(place(&tile[0][lane / 2][lane % 2 * 8])), "l"(a + lane * 8) : "memory");
  asm volatile("cp.async.commit_group;\n cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  unsigned r[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(place(&tile[0][lane % 16][lane / 16 * 8])) : "memory");
  float d[4] = {0, 0, 0, 0};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%4,%5}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]));
  for (int k = 0; k < 4; ++k) if (lane * 4 + k < n) c[lane * 4 + k] = d[k];
})";

class Malformed : public Device {
protected:
  static void SetUpTestSuite() { // before the driver reads them
    setenv("CUDASIM_INSTRUCTION_LIMIT", "20000", 1);
    setenv("CUDASIM_REPORT", "/dev/null", 0);
  }
  using Engine = std::mt19937;
  static size_t below(Engine &engine, size_t n) { return n ? engine() % n : 0; }

  /// Splits at blanks and marks, which are kept: joined again they are the text.
  static std::vector<std::string> words(const std::string &text) {
    std::vector<std::string> out;
    for (char c : text) {
      const bool inWord = std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '%' || c == '$';
      const bool wasWord = !out.empty() && (std::isalnum(static_cast<unsigned char>(out.back().back())) ||
                                            std::strchr("_.%$", out.back().back()));
      if (inWord && wasWord) out.back() += c;
      else out.emplace_back(1, c);
    }
    return out;
  }

  static std::string mutate(const std::string &ptx, Engine &engine) {
    if (below(engine, 4) == 0) { // bytes
      std::string text = ptx;
      for (size_t k = 1 + below(engine, 4); k-- > 0;) {
        const size_t at = below(engine, text.size());
        switch (below(engine, 4)) {
        case 0: text[at] = static_cast<char>(1 + below(engine, 255)); break;
        case 1: text.erase(at, 1 + below(engine, 9)); break;
        case 2: text.insert(at, 1, text[below(engine, text.size())]); break;
        default:
          if (below(engine, 4) == 0) text.resize(at);
        }
        if (text.empty()) break;
      }
      return text;
    }
    std::vector<std::string> list = words(ptx);
    static const char *const strange[] = {"0",
                                          "-1",
                                          "4294967295",
                                          "18446744073709551615",
                                          "0x7fffffff",
                                          "2147483648",
                                          "0f7F800000",
                                          "1e999",
                                          "%r1",
                                          "%rd1",
                                          "%p1",
                                          "%f1",
                                          "{",
                                          "}",
                                          ";",
                                          "[",
                                          "]",
                                          ".b64",
                                          ".shared",
                                          ".param",
                                          "@%p1",
                                          "bra",
                                          "ret",
                                          "call",
                                          "65535",
                                          ".align",
                                          "ld.global.v4.u32"};
    for (size_t k = 1 + below(engine, 3); k-- > 0;) {
      const size_t at = below(engine, list.size());
      switch (below(engine, 5)) {
      case 0: list[at] = list[below(engine, list.size())]; break;
      case 1: list[at] = strange[below(engine, std::size(strange))]; break;
      case 2: list.erase(list.begin() + static_cast<long>(at)); break;
      case 3: std::swap(list[at], list[below(engine, list.size())]); break;
      default: { // a line again elsewhere
        const size_t from = ptx.rfind('\n', below(engine, ptx.size())), to = ptx.find('\n', from + 1);
        list[at] += from == ptx.npos || to == ptx.npos ? ";" : ptx.substr(from, to - from + 1);
      }
      }
    }
    std::string text;
    for (const std::string &w : list) text += w;
    return text;
  }

  /// Loads, and runs what loads, in a context of its own, which an error may cost.
  void tryProgram(const std::string &ptx) {
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    char log[256];
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
    if (cuModuleLoadDataEx(&module, ptx.c_str(), 2, options, values) != CUDA_SUCCESS) return;
    ++loaded_;
    if (cuModuleGetFunction(&function, module, "mixed") == CUDA_SUCCESS) {
      CUdeviceptr x = 0, y = 0;
      cuMemAlloc(&x, 1024);
      cuMemAlloc(&y, 1024);
      cuMemsetD8(x, 1, 1024);
      int n = 96;
      double scale = 0.5;
      void *parameters[] = {&x, &y, &n, &scale, &scale, &scale, &scale, &scale};
      cuLaunchKernel(function, 2, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr);
      ran_ += cuCtxSynchronize() == CUDA_SUCCESS;
    }
    TearDown();
    SetUp();
  }
  int loaded_ = 0, ran_ = 0;
};

} // namespace

TEST_F(Malformed, ChangedProgramsLoadOrAreRefusedAndEnd) {
  const char *given = std::getenv("MALFORMED_SEEDS"), *range = given ? given : "0:200";
  char *end = nullptr;
  const auto from = static_cast<unsigned>(std::strtoul(range, &end, 10));
  const auto to = *end ? static_cast<unsigned>(std::strtoul(end + 1, nullptr, 10)) : from + 1;
  for (const char *source : {cuda, matrix}) {
    const std::string ptx = compileCuda(source, "compute_80");
    tryProgram(ptx);
    ASSERT_EQ(ran_, 1) << "the program itself does not run";
    for (unsigned seed = from; seed < to; ++seed) {
      Engine engine(seed);
      const std::string changed = mutate(ptx, engine);
      if (std::getenv("MALFORMED_PRINT")) std::ofstream(std::getenv("MALFORMED_PRINT")) << changed;
      tryProgram(changed);
    }
    EXPECT_GT(loaded_, static_cast<int>(to - from) / 20) << "hardly any program was loaded";
    EXPECT_LT(loaded_, static_cast<int>(to - from)) << "nothing was refused";
    loaded_ = ran_ = 0;
  }
}

TEST_F(Malformed, EveryPrefixIsRefusedOrLoads) {
  const std::string ptx = compileCuda(matrix, "compute_80");
  for (size_t length = 0; length < ptx.size(); length += 7) {
    CUmodule module = nullptr;
    if (cuModuleLoadData(&module, ptx.substr(0, length).c_str()) == CUDA_SUCCESS) cuModuleUnload(module);
  }
}

TEST_F(Malformed, VariablesOfMoreBytesThanADeviceHasAreRefused) {
  auto load = [](const std::string &body) {
    const std::string ptx =
        ".version 9.0\n.target sm_80\n.address_size 64\n.visible .entry mixed() {\n" + body + "ret;\n}\n";
    CUmodule module = nullptr;
    const CUresult result = cuModuleLoadData(&module, ptx.c_str());
    if (module) cuModuleUnload(module);
    return result;
  };
  EXPECT_EQ(load(".local .b8 x[4096];\n"), CUDA_SUCCESS);
  EXPECT_EQ(load(".local .b8 x[2147483648];\n"), CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(load(".local .b8 x[500000];\n.local .b8 y[500000];\n"), CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(load(".shared .b8 x[4294967296];\n"), CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(load(".shared .align 3 .b8 x[16];\n"), CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(load("{ .param .b8 p[4000000000]; }\n"), CUDA_ERROR_INVALID_PTX);
}

TEST_F(Malformed, OperandsInOperandsEnd) {
  const std::string start = ".version 9.0\n.target sm_80\n.address_size 64\n.visible .entry mixed() { mov.b64 %rd1, ";
  for (char mark : {'{', '!', '['}) {
    CUmodule module = nullptr;
    EXPECT_EQ(cuModuleLoadData(&module, (start + std::string(1000000, mark)).c_str()), CUDA_ERROR_INVALID_PTX);
  }
}
