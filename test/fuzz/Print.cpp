#include "Analysis.h"
#include "Rows.h"

#include <sstream>

namespace tensorjit::fuzz {

namespace {

struct Notes : Analysis {
  explicit Notes(const Program &program) : Analysis(program), notes(program.steps.size()) {}
  void note(size_t step, const std::string &text) override { notes[step] += (notes[step].empty() ? "" : ", ") + text; }
  std::vector<std::string> notes;
};

const char *nameOf(Kind kind) {
  switch (kind) {
  case Kind::Leaf: return "leaf";
  case Kind::Sample: return "sample";
  case Kind::Pointwise: return "pointwise";
  case Kind::View: return "view";
  case Kind::InPlace: return "in place";
  case Kind::Cast: return "cast";
  case Kind::Branch: return "item and branch";
  case Kind::Number: return "host number";
  case Kind::Backward: return "backward";
  case Kind::Optimize: return "optimizer step";
  case Kind::Draw: return "random numbers";
  case Kind::Detach: return "detach or clone";
  case Kind::Loop: return "loop over rows";
  case Kind::Frozen: return "constant";
  }
  return "";
}

} // namespace

std::string print(const Program &program, const std::vector<int64_t> &sizes) {
  Notes notes(program);
  std::string error;
  try {
    Inputs::Options options;
    options.sizes = sizes;
    Inputs inputs(program, options);
    execute(program, inputs, &notes);
  } catch (const std::exception &e) {
    error = e.what();
  }
  std::ostringstream os;
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const Step &s = program.steps[i];
    os << "  v" << i << " = " << nameOf(s.kind);
    if (s.kind == Kind::Sample || s.kind == Kind::Pointwise) os << ' ' << rows()[s.row].text;
    if (s.kind == Kind::Frozen && s.frozen.numel() <= 16) os << ' ' << s.frozen;
    for (int v : s.operands) os << " v" << v;
    const Fact &f = notes.facts()[i];
    if (!notes.notes[i].empty()) os << " (" << notes.notes[i] << ')';
    if (f.root >= 0)
      os << ": " << name(f.dtype) << f.sizes.str() << (f.exact ? "" : " ~") << (f.requiresGrad ? " grad" : "");
    os << '\n';
  }
  os << "  returns";
  for (int v : program.outputs) os << " v" << v;
  if (!error.empty()) os << "\n  throws " << error;
  os << '\n';
  return os.str();
}

} // namespace tensorjit::fuzz
