// A CUDA device, through the driver's own interface and its primary context, which CUDA's runtime library shares.
#include "device/cuda/CudaBackend.h"
#include "device/cuda/Driver.h"
#include "device/cuda/PtxTarget.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <unordered_map>

namespace tensorjit::device {

using namespace cuda;

namespace {

/// Errors after which the context accepts nothing any more.
bool isSticky(Result result) {
  switch (result) {
  case 214: // ECC_UNCORRECTABLE
  case 220: // NVLINK_UNCORRECTABLE
  case 700: // ILLEGAL_ADDRESS
  case 702: // LAUNCH_TIMEOUT
  case 710: // ASSERT
  case 714: // HARDWARE_STACK_ERROR
  case 715: // ILLEGAL_INSTRUCTION
  case 716: // MISALIGNED_ADDRESS
  case 717: // INVALID_ADDRESS_SPACE
  case 718: // INVALID_PC
  case 719: // LAUNCH_FAILED
    return true;
  default: return false;
  }
}

class CudaBackend;

class CudaModule final : public Module {
public:
  explicit CudaModule(CudaBackend &backend) : backend_(backend) {}
  ~CudaModule() override;
  void add(CodeModule module) { modules_.push_back(module); }
  KernelHandle kernel(const std::string &name) override;

private:
  CudaBackend &backend_;
  std::vector<CodeModule> modules_; ///< a kernel is in one of them
};

/// The context that this thread has made current through us.
constinit thread_local Context threadContext = nullptr;

class CudaBackend final : public Backend {
public:
  explicit CudaBackend(int index) : device_(kCUDA, index) {
    if (!d_.why.empty()) throw device_error(device_.str() + ": " + d_.why);
    if (index >= d_.devices)
      throw device_error("there is no device " + device_.str() + "; the CUDA driver sees " +
                         std::to_string(d_.devices));
    DeviceNumber number = 0;
    check(d_.cuDeviceGet(&number, index), "cuDeviceGet");
    check(d_.cuDevicePrimaryCtxRetain(&context_, number), "cuDevicePrimaryCtxRetain");
    int major = 0, minor = 0;
    check(d_.cuDeviceGetAttribute(&major, 75, number), "cuDeviceGetAttribute");
    check(d_.cuDeviceGetAttribute(&minor, 76, number), "cuDeviceGetAttribute");
    architecture_ = major * 10 + minor;
  }

  Device device() const override { return device_; }
  int architecture() const override { return architecture_; }

  void *allocate(size_t bytes) override {
    enter();
    Address address = 0;
    const Result result = d_.cuMemAlloc_v2(&address, bytes);
    if (result == outOfMemory) return nullptr;
    check(result, "cuMemAlloc");
    return pointer(address);
  }
  void free(void *memory) noexcept override {
    if (tryEnter()) d_.cuMemFree_v2(address(memory)); // what fails here has been reported where it went wrong
  }
  bool owns(const void *memory) override {
    enter();
    unsigned type = 0;
    int index = -1;
    return !d_.cuPointerGetAttribute(&type, 2 /* MEMORY_TYPE */, address(memory)) && type == 2 /* DEVICE */ &&
           !d_.cuPointerGetAttribute(&index, 9 /* DEVICE_ORDINAL */, address(memory)) && index == device_.index();
  }
  void *allocatePinned(size_t bytes) override {
    enter();
    void *memory = nullptr;
    const Result result = d_.cuMemHostAlloc(&memory, bytes, 0x01 /* PORTABLE */);
    if (result == outOfMemory) return nullptr;
    check(result, "cuMemHostAlloc");
    return memory;
  }
  void freePinned(void *memory) noexcept override {
    if (tryEnter()) d_.cuMemFreeHost(memory);
  }

