// Tensor-core instructions and asynchronous copies, against products computed on the host.
#include "Device.h"

#include <cmath>
#include <random>

namespace {

using Matrix = Device;

uint16_t brain(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
/// Small integers: every sum is exact, so the results are equal to the bit whatever the order.
std::vector<float> smallIntegers(size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<float> out(count);
  for (float &v : out) v = static_cast<float>(static_cast<int>(engine() % 17) - 8);
  return out;
}
template <class T, class F> std::vector<T> converted(const std::vector<float> &v, F f) {
  std::vector<T> out;
  for (float x : v) out.push_back(static_cast<T>(f(x)));
  return out;
}
std::vector<float> product(const std::vector<float> &a, const std::vector<float> &b, int m, int n,
                           int k) { // b is n x k
  std::vector<float> c(m * n, 0.f);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      for (int x = 0; x < k; ++x) c[i * n + j] += a[i * k + x] * b[j * k + x];
  return c;
}

const char *const gemm = R"(
__device__ unsigned place(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
// C[16 x 8] = A[16 x K] * B[8 x K]^T through cp.async, ldmatrix and mma.
extern "C" __global__ void gemm(const unsigned short *a, const unsigned short *b, float *c, int K) {
  __shared__ __align__(16) unsigned short ta[2][16][16], tb[2][8][16];
  int lane = threadIdx.x;
  auto fetch = [&](int k, int stage) {
    int row = lane / 2, half = lane % 2 * 8;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(place(&ta[stage][row][half])), "l"(a + row * K + k + half) : "memory");
    if (row < 8) asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" :: "r"(place(&tb[stage][row][half])), "l"(b + row * K + k + half) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  float d[4] = {0, 0, 0, 0};
  fetch(0, 0);
  for (int k = 0, stage = 0; k < K; k += 16, stage ^= 1) {
    if (k + 16 < K) { fetch(k + 16, stage ^ 1); asm volatile("cp.async.wait_group 1;" ::: "memory"); }
    else asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    unsigned ra[4], rb[2];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3]) : "r"(place(&ta[stage][lane % 16][lane / 16 * 8])) : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(rb[0]), "=r"(rb[1]) : "r"(place(&tb[stage][lane % 8][lane / 8 % 2 * 8])) : "memory");
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
    __syncthreads();
  }
  int row = lane / 4, column = lane % 4 * 2;
  c[row * 8 + column] = d[0]; c[row * 8 + column + 1] = d[1];
  c[(row + 8) * 8 + column] = d[2]; c[(row + 8) * 8 + column + 1] = d[3];
})";

TEST_F(Matrix, PipelinedProductInBf16) {
  const int K = 80;
  auto a = smallIntegers(16 * K, 1), b = smallIntegers(8 * K, 2);
  CUfunction f = compile(gemm, "gemm");
  CUdeviceptr pa = upload(converted<uint16_t>(a, brain)), pb = upload(converted<uint16_t>(b, brain)),
              pc = allocate(16 * 8 * 4);
  ASSERT_EQ(run(f, {1}, {32}, 0, pa, pb, pc, K), CUDA_SUCCESS);
  EXPECT_EQ(download<float>(pc, 128), product(a, b, 16, 8, K));
}

TEST_F(Matrix, ASkippedWaitIsFound) {
  if (!isStandIn()) GTEST_SKIP();
  std::string broken = gemm;
  broken.replace(broken.find("wait_group 1"), 12, "wait_group 2");
  CUfunction f = compile(broken, "gemm");
  auto a = converted<uint16_t>(smallIntegers(16 * 32, 1), brain);
  CUdeviceptr pa = upload(a), pc = allocate(512);
  EXPECT_EQ(run(f, {1}, {32}, 0, pa, pa, pc, 32), CUDA_ERROR_LAUNCH_FAILED);
}

/// One mma on matrices that every lane gathers from memory as the PTX manual lays the fragments out.
struct Mma {
  const char *opcode, *element; ///< element: the C++ type in memory
  int k, perRegister, aRegisters, bRegisters;
  const char *accumulator, *constraint;
};
class MmaShapes : public Device, public ::testing::WithParamInterface<Mma> {};

