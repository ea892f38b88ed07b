// The code of a path that is dropped is unmapped, but not while it runs.
#include "FakeCompiler.h"
#include "trace/CompiledState.h"

#include <barrier>
#include <fstream>
#include <iterator>
#include <set>
#include <tensorjit/tensorjit.h>
#include <thread>

using namespace tensorjit;
using namespace tensorjit::testing;

namespace {

std::vector<std::byte> kernels() {
  std::ifstream in(TENSORJIT_TEST_KERNELS, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  std::vector<std::byte> code(bytes.size());
  std::memcpy(code.data(), bytes.data(), bytes.size());
  return code;
}

/// Of a graph `x + hook`: the kernel for it in a shared object of its own.
Executable compileHook(const Graph &graph, const CompileOptions &, CompileReport *) {
  ++compiles;
  Executable exe = planCalls(graph);
  exe.code = kernels();
  Step &step = exe.steps.at(0);
  step.kind = Step::Launch;
  step.kernel = "addHook";
  step.extent = step.grain = exe.outputs.at(0).type.sizes.numel();
  return exe;
}

/// The names of the segments whose code is mapped.
std::set<std::string> mappedCode() {
  std::set<std::string> names;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (size_t at = line.find("memfd:tensorjit-hooked"); at != line.npos && line.find(" r-xp ") != line.npos) {
      at += std::string_view("memfd:tensorjit-").size();
      names.insert(line.substr(at, line.find(' ', at) - at));
    }
  return names;
}

std::barrier<> *turn = nullptr;
void waitTwice() {
  turn->arrive_and_wait();
  turn->arrive_and_wait();
}
void goOn() {}

struct CodeOfPaths : WithFakeCompiler {
  static constexpr int64_t pathsInLimit = 20; ///< about
  std::shared_ptr<trace::CompiledState> state;
  void SetUp() override {
    WithFakeCompiler::SetUp();
    static const CompilerInterface hooks{CompilerInterface::current, compileHook};
    trace::setCompilerForTest(&hooks);
    Options options;
    options.name = "hooked";
    state = std::make_shared<trace::CompiledState>(options);
    state->forward.setLimit(pathsInLimit * 2 * kernels().size()); // a path keeps its code and the file that it was in
  }

  /// Another path for each length.
  void expectSum(int64_t length, void (*hook)() = goOn) {
    const auto address = reinterpret_cast<int64_t>(hook);
    Tensor x = full({length}, length, kInt64), hooks = full({length}, address, kInt64);
    detail::Recording recording(state);
    Tensor sum = x + hooks;
    recording.finish();
    ASSERT_EQ(sum.sizes(), Shape({length}));
    EXPECT_EQ(sum.select(0, length - 1).item<int64_t>(), length + address);
  }
};

} // namespace

TEST_F(CodeOfPaths, IsUnmappedWhereThePathIsDropped) {
  size_t most = 0;
  for (int64_t length = 1; length <= 100; ++length) {
    expectSum(length);
    most = std::max(most, mappedCode().size());
  }
  EXPECT_EQ(compiles, 100);
  EXPECT_LE(most, pathsInLimit + 1);
  EXPECT_GE(most, pathsInLimit / 2);
  EXPECT_EQ(mappedCode().count("hooked_0"), 0U) << "the first path's";
  expectSum(1);
  EXPECT_EQ(compiles, 101);
  expectSum(1);
  EXPECT_EQ(compiles, 101);
  state = nullptr;
  EXPECT_EQ(mappedCode(), std::set<std::string>());
}

TEST_F(CodeOfPaths, StaysMappedWhileItRuns) {
  const std::string first = "hooked_0", again = "hooked_" + std::to_string(pathsInLimit * 3 / 2 + 1);
  std::barrier<> both(2);
  turn = &both;
  std::thread other([&] { expectSum(1, waitTwice); });
  turn->arrive_and_wait(); // the other thread is inside of the code
  int64_t length = 1;
  while (length <= pathsInLimit * 3 / 2) expectSum(++length);
  const int before = compiles;
  expectSum(1);
  EXPECT_EQ(compiles, before + 1) << "the path has not been dropped";
  EXPECT_EQ(mappedCode().count(first), 1U);
  EXPECT_EQ(mappedCode().count(again), 1U);
  turn->arrive_and_wait();
  other.join(); // which returns through the code
  expectSum(1);
  EXPECT_EQ(mappedCode().count(first), 0U);
  EXPECT_EQ(compiles, before + 1);
}
