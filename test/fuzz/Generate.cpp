#include "Generate.h"

#include "Analysis.h"
#include "Rows.h"

#include <algorithm>
#include <cstring>

namespace tensorjit::fuzz {

namespace {

int64_t drawSize(Random &random, bool quick) {
  const int64_t small[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 16, 17};
  const int64_t large[] = {19, 31, 32, 33, 64, 65, 100, 127, 128, 200, 257, 1000};
  if (random.chance(0.04)) return 0;
  return random.chance(quick ? 0.05 : 0.3) ? random.pick(large) : random.pick(small);
}

DType drawDType(Random &random) {
  const DType list[] = {DType::F64, DType::F64, DType::F16, DType::F16, DType::BF16, DType::BF16,
                        DType::I64, DType::I32, DType::U8,  DType::I8,  DType::I16,  DType::Bool};
  return random.chance(0.6) ? DType::F32 : random.pick(list);
}

Step drawLeaf(Random &random, const Program &program) {
  Step leaf(Kind::Leaf, random.next());
  leaf.dtype = drawDType(random);
  const auto rank = random.chance(0.1) ? 0 : 1 + random.below(random.chance(0.2) ? 4 : 3);
  int64_t elements = 1;
  for (int64_t i = 0; i < rank; ++i) {
    const auto size = random.below(static_cast<int64_t>(program.sizes.size()));
    elements *= std::max<int64_t>(1, program.sizes[static_cast<size_t>(size)]);
    if (elements > 20000) break;
    leaf.sizes.push_back(static_cast<int>(size));
  }
  const Values values[] = {Values::Whole, Values::Whole, Values::Halves, Values::Real, Values::Real};
  leaf.values = random.chance(0.08) ? Values::Special : random.pick(values);
  leaf.requiresGrad = isFloat(leaf.dtype) && leaf.values != Values::Special && random.chance(0.35);
  return leaf;
}

class Generator {
public:
  Generator(uint64_t seed, const Wish &wish) : random_(seed), wish_(wish) {
    program_.seed = seed;
    for (int i = 0; i < 4; ++i) program_.sizes.push_back(drawSize(random_, wish.quick));
    program_.dropsDead = random_.chance(0.7);
    for (size_t i = 0; i < rows().size(); ++i)
      if ((!wish.device || !rows()[i].ownTensors) &&
          (wish.only.empty() || std::strstr(rows()[i].text, wish.only.c_str())))
        rows_.push_back(i);
  }

  Program program() {
    const auto leaves = 2 + random_.below(3);
    for (int64_t i = 0; i < leaves; ++i) {
      program_.steps.push_back(drawLeaf(random_, program_));
      if (!runs()) program_.steps.pop_back();
    }
    if (program_.steps.empty()) return program_;
    const auto steps = wish_.quick ? 3 + random_.below(6) : 3 + random_.below(14);
    for (int64_t i = 0, tries = 0; i < steps && tries < 8 * steps; ++tries) {
      program_.steps.push_back(drawStep());
      if (runs() && worthwhile()) {
        ++i;
        continue;
      }
      if (failed_ && random_.chance(0.01)) { // the program ends with an error
        chooseOutputs(program_.steps.size() - 1);
        return program_;
      }
      program_.steps.pop_back();
    }
    runs();
    chooseOutputs(program_.steps.size());
    return program_;
  }

private:
  bool runs() {
    failed_ = false;
    try {
      Inputs inputs(program_, {});
      Analysis analysis(program_);
      execute(program_, inputs, &analysis);
      const auto &facts = analysis.facts();
      for (size_t i = 0; i < facts.size(); ++i)
        if (program_.steps[i].kind == Kind::Branch &&
            !facts[static_cast<size_t>(program_.steps[i].operands[0])].exactOnCuda)
          return false;
      facts_ = facts;
      return true;
    } catch (const Error &) {
      failed_ = true;
    } catch (const TooLarge &) {
    }
    return false;
  }

  bool worthwhile() {
    const Fact &f = facts_.back();
    if (f.sizes.numel() > 40000) return false;
    if (f.sizes.numel() == 0 && random_.chance(0.8)) return false;
    if (f.notFinite > 0.3 && random_.chance(0.9)) return false;
    if (f.largest > 1e5 && random_.chance(0.8)) return false;
    return true;
  }

  int anyValue() { // often a late one
    const auto n = static_cast<int64_t>(program_.steps.size());
    return static_cast<int>(random_.chance(0.5) ? n - 1 - random_.below(std::min<int64_t>(n, 3)) : random_.below(n));
  }

