#pragma once
#include "tensorjit/error.h"

#include <new>
#include <source_location>

namespace tensorjit {

/// Rethrows the exception being handled, `std::bad_alloc` as `out_of_memory`, with " (file.cpp:line)" appended, keeping
/// its type. A text that has a line already keeps it.
[[noreturn]] void rethrowAt(const std::source_location &loc);

/// Runs `body`; an error of the library leaves it with the line appended.
template <class F> auto atLine(const std::source_location &loc, F &&body) {
  try {
    return body();
  } catch (const Error &) {
    rethrowAt(loc);
  } catch (const std::bad_alloc &) {
    rethrowAt(loc);
  }
}

} // namespace tensorjit