  void copyToDevice(void *to, const void *from, size_t bytes, StreamHandle stream) override {
    enter();
    check(d_.cuMemcpyHtoDAsync_v2(address(to), from, bytes, stream), "cuMemcpyHtoDAsync");
  }
  void copyToHost(void *to, const void *from, size_t bytes, StreamHandle stream) override {
    enter();
    check(d_.cuMemcpyDtoHAsync_v2(to, address(from), bytes, stream), "cuMemcpyDtoHAsync");
  }
  void copyOnDevice(void *to, const void *from, size_t bytes, StreamHandle stream) override {
    enter();
    check(d_.cuMemcpyDtoDAsync_v2(address(to), address(from), bytes, stream), "cuMemcpyDtoDAsync");
  }
  void copyRowsOnDevice(void *to, size_t pitch, const void *from, size_t bytes, size_t rows,
                        StreamHandle stream) override {
    enter();
    RowsCopy copy;
    copy.from = address(from);
    copy.to = address(to);
    copy.fromPitch = copy.bytes = bytes;
    copy.toPitch = pitch;
    copy.rows = rows;
    check(d_.cuMemcpy2DAsync_v2(&copy, stream), "cuMemcpy2DAsync");
  }
  void fill(void *to, const void *element, size_t bytes, size_t count, StreamHandle stream) override {
    if (!count) return;
    enter();
    uint64_t bits = 0;
    std::memcpy(&bits, element, bytes);
    const Address at = address(to);
    switch (bytes) {
    case 1: return check(d_.cuMemsetD8Async(at, static_cast<uint8_t>(bits), count, stream), "cuMemsetD8Async");
    case 2: return check(d_.cuMemsetD16Async(at, static_cast<uint16_t>(bits), count, stream), "cuMemsetD16Async");
    case 4: return check(d_.cuMemsetD32Async(at, static_cast<uint32_t>(bits), count, stream), "cuMemsetD32Async");
    default: break;
    }
    const auto low = static_cast<uint32_t>(bits), high = static_cast<uint32_t>(bits >> 32);
    if (low == high) return check(d_.cuMemsetD32Async(at, low, 2 * count, stream), "cuMemsetD32Async");
    // Each half of the elements is a column.
    check(d_.cuMemsetD2D32Async(at, 8, low, 1, count, stream), "cuMemsetD2D32Async");
    check(d_.cuMemsetD2D32Async(at + 4, 8, high, 1, count, stream), "cuMemsetD2D32Async");
  }
  void launch(KernelHandle kernel, const Step &step, void **parameters, StreamHandle stream) override {
    enter();
    const Result result =
        d_.cuLaunchKernel(kernel, step.grid[0], step.grid[1], step.grid[2], step.block[0], step.block[1], step.block[2],
                          step.sharedBytes, stream, parameters, nullptr);
    if (result) [[unlikely]]
      fail(result, "cuLaunchKernel of '" + step.kernel + "'");
  }

  StreamHandle createStream() override {
    enter();
    cuda::Stream stream = nullptr;
    check(d_.cuStreamCreate(&stream, 0), "cuStreamCreate");
    return stream;
  }
  void synchronize(StreamHandle stream) override {
    enter();
    check(d_.cuStreamSynchronize(stream), "cuStreamSynchronize");
  }
  bool isDone(StreamHandle stream) override {
    enter();
    return isReady(d_.cuStreamQuery(stream), "cuStreamQuery");
  }

  EventHandle createEvent(bool timing) override {
    enter();
    Event event = nullptr;
    check(d_.cuEventCreate(&event, timing ? 0 : 0x2 /* DISABLE_TIMING */), "cuEventCreate");
    return event;
  }
  void destroyEvent(EventHandle event) noexcept override {
    if (tryEnter()) d_.cuEventDestroy_v2(event);
  }
  void record(EventHandle event, StreamHandle stream) override {
    enter();
    check(d_.cuEventRecord(event, stream), "cuEventRecord");
  }
  void wait(StreamHandle stream, EventHandle event) override {
    enter();
    check(d_.cuStreamWaitEvent(stream, event, 0), "cuStreamWaitEvent");
  }
  bool isReached(EventHandle event) override {
    enter();
    return isReady(d_.cuEventQuery(event), "cuEventQuery");
  }
  void awaitEvent(EventHandle event) override {
    enter();
    check(d_.cuEventSynchronize(event), "cuEventSynchronize");
  }
  double milliseconds(EventHandle from, EventHandle to) override {
    enter();
    float time = 0;
    check(d_.cuEventElapsedTime(&time, from, to), "cuEventElapsedTime");
    return static_cast<double>(time);
  }