TEST_P(MmaShapes, MatchesTheHost) {
  const Mma &p = GetParam();
  auto n = [](int v) { return std::to_string(v); };
  std::string a, b, names;
  for (int r = 0; r < p.aRegisters; ++r) a += (r ? ",%" : "%") + n(4 + r);
  for (int r = 0; r < p.bRegisters; ++r) b += (r ? ",%" : "%") + n(4 + p.aRegisters + r);
  for (int r = 0; r < p.aRegisters; ++r) names += std::string(r ? ", " : "") + "\"r\"(ra[" + n(r) + "])";
  for (int r = 0; r < p.bRegisters; ++r) names += ", \"r\"(rb[" + n(r) + "])";
  std::string acc = p.accumulator, e = p.element, per = n(p.perRegister), k = n(p.k);
  std::string source = "extern \"C\" __global__ void k(const " + e + " *a, const " + e + " *b, " + acc +
                       " *c) {\n"
                       "  int lane = threadIdx.x, g = lane / 4, t = lane % 4; union R { unsigned v; " +
                       e + " e[" + per +
                       "]; };\n"
                       "  unsigned ra[4], rb[2]; R r;\n"
                       "  for (int i = 0; i < " +
                       n(p.aRegisters) + "; ++i) { for (int x = 0; x < " + per +
                       "; ++x) r.e[x] = a[(g + 8 * (i % 2)) * " + k + " + (i / 2) * 4 * " + per + " + t * " + per +
                       " + x]; ra[i] = r.v; }\n"
                       "  for (int i = 0; i < " +
                       n(p.bRegisters) + "; ++i) { for (int x = 0; x < " + per + "; ++x) r.e[x] = b[g * " + k +
                       " + i * 4 * " + per + " + t * " + per +
                       " + x]; rb[i] = r.v; }\n"
                       "  " +
                       acc +
                       " d[4] = {1, 2, 3, 4};\n"
                       "  asm volatile(\"" +
                       p.opcode + " {%0,%1,%2,%3}, {" + a + "}, {" + b + "}, {%0,%1,%2,%3};\" : \"+" + p.constraint +
                       "\"(d[0]), \"+" + p.constraint + "\"(d[1]), \"+" + p.constraint + "\"(d[2]), \"+" +
                       p.constraint + "\"(d[3]) : " + names +
                       ");\n"
                       "  for (int i = 0; i < 4; ++i) c[(g + 8 * (i / 2)) * 8 + t * 2 + i % 2] = d[i];\n}\n";
  CUfunction f = compile(source, "k");
  ASSERT_TRUE(f) << source;
  auto va = smallIntegers(static_cast<size_t>(16 * p.k), 3), vb = smallIntegers(static_cast<size_t>(8 * p.k), 4);
  auto expected = product(va, vb, 16, 8, p.k);
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column) expected[row * 8 + column] += 1 + column % 2 + 2 * (row / 8);
  auto send = [&](const std::vector<float> &v) {
    if (e == "float") return upload(v);
    if (e == "signed char") return upload(converted<int8_t>(v, [](float x) { return x; }));
    if (std::string(p.opcode).find("bf16") != std::string::npos) return upload(converted<uint16_t>(v, brain));
    return upload(converted<uint16_t>(v, [](float x) { // f16 of a small integer
      int m = static_cast<int>(std::fabs(x)), exponent = m ? 31 - __builtin_clz(m) : 0;
      return m ? (x < 0 ? 0x8000 : 0) | (exponent + 15) << 10 | ((m << 10 >> exponent) & 1023) : 0;
    }));
  };
  CUdeviceptr pa = send(va), pb = send(vb), pc = allocate(512);
  ASSERT_EQ(run(f, {1}, {32}, 0, pa, pb, pc), CUDA_SUCCESS);
  for (int i = 0; i < 128; ++i) {
    float got = acc == "int" ? static_cast<float>(download<int>(pc, 128)[i]) : download<float>(pc, 128)[i];
    ASSERT_EQ(got, expected[i]) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, MmaShapes,
    ::testing::Values(
        Mma{"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "unsigned short", 16, 2, 4, 2, "float", "f"},
        Mma{"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", "unsigned short", 8, 2, 2, 1, "float", "f"},
        Mma{"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", "unsigned short", 8, 2, 2, 1, "float", "f"},
        Mma{"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "float", 8, 1, 4, 2, "float", "f"},
        Mma{"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", "float", 4, 1, 2, 1, "float", "f"},
        Mma{"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", "signed char", 32, 4, 4, 2, "int", "r"},
        Mma{"mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32", "signed char", 16, 4, 2, 1, "int", "r"}));

TEST_F(Matrix, TransposesWhileLoadingAndStoring) {
  CUfunction f =
      compile(R"(extern "C" __global__ void k(const unsigned short *x, unsigned short *y, unsigned short *z) {
    __shared__ __align__(16) unsigned short s[64], t[64];
    s[threadIdx.x] = x[threadIdx.x]; s[threadIdx.x + 32] = x[threadIdx.x + 32];
    __syncwarp();
    unsigned r, from = (unsigned)__cvta_generic_to_shared(s + threadIdx.x % 8 * 8), to = (unsigned)__cvta_generic_to_shared(t + threadIdx.x % 8 * 8);
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(from) : "memory");
    ((unsigned *)y)[threadIdx.x] = r;
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" :: "r"(to), "r"(r) : "memory");
    __syncwarp();
    z[threadIdx.x] = t[threadIdx.x]; z[threadIdx.x + 32] = t[threadIdx.x + 32];
  })",
              "k");
  std::vector<uint16_t> x(64), transposed(64);
  for (int i = 0; i < 64; ++i) x[i] = static_cast<uint16_t>(i * 37);
  for (int i = 0; i < 64; ++i) transposed[i] = x[i % 8 * 8 + i / 8];
  CUdeviceptr px = upload(x), py = allocate(128), pz = allocate(128);
  ASSERT_EQ(run(f, {1}, {32}, 0, px, py, pz), CUDA_SUCCESS);
  EXPECT_EQ(download<uint16_t>(py, 64), transposed);
  EXPECT_EQ(download<uint16_t>(pz, 64), transposed);
}

} // namespace
