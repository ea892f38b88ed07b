#include "Dump.h"

#include "file/FileWriter.h"
#include "log/Log.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <atomic>
#include <filesystem>

namespace tensorjit {

/// A graph has the name that its user gave, which may be anything.
static std::string fileName(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '/' || c == '\'' || static_cast<unsigned char>(c) < ' '; },
      '_');
  return name;
}

void dump(const CompileOptions &options, const std::string &file, llvm::StringRef text) {
  if (options.dumpDir.empty()) return;
  try {
    std::filesystem::create_directories(options.dumpDir);
    FileWriter out(std::filesystem::path(options.dumpDir) / fileName(file));
    out.write(std::string_view(text));
    out.commit();
  } catch (const std::exception &error) {
    static std::atomic<bool> warned{false};
    if (!warned.exchange(true)) log::warn(std::string("no dump is written: ") + error.what());
  }
}

static std::string typeText(const TensorType &type) {
  std::string text;
  for (int64_t size : type.sizes) text += std::to_string(size) + "x";
  return text + name(type.dtype);
}

static const char *modeText(CompileOptions::Mode mode) {
  switch (mode) {
  case CompileOptions::Mode::NoCodegen: return "eager";
  case CompileOptions::Mode::NoFuse: return "no-fuse";
  case CompileOptions::Mode::Full: return "compiled";
  }
  return "";
}

void dumpReproducer(const CompileOptions &options, const Graph &graph, mlir::func::FuncOp function) {
  if (options.dumpDir.empty()) return;
  const std::string file = fileName(graph.name + ".0-graph.mlir");
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "// tensorjit-run '" << file << "' --function='" << function.getSymName()
      << "' --mode=" << modeText(options.mode);
  for (uint32_t i = 0; i < graph.numInputs; ++i) out << " --input=" << typeText(graph.types[i]) << "=1";
  out << "\n" << *function->getParentOp() << "\n";
  dump(options, file, text);
}

} // namespace tensorjit
