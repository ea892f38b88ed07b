#pragma once
/// A compiler without code generation: every op of a graph becomes a call of its eager kernel. With it the recorder,
/// the executor and everything around compiles can be tested without LLVM.
#include "core/TensorAccess.h"
#include "execute/CallPlan.h"
#include "tensorjit/error.h"
#include "tensorjit/tensor.h"
#include "trace/CompilerLoader.h"
#include "trace/Recorder.h"

#include <atomic>
#include <cstring>
#include <gtest/gtest.h>
#include <mutex>
#include <vector>

namespace tensorjit::testing {

inline std::atomic<int> compiles{0};
inline std::atomic<int> failures{0}; ///< so many of the next compiles fail
enum class Failure { Refusal, Environment };
inline std::atomic<Failure> failure{Failure::Refusal};
inline Graph lastGraph;
inline std::mutex lastGraphMutex; ///< functions may compile at once

inline Executable fakeCompile(const Graph &graph, const CompileOptions &options, CompileReport *report) {
  if (options.failForTest != CompileOptions::Failure::None) throw compile_error("the test asks for a failure");
  if (failures > 0) {
    --failures;
    if (failure == Failure::Refusal) throw compile_error("refused by the test");
    throw io_error("the disk is full, says the test");
  }
  ++compiles;
  {
    std::lock_guard lock(lastGraphMutex);
    lastGraph = graph;
  }
  if (report) report->stageSeconds.emplace_back("plan", 1e-6);
  return planCalls(graph);
}

struct WithFakeCompiler : ::testing::Test {
  void SetUp() override {
    static const CompilerInterface fake{CompilerInterface::current, fakeCompile};
    trace::setCompilerForTest(&fake);
    compiles = failures = 0;
  }
  void TearDown() override { trace::setCompilerForTest(nullptr); }
};

/// The contents as bytes, in row-major order.
inline std::vector<std::byte> bytesOf(const Tensor &t) {
  Tensor dense = t.detach().contiguous();
  size_t n = static_cast<size_t>(t.numel()) * itemSize(t.dtype());
  auto *p = static_cast<const std::byte *>(dense.data_ptr());
  return {p, p + n};
}

inline void expectSame(const Tensor &a, const Tensor &b, const std::string &what = "") {
  ASSERT_EQ(a.defined(), b.defined()) << what;
  if (!a.defined()) return;
  ASSERT_EQ(a.dtype(), b.dtype()) << what;
  ASSERT_EQ(a.sizes(), b.sizes()) << what << a.sizes().str() << " and " << b.sizes().str();
  auto x = bytesOf(a), y = bytesOf(b);
  EXPECT_TRUE(x == y) << what << ": the values differ";
}

inline std::vector<float> floats(const Tensor &t) {
  auto bytes = bytesOf(t);
  std::vector<float> v(bytes.size() / sizeof(float));
  if (!v.empty()) std::memcpy(v.data(), bytes.data(), bytes.size());
  return v;
}

} // namespace tensorjit::testing
