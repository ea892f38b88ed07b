#pragma once

namespace tensorjit {

/// The stages of the pipeline and their parts as passes on func.func, for tensorjit-opt.
void registerPasses();

} // namespace tensorjit
