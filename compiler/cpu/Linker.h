#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace tensorjit::cpu {

using ObjectBytes = llvm::SmallVector<char, 0>;

/// Links objects into one ELF shared object. `aliases`: further names of defined symbols, each with the symbol it is
/// another name of. `needsLibm`: the objects call the C maths library.
/// Throws `compile_error` with the linker's text. Safe to call from several threads. Where LLVM gives up inside the
/// linker, the links that follow throw `compile_error`.
std::vector<std::byte> linkSharedObject(llvm::ArrayRef<ObjectBytes> objects,
                                        llvm::ArrayRef<std::pair<std::string, std::string>> aliases, bool needsLibm);

/// Called in each link, where it is set, in the linker's place to fail.
extern std::function<void()> insideLinkForTest;

} // namespace tensorjit::cpu
