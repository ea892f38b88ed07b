#pragma once
#include "execute/CompilerInterface.h"

#include <string>

namespace tensorjit::trace {

/// The compiler, opened at the first call: the library that TENSORJIT_COMPILER names, else the one beside this
/// library. Null when there is none of this version; `why` then says what is the matter. Throws `std::runtime_error`
/// where it could not be looked at for want of memory or file descriptors: the next call tries again.
const CompilerInterface *compiler(std::string *why = nullptr);

/// The path of that library. Empty where a test's compiler is used.
std::string compilerPath();

/// Tests compile with this instead; null restores the library.
void setCompilerForTest(const CompilerInterface *compiler);

} // namespace tensorjit::trace