  int parameter() {
    std::vector<int> list;
    for (size_t i = 0; i < program_.steps.size(); ++i)
      if (program_.steps[i].requiresGrad) list.push_back(static_cast<int>(i));
    return list.empty() ? -1 : list[static_cast<size_t>(random_.below(static_cast<int64_t>(list.size())))];
  }

  /// A late value through which gradients flow.
  int tracked() {
    for (size_t i = facts_.size(); i-- > 0;)
      if (facts_[i].requiresGrad && program_.steps[i].kind != Kind::Leaf && random_.chance(0.7))
        return static_cast<int>(i);
    return anyValue();
  }

  Step drawStep() {
    const double p = random_.real(0, 1);
    Step step(Kind::View, random_.next());
    step.operands = {anyValue()};
    if (p < 0.4 || !wish_.only.empty()) {
      if (p > 0.9) return step;
      drawRow(step);
    } else if (p < 0.52) step.kind = Kind::Pointwise, drawPointwise(step);
    else if (p < 0.66) step.kind = Kind::View;
    else if (p < 0.77) step.kind = Kind::InPlace, step.operands.push_back(anyValue());
    else if (p < 0.83) step.kind = Kind::Number;
    else if (p < 0.86) step.kind = Kind::Cast, step.dtype = drawDType(random_);
    else if (p < 0.89) step.kind = Kind::Draw;
    else if (p < 0.91) step.kind = Kind::Branch;
    else if (p < 0.92) step.kind = Kind::Detach;
    else if (p < 0.94) step.kind = Kind::Loop;
    else if (const int leaf = parameter(); leaf >= 0) {
      const bool optimize = random_.chance(0.3);
      step.kind = optimize ? Kind::Optimize : Kind::Backward;
      if (optimize) step.operands = {leaf};
      else step.operands = {tracked(), leaf};
    }
    return step;
  }

  void drawRow(Step &step) {
    if (rows_.empty()) return;
    step.row = rows_[static_cast<size_t>(random_.below(static_cast<int64_t>(rows_.size())))];
    if (rows()[step.row].function) {
      step.kind = Kind::Pointwise;
      drawOperands(step);
      return;
    }
    step.kind = Kind::Sample;
    const auto more = random_.below(3);
    for (int64_t i = 0; i < more; ++i) step.operands.push_back(anyValue());
    if (random_.chance(0.25)) return;
    // Every size that stands in the call may become another one, the same wherever it stands.
    for (const char *c = rows()[step.row].text; *c; ++c)
      if (std::isdigit(static_cast<unsigned char>(*c)) && c[-1] != '.' &&
          !std::isalpha(static_cast<unsigned char>(c[-1]))) {
        char *end;
        const int64_t size = std::strtoll(c, &end, 10);
        if (*end != '.' && size > 1 && random_.chance(0.5))
          step.resized[size] = static_cast<int>(random_.below(static_cast<int64_t>(program_.sizes.size())));
        c = end - 1;
      }
  }

  void drawPointwise(Step &step) {
    std::vector<size_t> functions;
    for (size_t i : rows_)
      if (rows()[i].function) functions.push_back(i);
    step.row = functions[static_cast<size_t>(random_.below(static_cast<int64_t>(functions.size())))];
    drawOperands(step);
  }
  void drawOperands(Step &step) {
    while (static_cast<int>(step.operands.size()) < rows()[step.row].operands) step.operands.push_back(anyValue());
  }

  void chooseOutputs(size_t count) {
    std::vector<int> outputs = {static_cast<int>(count) - 1};
    for (size_t i = 0; i + 1 < count; ++i)
      if (program_.steps[i].kind != Kind::Leaf && random_.chance(0.25)) outputs.push_back(static_cast<int>(i));
    program_.outputs = outputs;
  }

  Random random_;
  Wish wish_;
  Program program_;
  std::vector<size_t> rows_;
  std::vector<Fact> facts_;
  bool failed_ = false;
};

} // namespace

Program generate(uint64_t seed, const Wish &wish) { return Generator(seed, wish).program(); }

std::vector<int64_t> otherSizes(const Program &program, uint64_t seed) {
  Random random(seed);
  std::vector<int64_t> sizes = program.sizes;
  sizes[static_cast<size_t>(random.below(static_cast<int64_t>(sizes.size())))] = drawSize(random, true);
  return sizes;
}

} // namespace tensorjit::fuzz
