#pragma once
/// Compiles kernels, opens the shared object and runs it on test tensors.
#include "NestInterpreter.h"
#include "cpu/CpuCodegen.h"
#include "execute/KernelAbi.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <string>

namespace tensorjit::cpu::test {

class KernelLibrary {
public:
  /// Compiles every kernel.nest, kernel.group and kernel.chain directly inside functions of the module, named k0, k1,
  /// ...
  explicit KernelLibrary(mlir::ModuleOp module, const CompileOptions &options = {}, CompileReport *report = nullptr);
  ~KernelLibrary();
  KernelLibrary(const KernelLibrary &) = delete;

  size_t size() const { return infos_.size(); }
  const KernelInfo &info(size_t kernel) const { return infos_[kernel]; }
  KernelFn function(size_t kernel) const;

  /// Runs all units of a kernel, in `pieces` ranges as threads would take them.
  void run(size_t kernel, const std::vector<void *> &buffers, int64_t pieces = 1, ErrorSlot *error = nullptr) const;

private:
  std::vector<KernelInfo> infos_;
  void *handle_ = nullptr;
};

std::unique_ptr<mlir::MLIRContext> makeTestContext();
mlir::OwningOpRef<mlir::ModuleOp> parse(mlir::MLIRContext &context, const std::string &text);

std::vector<char> toBytes(const TensorData &tensor);
void fromBytes(TensorData &tensor, const std::vector<char> &bytes);

} // namespace tensorjit::cpu::test
