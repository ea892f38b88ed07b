// Contractions of f32 and f64: 16 by 16 threads, each with a part of the tile in registers.
#include "cuda/form/TiledContraction.h"

#include "cuda/Program.h"
#include "cuda/ScalarText.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tensorjit::cuda {

/// Steps of the reduced dims that are staged at once.
static constexpr int64_t step = 16;
/// The block's threads are a square.
static constexpr int64_t side = 16;

static std::string str(int64_t value) { return std::to_string(value); }

namespace {

class PlainContraction final : public TiledContraction {
public:
  PlainContraction(Contraction contraction, int64_t ownRows, int64_t ownColumns)
      : TiledContraction(std::move(contraction), {side * ownRows, side * ownColumns}, step), ownRows_(ownRows),
        ownColumns_(ownColumns) {}

private:
  ThreadResults results() const override;
  void defineThread(BodyText &text) const override {
    text.line("const int tx = threadIdx.x % " + str(side) + ", ty = threadIdx.x / " + str(side) + ";");
  }
  std::string stageFunction(bool isA) const override {
    return "stageQuads<" + str(isA ? tile_.rows : tile_.columns) + ", " +
           (staging(isA).alongReduced ? "true" : "false") + ">";
  }
  std::string multiplyFunction() const override { return "multiplyStage"; }

  int64_t ownRows_, ownColumns_; ///< results of a thread
};

} // namespace

/// In runs of up to four neighbours.
ThreadResults PlainContraction::results() const {
  int64_t rows = std::min<int64_t>(ownRows_, 4), columns = std::min<int64_t>(ownColumns_, 4);
  auto at = [&](const char *first, const char *group, const char *thread, int64_t width) {
    return std::string(first) + " + " + group + " * " + str(side * width) + " + " + thread + " * " + str(width);
  };
  return {
      ownRows_ / rows, rows, ownColumns_ / columns, columns, at("m0", "h", "ty", rows), at("n0", "g", "tx", columns)};
}

// A stage is [step][row], then [step][column]. Four steps are turned by 8 elements against the next four, so that
// neither writing an operand that was read along the reduced dims nor reading meets a bank twice.
const char *contractionPrelude() {
  return R"(// The four elements that each thread has of each 1024 of a tile go to shared memory: neighbours in a row of it or,
// of an operand that was read along the reduced dims, below one another.
template <int Tile, bool AlongReduced, int Quads, class T> __device__ void stageQuads(T *to, const Vec<T, 4> (&quads)[Quads]) {
#pragma unroll
  for (int q = 0; q < Quads; ++q) {
    const int quad = q * 256 + threadIdx.x;
    if (quad >= Tile * 4) return;
    if (AlongReduced) {
      const int at = quad / 4, k = quad % 4 * 4;
#pragma unroll
      for (int i = 0; i < 4; ++i) to[(k + i) * Tile + (at ^ k * 2)] = quads[q][i];
    } else {
      const int at = quad % (Tile / 4) * 4, k = quad / (Tile / 4);
      store(to + k * Tile + (at ^ k / 4 * 8), quads[q]);
    }
  }
}

// A thread's part of a row of a stage, in runs of up to four.
template <int Own, class T> __device__ void readRuns(T (&own)[Own], const T *row, int thread, int turn) {
  constexpr int width = Own < 4 ? Own : 4;
#pragma unroll
  for (int run = 0; run < Own / width; ++run) {
    const auto part = load<width>(row + ((run * 16 * width + thread * width) ^ turn));
#pragma unroll
    for (int i = 0; i < width; ++i) own[run * width + i] = part[i];
  }
}

__device__ inline float multiplyAdd(float a, float b, float c) { return fmaf(a, b, c); }
__device__ inline double multiplyAdd(double a, double b, double c) { return fma(a, b, c); }

// Adds the products of 16 steps; the threads are 16 by 16.
template <int Rows, int Columns, class T> __device__ void multiplyStage(T (&sum)[Rows][Columns], const T *stage) {
  // More of it unrolled is no faster and takes long to compile.
#pragma unroll 1
  for (int k = 0; k < 16; k += 4)
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      T rows[Rows], columns[Columns];
      readRuns(rows, stage + (k + i) * 16 * Rows, threadIdx.x / 16, k * 2);
      readRuns(columns, stage + 256 * Rows + (k + i) * 16 * Columns, threadIdx.x % 16, k * 2);
#pragma unroll
      for (int m = 0; m < Rows; ++m)
#pragma unroll
        for (int n = 0; n < Columns; ++n) sum[m][n] = multiplyAdd(rows[m], columns[n], sum[m][n]);
    }
}

)";
}

// About the time of a tile's multiply-adds and accesses, over all tiles that a multiprocessor gets.
static double cost(const Contraction &c, int64_t rows, int64_t columns) {
  int64_t tiles = c.points(c.batch) * llvm::divideCeil(c.points(c.rows), side * rows) *
                  llvm::divideCeil(c.points(c.columns), side * columns);
  double tile = double(rows * columns) + 1.5 * double(rows + columns) + 2;
  return tile * double(llvm::divideCeil(tiles, multiprocessors));
}

std::unique_ptr<Form> makePlainContraction(Contraction c) {
  bool isDouble = kernel::ReduceOp(c.sum).getType().isF64();
  int64_t bestRows = 0, bestColumns = 0;
  double best = 0;
  for (int64_t rows : {8, 4, 2})
    for (int64_t columns : {8, 4, 2}) {
      if (isDouble && (rows > 4 || columns > 4)) continue;
      double now = cost(c, rows, columns);
      if (bestRows && now >= best) continue;
      best = now;
      bestRows = rows;
      bestColumns = columns;
    }
  c.splitColumns(std::min<int64_t>(bestColumns, 4));
  return std::make_unique<PlainContraction>(std::move(c), bestRows, bestColumns);
}

} // namespace tensorjit::cuda
