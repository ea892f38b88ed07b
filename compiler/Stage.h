#pragma once
/// What the stages run in: an MLIR context, times, dumps.
#include "execute/CompilerInterface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"

#include <chrono>

namespace tensorjit {

/// A context with the dialects of the graph; collects what MLIR has to complain about.
struct CompilerContext {
  CompilerContext();
  /// Throws `compile_error` with the diagnostics where `op` is not well-formed.
  void check(mlir::Operation *op);

  mlir::MLIRContext mlir;
  std::string diagnostics;
};

/// Times each stage and writes its IR where the options ask for it.
class StageLog {
public:
  StageLog(const Graph &graph, const CompileOptions &options, CompileReport *report)
      : graph_(graph), options_(options), report_(report) {}

  template <class Body> auto run(const char *stage, Body body) {
    Timer timer{report_, stage};
    return body();
  }
  /// `function` is read after `body`, which may make it.
  template <class Body> void run(const char *stage, mlir::func::FuncOp &function, Body body) {
    run(stage, body);
    finish(stage, function);
  }

private:
  struct Timer {
    CompileReport *report;
    const char *stage;
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    ~Timer() {
      std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      if (report) report->stageSeconds.emplace_back(stage, seconds.count());
    }
  };
  void finish(const char *stage, mlir::func::FuncOp function);

  const Graph &graph_;
  const CompileOptions &options_;
  CompileReport *report_;
  std::string previous_; ///< the IR that was written last
  int number_ = 0;
};

} // namespace tensorjit
