#include "Check.h"

#include "../SameBits.h"
#include "Analysis.h"
#include "Generate.h"
#include "Rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>
#include <typeinfo>

namespace tensorjit::fuzz {

namespace {

/// All that a call leaves behind.
struct Outcome {
  std::vector<Tensor> values; ///< outputs, then each leaf's base and gradient
  std::string error;          ///< type and text
};

template <class Body> Outcome outcomeOf(const Program &program, const Inputs &inputs, Body &&body) {
  Outcome outcome;
  try {
    outcome.values = body();
    for (Tensor &t : outcome.values) t = t.detach().cpu().clone();
  } catch (const Error &e) {
    outcome.error = std::string(typeid(e).name()) + ": " + e.what();
    outcome.values.assign(program.outputs.size(), Tensor());
  }
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const Tensor &base = inputs.base(i);
    outcome.values.push_back(base.defined() ? base.detach().cpu().clone() : base);
    const bool hasGrad = base.defined() && base.requires_grad() && base.grad().defined();
    outcome.values.push_back(hasGrad ? base.grad().detach().cpu().clone() : Tensor());
  }
  return outcome;
}

Inputs::Options optionsOf(const Program &program, int call) {
  Inputs::Options options;
  options.variant = call < 2 ? 0 : call - 1;
  if (call == calls - 1) options.sizes = otherSizes(program, program.seed + 3);
  return options;
}

/// Operands in row-major order, where no view comes of them.
struct DenseOperands : Observer {
  explicit DenseOperands(const Program &p) : program(p) {}
  Tensor operand(size_t step, const Tensor &t) override {
    const Step &s = program.steps[step];
    const bool viewed = s.kind == Kind::Sample ? rows()[s.row].cls == OpClass::E : s.kind != Kind::Pointwise;
    return viewed ? t : t.contiguous();
  }
  const Program &program;
};

/// Moves what enters and leaves steps of class T by about the bound of that class.
struct Nudged : Observer {
  Nudged(const Program &p, const std::vector<Fact> &f, uint64_t seed) : program(p), facts(f), random(seed) {}
  bool applies(size_t step) const {
    const Step &s = program.steps[step];
    if (s.kind == Kind::Backward) return true;
    const Fact &f = facts[step];
    if (s.kind == Kind::Number || s.kind == Kind::Draw) return f.dtype == DType::F64 && !f.exactOnCuda;
    if (s.kind != Kind::Sample && s.kind != Kind::Pointwise) return false;
    const OpClass cls = rows()[s.row].cls;
    return cls == OpClass::T ? !f.exact : cls == OpClass::M && f.dtype == DType::F64 && !f.exactOnCuda;
  }
  Tensor nudge(const Tensor &t) {
    if (!isFloat(t.dtype())) return t;
    std::vector<double> factors(static_cast<size_t>(t.numel()));
    for (double &f : factors) f = 1 + classTStep(t.dtype()) * random.real(-1, 1);
    return t * reshape(tensor(factors, kDouble), t.sizes()).to(t.dtype());
  }
  Tensor operand(size_t step, const Tensor &t) override { return applies(step) ? nudge(t) : t; }
  Tensor result(size_t step, const Tensor &t) override {
    return applies(step) && program.steps[step].kind != Kind::Backward ? nudge(t) : t;
  }
  const Program &program;
  const std::vector<Fact> &facts;
  Random random;
};

/// Turns the sign of the zeros that sums give, of which nothing is promised.
struct TurnedZeros : Observer {
  explicit TurnedZeros(const Program &p) : program(p) {}
  Tensor result(size_t step, const Tensor &t) override {
    const Step &s = program.steps[step];
    if (s.kind != Kind::Sample || rows()[s.row].cls != OpClass::T || !isFloat(t.dtype())) return t;
    return where(eq(t, 0), t.neg(), t);
  }
  const Program &program;
};

std::vector<double> numbersOf(const Tensor &t) {
  const Tensor x = t.to(kDouble).contiguous();
  return {x.data_ptr<double>(), x.data_ptr<double>() + x.numel()};
}

class Oracle {
public:
  Oracle(const Program &program, const Inputs::Options &options)
      : program_(program), options_(options), inputs_(program, options), analysis_(program) {
    outcome_ = outcomeOf(program, inputs_, [&] { return execute(program, inputs_, &analysis_); });
  }
  const Inputs &inputs() const { return inputs_; }

