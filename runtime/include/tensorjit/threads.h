#pragma once

namespace tensorjit {

/// Threads that one op or compiled graph uses, the caller's included; at first the number of CPUs of the process.
int get_num_threads();
/// Throws `value_error` below 1.
void set_num_threads(int n);

} // namespace tensorjit
