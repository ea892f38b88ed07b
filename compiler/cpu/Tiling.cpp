#include "cpu/Tiling.h"

#include <algorithm>

namespace tensorjit::cpu {

// Two multiply-adds and two loads a cycle, four cycles of latency; loads that hit the first-level cache hide almost
// completely behind the multiply-adds, B's come from further away.
double tileCycles(int64_t rows, int64_t vectors) {
  double multiplies = rows * vectors / 2.0, loads = (rows + vectors) / 2.0;
  return std::max({multiplies, loads, 4.0}) + 0.35 * loads + 0.25 * vectors;
}

int64_t maxTileRows(int64_t vectors, int registers) {
  // One register holds the scalar of A.
  return std::clamp<int64_t>((registers - 1 - vectors) / vectors, 1, 16);
}

static int64_t divideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

static double panelCycles(int64_t rows, int64_t tileRows, int64_t vectors) {
  double cycles = rows / tileRows * tileCycles(tileRows, vectors);
  // The narrower tile at the end is code of its own.
  if (rows % tileRows) cycles = (cycles + tileCycles(rows % tileRows, vectors)) * 1.01;
  return cycles;
}

static int64_t bestRows(int64_t rows, int64_t vectors, int registers) {
  int64_t best = 1;
  for (int64_t candidate = 1; candidate <= std::min(rows, maxTileRows(vectors, registers)); ++candidate)
    if (panelCycles(rows, candidate, vectors) <= panelCycles(rows, best, vectors)) best = candidate;
  return best;
}

ContractionTile contractionTileOfPanel(int64_t rows, int64_t, int64_t vectors, int64_t lanes, int registers) {
  return {bestRows(std::max<int64_t>(rows, 1), vectors, registers), vectors, vectors * lanes};
}

ContractionTile contractionTile(int64_t rows, int64_t columns, int64_t lanes, int registers) {
  ContractionTile best;
  double bestCycles = 0;
  int64_t mostVectors = registers >= 32 ? 4 : 2;
  for (int64_t vectors = 1; vectors <= mostVectors; ++vectors) {
    ContractionTile tile = contractionTileOfPanel(rows, columns, vectors, lanes, registers);
    double cycles = divideUp(std::max<int64_t>(columns, 1), tile.panel) *
                    panelCycles(std::max<int64_t>(rows, 1), tile.rows, vectors);
    if (vectors > 1 && cycles > bestCycles) continue;
    best = tile;
    bestCycles = cycles;
  }
  return best;
}

} // namespace tensorjit::cpu