  /// Empty where `got` is what it should be.
  std::string compare(const Outcome &got, bool cuda) {
    if (got.error != outcome_.error && !(cuda && !got.error.empty() && !outcome_.error.empty()))
      return "error '" + got.error + "' instead of '" + outcome_.error + "'";
    for (size_t i = 0; i < got.values.size(); ++i) {
      const Tensor &a = outcome_.values[i], &b = got.values[i];
      if (a.defined() != b.defined()) return where(i) + (b.defined() ? " is there" : " is missing");
      if (!a.defined()) continue;
      if (a.dtype() != b.dtype() || a.sizes() != b.sizes())
        return where(i) + " is " + name(b.dtype()) + b.sizes().str() + " instead of " + name(a.dtype()) +
               a.sizes().str();
      if (test::sameBits(b, a) || open(i)) continue;
      std::string wrong = exact(i, cuda) ? difference(a, b, openZeros(i)) : close(i, a, b);
      if (!wrong.empty()) return where(i) + wrong;
    }
    return "";
  }

private:
  std::string where(size_t i) const {
    if (i < program_.outputs.size()) return "v" + std::to_string(program_.outputs[i]);
    i -= program_.outputs.size();
    return "v" + std::to_string(i / 2) + (i % 2 ? ", a leaf's gradient" : ", a leaf's memory");
  }

  /// Nothing is promised of the values, or of the gradients beside such values.
  bool open(size_t i) const {
    const auto &facts = analysis_.facts();
    if (i < program_.outputs.size()) return facts[static_cast<size_t>(program_.outputs[i])].open;
    i -= program_.outputs.size();
    if (i % 2 == 0) return facts[i / 2].open;
    return std::any_of(facts.begin(), facts.end(), [](const Fact &f) { return f.open; });
  }

  bool exact(size_t i, bool cuda) const {
    const bool output = i < program_.outputs.size();
    if (!output && (i - program_.outputs.size()) % 2) return false;
    const size_t step = output ? static_cast<size_t>(program_.outputs[i]) : (i - program_.outputs.size()) / 2;
    if (!outcome_.error.empty() || analysis_.facts()[step].root < 0) return false;
    return cuda ? analysis_.facts()[step].exactOnCuda : analysis_.facts()[step].exact;
  }

  static std::string difference(const Tensor &a, const Tensor &b, const std::vector<double> &allowed) {
    const auto x = numbersOf(a), y = numbersOf(b);
    for (size_t k = 0; k < x.size(); ++k) {
      if (std::isnan(x[k]) && std::isnan(y[k])) continue;
      const bool same = x[k] == y[k] && std::signbit(x[k]) == std::signbit(y[k]);
      if (same) continue;
      if (std::isnan(allowed[k]) || std::abs(x[k] - y[k]) <= allowed[k]) continue;
      std::ostringstream os;
      os.precision(17);
      os << '[' << k << "] of " << name(a.dtype()) << a.sizes().str() << " is " << y[k] << " instead of " << x[k];
      if (allowed[k] < 0) os << ", which should be the same bits";
      else os << ", further than " << allowed[k];
      return os.str();
    }
    return "";
  }

  /// -1 for an element that must have its bits, NaN for one that depends on the sign of a zero of a sum.
  std::vector<double> openZeros(size_t i) {
    if (turned_.values.empty()) {
      Inputs inputs(program_, options_);
      inputs.takeIndices(inputs_);
      TurnedZeros observer(program_);
      turned_ = outcomeOf(program_, inputs, [&] { return execute(program_, inputs, &observer); });
    }
    const auto x = numbersOf(outcome_.values[i]);
    std::vector<double> allowed(x.size(), -1);
    if (!turned_.values[i].defined() || turned_.values[i].sizes() != outcome_.values[i].sizes()) return allowed;
    const auto y = numbersOf(turned_.values[i]);
    for (size_t k = 0; k < x.size(); ++k)
      if (std::memcmp(&x[k], &y[k], sizeof x[k]) && !(std::isnan(x[k]) && std::isnan(y[k]))) allowed[k] = NAN;
    return allowed;
  }

