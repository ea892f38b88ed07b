// Contractions of f16 and bf16 on tensor cores: 8 warps, each with a part of the tile as fragments of 16 by 8 sums in
// f32. What is staged lies along the dim along which it was read; ldmatrix turns it where that is not the reduced one.
#include "cuda/form/TiledContraction.h"

#include "cuda/Program.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tensorjit::cuda {

/// Steps of the reduced dims that are staged at once: two of mma.sync.
static constexpr int64_t step = 32;

static std::string str(int64_t value) { return std::to_string(value); }

namespace {

class TensorCoreContraction final : public TiledContraction {
public:
  TensorCoreContraction(Contraction contraction, ContractionTile tile)
      : TiledContraction(std::move(contraction), tile, step) {}

private:
  int64_t warpsAcross() const { return tile_.rows > tile_.columns ? 2 : 4; }
  int64_t warpRows() const { return tile_.rows / (8 / warpsAcross()); }
  int64_t warpColumns() const { return tile_.columns / warpsAcross(); }

  ThreadResults results() const override {
    return {warpRows() / 8, 1, warpColumns() / 16, 4, "m0 + warpRow + h * 8", "n0 + warpColumn + g * 16"};
  }
  void defineThread(BodyText &text) const override {
    text.line("const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;");
    text.line("const int warpRow = warp / " + str(warpsAcross()) + " * " + str(warpRows()) + " + lane / 4;");
    text.line("const int warpColumn = warp % " + str(warpsAcross()) + " * " + str(warpColumns()) +
              " + lane % 2 * 8 + lane % 4 / 2 * 4;");
  }
  std::string stageFunction(bool isA) const override {
    return "stageMatrix<" + str(isA ? tile_.rows : tile_.columns) + ", " + along(isA) + ">";
  }
  std::string multiplyFunction() const override {
    return "multiplyMatrices<" + str(tile_.rows) + ", " + str(tile_.columns) + ", " + along(true) + ", " +
           along(false) + ">";
  }
  void finish(BodyText &text) const override { text.line("joinRuns(sum);"); }
  const char *along(bool isA) const { return staging(isA).alongReduced ? "true" : "false"; }
};

} // namespace

// A row of a stage is 32 steps of the reduced dims at one place of an operand, or one step at all places of the tile.
// Its vectors of eight are turned against those of the rows around it, so that neither writing them nor ldmatrix, which
// reads one of each of eight rows, meets a bank twice.
const char *tensorCorePrelude() {
  return R"(// Where a vector of eight lies in rows of Row vectors.
template <int Row> __device__ int placeOf(int row, int vector) {
  return 8 * (row * Row + (vector ^ (Row < 8 ? row / 2 % 4 : row % 8)));
}

template <int Tile, bool AlongReduced, int Count, class T> __device__ void stageMatrix(T *to, const Vec<T, 8> (&vectors)[Count]) {
  constexpr int row = AlongReduced ? 4 : Tile / 8;
#pragma unroll
  for (int q = 0; q < Count; ++q) {
    const int vector = q * 256 + threadIdx.x;
    if (vector >= Tile * 4) return;
    store(to + placeOf<row>(vector / row, vector % row), vectors[q]);
  }
}

// Four matrices of 8 by 8; each thread names a row of one.
template <bool Turned, class T> __device__ void loadMatrices(unsigned (&to)[4], const T *row) {
  const unsigned at = (unsigned)__cvta_generic_to_shared(row);
  if (Turned)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(at) : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(at) : "memory");
}

