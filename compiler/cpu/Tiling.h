#pragma once
/// The register tile of a contraction: `rows` scalars of A against `vectors` registers of B. Shared by the schedule,
/// which packs B in panels of that width, and the code generator.
#include <cstdint>

namespace tensorjit::cpu {

struct ContractionTile {
  int64_t rows = 1;
  int64_t vectors = 1;
  int64_t panel = 1; ///< columns: vectors * lanes
};

/// The cheapest tile for results of rows x columns. `rows` is the size of the dim that is tiled: m of a matmul, the
/// output width of a convolution. `lanes` elements in each of `registers` vector registers.
ContractionTile contractionTile(int64_t rows, int64_t columns, int64_t lanes, int registers);

/// The same when the panel's width is given.
ContractionTile contractionTileOfPanel(int64_t rows, int64_t columns, int64_t vectors, int64_t lanes, int registers);

/// Estimated cycles of one step along the reduction.
double tileCycles(int64_t rows, int64_t vectors);
/// Most rows that keep all accumulators in registers.
int64_t maxTileRows(int64_t vectors, int registers);

} // namespace tensorjit::cpu