  /// How far nudged runs move value i; NaN where they do not agree on what is finite.
  std::vector<double> movement(size_t i, size_t runs) {
    while (nudged_.size() < runs) {
      auto options = options_;
      options.nudges = nudged_.size() + 1;
      Inputs inputs(program_, options);
      inputs.takeIndices(inputs_);
      Nudged observer(program_, analysis_.facts(), nudged_.size() + 7);
      nudged_.push_back(outcomeOf(program_, inputs, [&] { return execute(program_, inputs, &observer); }));
    }
    const auto x = numbersOf(outcome_.values[i]);
    std::vector<double> most(x.size());
    for (size_t r = 0; r < runs; ++r) {
      const Tensor &moved = nudged_[r].values[i];
      if (!moved.defined() || moved.sizes() != outcome_.values[i].sizes()) return std::vector<double>(x.size(), NAN);
      const auto y = numbersOf(moved);
      for (size_t k = 0; k < x.size(); ++k) {
        if (std::isfinite(x[k]) != std::isfinite(y[k])) most[k] = NAN;
        else if (std::isfinite(x[k])) most[k] = std::max(most[k], std::abs(x[k] - y[k]));
      }
    }
    return most;
  }

  std::string close(size_t i, const Tensor &a, const Tensor &b) {
    std::string wrong;
    for (size_t runs : {size_t(4), size_t(32)}) {
      std::vector<double> allowed = movement(i, runs);
      const auto x = numbersOf(a);
      const double unit = a.dtype() == DType::F16    ? 0x1p-10
                          : a.dtype() == DType::BF16 ? 0x1p-7
                          : a.dtype() == DType::F64  ? 0x1p-50
                                                     : 0x1p-22;
      for (size_t k = 0; k < x.size(); ++k) allowed[k] = 8 * allowed[k] + 2 * unit * std::abs(x[k]) + 1e-37;
      wrong = difference(a, b, allowed);
      if (wrong.empty()) return "";
    }
    return wrong;
  }

  const Program &program_;
  Inputs::Options options_;
  Inputs inputs_;
  Analysis analysis_;
  Outcome outcome_;
  std::vector<Outcome> nudged_;
  Outcome turned_;
};

} // namespace

std::vector<Mode> allModes() {
  using M = Options::Mode;
  return {{"dense", kCPU, true},
          {"no-codegen", kCPU, false, true, M::NoCodegen},
          {"no-fuse", kCPU, false, true, M::NoFuse},
          {"full", kCPU, false, true, M::Full},
          {"cuda", kCUDA},
          {"cuda-no-fuse", kCUDA, false, true, M::NoFuse},
          {"cuda-full", kCUDA, false, true, M::Full}};
}

std::string check(const Program &program, const Mode &mode) {
  Options options;
  options.mode = mode.compile;
  options.strict = true;
  const Inputs *inputs = nullptr;
  auto compiled = compile([&] { return execute(program, *inputs); }, options);
  for (int call = 0; call < calls; ++call) {
    auto own = optionsOf(program, call);
    std::string wrong;
    try {
      Oracle oracle(program, own);
      own.device = mode.device;
      Inputs there(program, own);
      there.takeIndices(oracle.inputs());
      inputs = &there;
      DenseOperands dense(program);
      const Outcome got = outcomeOf(program, there, [&] {
        return mode.compiled ? compiled() : execute(program, there, mode.dense ? &dense : nullptr);
      });
      wrong = oracle.compare(got, mode.device.is_cuda());
    } catch (const TooLarge &) { // other sizes may be
      continue;
    } catch (const Error &e) { // a leaf may not
      if (call < calls - 1) wrong = e.what();
    }
    if (!wrong.empty()) return "call " + std::to_string(call) + ": " + wrong;
  }
  return "";
}

} // namespace tensorjit::fuzz