  std::unique_ptr<Module> load(std::span<const std::byte> code, const std::string &name) override {
    auto loaded = std::make_unique<CudaModule>(*this);
    const char *end = reinterpret_cast<const char *>(code.data() + code.size());
    for (auto text = reinterpret_cast<const char *>(code.data()); text < end;) {
      const std::string program(text, std::find(text, end, '\0'));
      text += program.size() + 1;
      loaded->add(loadProgram(program, name));
    }
    return loaded;
  }

  CodeModule loadProgram(const std::string &text, const std::string &name) {
    enter();
    if (const auto target = targetOf(text); target && !target->runsOn(architecture_))
      throw device_error("the code of '" + name + "' is for " + target->str() + "; " + device_.str() +
                         " has compute capability " + capabilityText(architecture_));
    std::string log(8192, '\0');
    int options[] = {5 /* ERROR_LOG_BUFFER */, 6 /* ERROR_LOG_BUFFER_SIZE_BYTES */};
    void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
    CodeModule module = nullptr;
    if (const Result result = d_.cuModuleLoadDataEx(&module, text.c_str(), 2, options, values)) {
      log.resize(std::strlen(log.c_str()));
      fail(result, "the code of '" + name + "' cannot be loaded" + (log.empty() ? "" : ", " + log));
    }
    return module;
  }

  void unload(CodeModule module) noexcept {
    if (tryEnter()) d_.cuModuleUnload(module);
  }
  Function function(CodeModule module, const std::string &name) {
    enter();
    Function f = nullptr;
    return d_.cuModuleGetFunction(&f, module, name.c_str()) ? nullptr : f;
  }

private:
  static void *pointer(Address a) { return reinterpret_cast<void *>(a); }
  static Address address(const void *p) { return reinterpret_cast<Address>(p); }

  bool tryEnter() noexcept {
    if (threadContext == context_) return true;
    if (d_.cuCtxSetCurrent(context_)) return false;
    threadContext = context_;
    return true;
  }
  void enter() {
    if (threadContext == context_) return;
    check(d_.cuCtxSetCurrent(context_), "cuCtxSetCurrent");
    threadContext = context_;
  }
  void check(Result result, const char *call) {
    if (result) [[unlikely]]
      fail(result, call);
  }
  bool isReady(Result result, const char *call) {
    if (result == notReady) return false;
    check(result, call);
    return true;
  }
  [[noreturn]] void fail(Result result, const std::string &call) {
    std::string text = device_.str() + ": " + call + ": " + d_.text(result);
    {
      std::lock_guard lock(mutex_);
      if (isSticky(result) && lost_.empty()) lost_ = text;
      else if (!lost_.empty()) text += "; before that, " + lost_;
    }
    if (isSticky(result)) text += "; the device is lost to this process, its tensors cannot be read any more";
    throw device_error(text);
  }

  const Driver &d_ = driver();
  Device device_;
  Context context_ = nullptr;
  int architecture_ = 0;
  std::mutex mutex_;
  std::string lost_; ///< what made the context unusable
};

CudaModule::~CudaModule() {
  for (CodeModule module : modules_) backend_.unload(module);
}
KernelHandle CudaModule::kernel(const std::string &name) {
  for (CodeModule module : modules_)
    if (Function function = backend_.function(module, name)) return function;
  return nullptr;
}

} // namespace

std::unique_ptr<Backend> openCuda(int index) { return std::make_unique<CudaBackend>(index); }

int countCuda(std::string *why) {
  const Driver &d = driver();
  if (why) *why = d.why;
  return d.why.empty() ? d.devices : 0;
}

} // namespace tensorjit::device