#define MULTIPLY_FRAGMENTS(type)                                                                       \
  asm("mma.sync.aligned.m16n8k16.row.col.f32." type "." type ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, " \
      "{%8, %9}, {%0, %1, %2, %3};"                                                                    \
      : "+f"(upper[0]), "+f"(upper[1]), "+f"(lower[0]), "+f"(lower[1])                                 \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
__device__ inline void multiplyFragments(float *upper, float *lower, const unsigned *a, const unsigned *b, const Half *) {
  MULTIPLY_FRAGMENTS("f16");
}
__device__ inline void multiplyFragments(float *upper, float *lower, const unsigned *a, const unsigned *b, const BFloat *) {
  MULTIPLY_FRAGMENTS("bf16");
}
#undef MULTIPLY_FRAGMENTS

// Adds the products of 32 steps. A thread has pairs of sums, in each second row those of eight rows further down.
template <int TileRows, int TileColumns, bool RowsAlongReduced, bool ColumnsAlongReduced, int Rows, int Columns, class T>
__device__ void multiplyMatrices(float (&sum)[Rows][Columns], const T *stage) {
  constexpr int across = TileColumns / (Columns * 4);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int m0 = warp / across * (Rows * 8), n0 = warp % across * (Columns * 4);
  const T *const second = stage + TileRows * 32;
#pragma unroll
  for (int k = 0; k < 32; k += 16) {
    unsigned a[Rows / 2][4];
#pragma unroll
    for (int i = 0; i < Rows / 2; ++i) {
      const int m = m0 + i * 16;
      loadMatrices<!RowsAlongReduced>(
          a[i], stage + (RowsAlongReduced ? placeOf<4>(m + lane % 16, k / 8 + lane / 16)
                                          : placeOf<TileRows / 8>(k + lane / 16 * 8 + lane % 8, m / 8 + lane / 8 % 2)));
    }
#pragma unroll
    for (int j = 0; j < Columns; j += 4) {
      const int n = n0 + j * 4;
      unsigned b[4];
      loadMatrices<!ColumnsAlongReduced>(
          b, second + (ColumnsAlongReduced ? placeOf<4>(n + lane / 16 * 8 + lane % 8, k / 8 + lane / 8 % 2)
                                           : placeOf<TileColumns / 8>(k + lane % 16, n / 8 + lane / 16)));
#pragma unroll
      for (int i = 0; i < Rows / 2; ++i)
#pragma unroll
        for (int h = 0; h < 2; ++h)
          multiplyFragments(sum[2 * i] + j + 2 * h, sum[2 * i + 1] + j + 2 * h, a[i], b + 2 * h, stage);
    }
  }
}

// Of two fragments beside each other, neighbouring threads have two sums of a row each; then each has four of one.
template <int Rows, int Columns> __device__ void joinRuns(float (&sum)[Rows][Columns]) {
  const bool odd = threadIdx.x % 2;
#pragma unroll
  for (int i = 0; i < Rows; ++i)
#pragma unroll
    for (int j = 0; j < Columns; j += 4) {
      float *const run = sum[i] + j;
      const float first = shuffle(odd ? run[0] : run[2], 1), second = shuffle(odd ? run[1] : run[3], 1);
      run[0] = odd ? first : run[0];
      run[1] = odd ? second : run[1];
      run[2] = odd ? run[2] : first;
      run[3] = odd ? run[3] : second;
    }
}

)";
}

// About the time of a tile's products and accesses, over all tiles that a multiprocessor gets.
static double cost(const Contraction &c, ContractionTile tile) {
  int64_t tiles = c.points(c.batch) * llvm::divideCeil(c.points(c.rows), tile.rows) *
                  llvm::divideCeil(c.points(c.columns), tile.columns);
  double time = double(tile.rows * tile.columns) / 256 + 0.25 * double(tile.rows + tile.columns) + 4;
  return time * double(llvm::divideCeil(tiles, multiprocessors));
}

std::unique_ptr<Form> makeTensorCoreContraction(Contraction c) {
  ContractionTile best{128, 128};
  for (ContractionTile tile : {ContractionTile{128, 64}, {64, 128}, {64, 64}, {64, 32}, {32, 64}})
    if (cost(c, tile) < cost(c, best)) best = tile;
  c.splitColumns(4);
  return std::make_unique<TensorCoreContraction>(std::move(c), best);
}

} // namespace tensorjit::cuda
