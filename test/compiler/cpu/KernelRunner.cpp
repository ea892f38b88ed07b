#include "KernelRunner.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;

namespace tensorjit::cpu::test {

static void *openLibrary(const std::vector<std::byte> &code) {
  int file = memfd_create("kernels", 0);
  if (file < 0 || write(file, code.data(), code.size()) != static_cast<ssize_t>(code.size()))
    throw std::runtime_error("cannot write the shared object");
  std::string path = "/proc/self/fd/" + std::to_string(file);
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  close(file);
  if (!handle) throw std::runtime_error(dlerror());
  return handle;
}

static std::string kernelName(size_t kernel) {
  std::string name = "k";
  return name.append(std::to_string(kernel));
}

KernelLibrary::KernelLibrary(ModuleOp module, const CompileOptions &options, CompileReport *report) {
  std::vector<KernelRequest> requests;
  module.walk([&](func::FuncOp function) {
    for (Operation &op : function.getOps())
      if (kernel::isKernel(&op)) requests.push_back({&op, kernelName(requests.size())});
  });
  infos_.resize(requests.size());
  handle_ = openLibrary(compileKernels(requests, infos_, options, report));
}

KernelLibrary::~KernelLibrary() { dlclose(handle_); }

KernelFn KernelLibrary::function(size_t kernel) const {
  return reinterpret_cast<KernelFn>(dlsym(handle_, kernelName(kernel).c_str()));
}

void KernelLibrary::run(size_t kernel, const std::vector<void *> &buffers, int64_t pieces, ErrorSlot *error) const {
  ErrorSlot ownSlot;
  int64_t scratchBytes = (infos_[kernel].scratchBytes + 63) / 64 * 64 + 64;
  std::unique_ptr<void, void (*)(void *)> scratch(std::aligned_alloc(64, scratchBytes), std::free);
  std::memset(scratch.get(), 0xff, scratchBytes);
  KernelContext context{error ? error : &ownSlot, scratch.get()};
  int64_t extent = infos_[kernel].extent;
  for (int64_t piece = 0; piece < pieces; ++piece)
    function(kernel)(buffers.data(), extent * piece / pieces, extent * (piece + 1) / pieces, &context);
}

std::unique_ptr<MLIRContext> makeTestContext() {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, math::MathDialect, func::FuncDialect, kernel::KernelDialect>();
  auto context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

OwningOpRef<ModuleOp> parse(MLIRContext &context, const std::string &text) {
  auto module = parseSourceString<ModuleOp>(text, &context);
  if (!module) throw std::runtime_error("the test's MLIR does not parse:\n" + text);
  return module;
}

template <class T, class Get> static std::vector<char> pack(const TensorData &tensor, Get get) {
  std::vector<char> bytes(tensor.elements.size() * sizeof(T) + 1);
  for (size_t i = 0; i < tensor.elements.size(); ++i) {
    T value = static_cast<T>(get(tensor.elements[i]));
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return bytes;
}
template <class T, class Set> static void unpack(TensorData &tensor, const std::vector<char> &bytes, Set set) {
  for (size_t i = 0; i < tensor.elements.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    set(tensor.elements[i], value);
  }
}

std::vector<char> toBytes(const TensorData &tensor) {
  Type type = tensor.type.getElementType();
  auto real = [](const Number &n) { return n.real; };
  auto integer = [](const Number &n) { return n.integer; };
  if (type.isF32()) return pack<float>(tensor, real);
  if (type.isF64()) return pack<double>(tensor, real);
  if (type.isInteger(64)) return pack<int64_t>(tensor, integer);
  if (type.isInteger(32)) return pack<int32_t>(tensor, integer);
  return pack<int8_t>(tensor, integer);
}

void fromBytes(TensorData &tensor, const std::vector<char> &bytes) {
  Type type = tensor.type.getElementType();
  auto real = [](Number &n, double value) { n.real = value; };
  auto integer = [](Number &n, int64_t value) { n.integer = value; };
  if (type.isF32()) return unpack<float>(tensor, bytes, real);
  if (type.isF64()) return unpack<double>(tensor, bytes, real);
  if (type.isInteger(64)) return unpack<int64_t>(tensor, bytes, integer);
  if (type.isInteger(32)) return unpack<int32_t>(tensor, bytes, integer);
  unpack<int8_t>(tensor, bytes, integer);
}

} // namespace tensorjit::cpu::test
