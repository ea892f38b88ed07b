#include "tensorjit/threads.h"
#include "execute/ThreadPool.h"

namespace tensorjit {

int get_num_threads() { return numThreads(); }
void set_num_threads(int n) { setNumThreads(n); }

} // namespace tensorjit
