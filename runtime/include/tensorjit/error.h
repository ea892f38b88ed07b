#pragma once
#include <source_location>
#include <stdexcept>
#include <string>

namespace tensorjit {

/// Base of everything this library throws. `what()` names the op, the shapes or dtypes, what would be accepted,
/// and the user's file and line.
class Error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Ranks, sizes, broadcasting, duplicate dims, size overflow.
struct shape_error : Error {
  using Error::Error;
};
/// A dtype that the op does not accept.
struct type_error : Error {
  using Error::Error;
};
/// An attribute or host scalar outside its domain.
struct value_error : Error {
  using Error::Error;
};
/// A dim, host index or value of an index tensor out of range.
struct index_error : Error {
  using Error::Error;
};
/// A write through a view whose elements overlap.
struct alias_error : Error {
  using Error::Error;
};
/// Backward without a graph, twice, or through an op without a derivative; in-place on a leaf that requires grad.
struct grad_error : Error {
  using Error::Error;
};
/// Mixed devices, no such device, driver failure.
struct device_error : Error {
  using Error::Error;
};
struct out_of_memory : Error {
  using Error::Error;
};
/// An op, dtype or device pair that is not built yet.
struct not_supported : Error {
  using Error::Error;
};
/// A file that is missing, truncated or of another format.
struct io_error : Error {
  using Error::Error;
};
/// A graph the compiler could not compile; thrown only where the options ask for it.
struct compile_error : Error {
  using Error::Error;
};

} // namespace tensorjit
