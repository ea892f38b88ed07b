#pragma once
/// The LLVM and MLIR of the program itself.

/// Reads the program's options, one of which LLVM does not let be registered twice; false where they are not as given.
bool readOwnOptions(int argc, char **argv);
/// Builds and folds a little IR; false where it is not as it should be.
bool useOwnLlvm();

#define REQUIRE(condition)                                                                                             \
  if (!(condition)) return std::fprintf(stderr, "not true: %s\n", #condition), false
