#include "driver/Api.h"
#include "driver/Queue.h"

#include "device/Counters.h"
#include "device/Settings.h"

#include <cstring>
#include <fstream>
#include <sstream>

using namespace cudasim;

namespace {

/// Where cuModuleLoadDataEx wants its messages.
struct Logs {
  char *error = nullptr;
  size_t errorSize = 0;
  void **errorWritten = nullptr;

  Logs(unsigned count, CUjit_option *options, void **values) {
    for (unsigned i = 0; i < count && options && values; ++i) {
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER) error = static_cast<char *>(values[i]);
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
        errorSize = static_cast<unsigned>(reinterpret_cast<uintptr_t>(values[i]));
        errorWritten = &values[i];
      }
      if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES) values[i] = nullptr; // nothing is said
    }
    if (error && errorSize) *error = '\0';
  }
  void write(const std::string &text) {
    size_t n = error && errorSize ? std::min(text.size(), errorSize - 1) : 0;
    if (n) {
      std::memcpy(error, text.data(), n);
      error[n] = '\0';
    }
    if (errorWritten) *errorWritten = reinterpret_cast<void *>(n);
  }
};

void placeVariables(Module &module) {
  DeviceMemory &memory = DeviceMemory::instance();
  for (const ptx::Variable &v : module.text->variables) {
    if (v.space != ptx::Space::Global && v.space != ptx::Space::Const) continue;
    if (v.isExtern) throw ptx::Error(v.line, "Unresolved extern variable '" + v.name + "'");
    uint64_t at = memory.allocate(v.size, v.align, v.name);
    if (!at) throw std::bad_alloc();
    module.globals[v.name] = {at, v.size};
  }
}

/// Initial values; a variable without one is zero.
void fillVariables(Module &module) {
  DeviceMemory &memory = DeviceMemory::instance();
  for (const ptx::Variable &v : module.text->variables) {
    auto place = module.globals.find(v.name);
    if (place == module.globals.end()) continue;
    std::vector<uint8_t> bytes = v.bytes;
    bytes.resize(v.size, 0);
    for (auto &reference : v.references) {
      uint64_t value = 0;
      auto target = module.globals.find(reference.symbol);
      if (target != module.globals.end()) value = target->second.first + static_cast<uint64_t>(reference.offset);
      else if (!functionAddress(*module.text, reference.symbol, value))
        throw ptx::Error(v.line, "Unresolved symbol '" + reference.symbol + "'");
      std::memcpy(bytes.data() + reference.at, &value, 8);
    }
    memory.copyIn(place->second.first, reinterpret_cast<std::byte *>(bytes.data()), bytes.size());
  }
}

/// "sm_90a" -> 90.
int architectureOf(const std::string &target) { return std::atoi(target.c_str() + std::min<size_t>(3, target.size())); }

CUresult load(Context &context, CUmodule *out, const void *image, Logs logs) {
  if (!out || !image) return CUDA_ERROR_INVALID_VALUE;
  std::string text(static_cast<const char *>(image));
  if (text.compare(0, 4,
                   "\x7f"
                   "ELF") == 0 ||
      text.find(".version") == text.npos) {
    logs.write("error   : the stand-in driver loads PTX text only");
    return text.find(".version") == text.npos && text[0] != '\x7f' ? CUDA_ERROR_INVALID_IMAGE
                                                                   : CUDA_ERROR_NO_BINARY_FOR_GPU;
  }
  auto module = std::make_unique<Module>();
  module->context = &context;
  try {
    module->text = std::make_shared<ptx::Module>(ptx::parse(std::move(text)));
    if (module->text->versionMajor > 9) {
      logs.write("error   : PTX version " + std::to_string(module->text->versionMajor) + " is newer than this driver");
      return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    }
    if (architectureOf(module->text->target) > settings().architecture) {
      logs.write("error   : the program is for " + module->text->target + ", the device is sm_" +
                 std::to_string(settings().architecture));
      return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    placeVariables(*module);
    fillVariables(*module);
    for (const ptx::Function &f : module->text->functions) {
      if (!f.isEntry || !f.hasBody) continue;
      auto function = std::make_unique<Function>();
      function->module = module.get();
      function->program = decode(*module->text, f, *module);
      driver().handles.insert(function.get());
      module->functions[f.name] = std::move(function);
    }
  } catch (const ptx::Error &error) {
    logs.write(error.what());
    return CUDA_ERROR_INVALID_PTX;
  }
  ++counters().modules;
  driver().handles.insert(module.get());
  *out = reinterpret_cast<CUmodule>(module.get());
  context.modules.insert(std::move(module));
  return CUDA_SUCCESS;
}

} // namespace

CUDASIM_API cuModuleLoadData(CUmodule *out, const void *image) {
  return inContext([&](Context &context) { return load(context, out, image, Logs(0, nullptr, nullptr)); });
}

CUDASIM_API cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned count, CUjit_option *options, void **values) {
  return inContext([&](Context &context) { return load(context, out, image, Logs(count, options, values)); });
}

CUDASIM_API cuModuleLoadFatBinary(CUmodule *, const void *) {
  return inContext([](Context &) { return CUDA_ERROR_NO_BINARY_FOR_GPU; });
}

CUDASIM_API cuModuleLoad(CUmodule *out, const char *path) {
  return inContext([&](Context &context) -> CUresult {
    if (!path) return CUDA_ERROR_INVALID_VALUE;
    std::ifstream file(path);
    if (!file) return CUDA_ERROR_FILE_NOT_FOUND;
    std::stringstream text;
    text << file.rdbuf();
    return load(context, out, text.str().c_str(), Logs(0, nullptr, nullptr));
  });
}

CUDASIM_API cuModuleUnload(CUmodule handle) {
  return inContext([&](Context &context) -> CUresult {
    auto *module = object<Module>(handle);
    if (!module) return CUDA_ERROR_INVALID_HANDLE;
    if (CUresult error = finish(context)) return error;
    driver().handles.erase(module);
    std::erase_if(context.modules, [&](auto &m) { return m.get() == module; });
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuModuleGetFunction(CUfunction *out, CUmodule handle, const char *name) {
  return inContext([&](Context &) {
    if (!out || !name) return CUDA_ERROR_INVALID_VALUE;
    auto *module = object<Module>(handle);
    if (!module) return CUDA_ERROR_INVALID_HANDLE;
    auto found = module->functions.find(name);
    if (found == module->functions.end()) return CUDA_ERROR_NOT_FOUND;
    *out = reinterpret_cast<CUfunction>(found->second.get());
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuModuleGetFunctionCount(unsigned *count, CUmodule handle) {
  return inContext([&](Context &) {
    auto *module = object<Module>(handle);
    if (!module) return CUDA_ERROR_INVALID_HANDLE;
    if (!count) return CUDA_ERROR_INVALID_VALUE;
    *count = static_cast<unsigned>(module->functions.size());
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule handle, const char *name) {
  return inContext([&](Context &) {
    if (!name) return CUDA_ERROR_INVALID_VALUE;
    auto *module = object<Module>(handle);
    if (!module) return CUDA_ERROR_INVALID_HANDLE;
    auto found = module->globals.find(name);
    if (found == module->globals.end()) return CUDA_ERROR_NOT_FOUND;
    if (address) *address = found->second.first;
    if (bytes) *bytes = found->second.second;
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
  return initialized([&] {
    if (!mode) return CUDA_ERROR_INVALID_VALUE;
    *mode = CU_MODULE_EAGER_LOADING;
    return CUDA_SUCCESS;
  });
}
