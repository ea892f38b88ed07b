#include "Case.h"
#include "CallTable.h"
#include "Compare.h"
#include "device/Stream.h"
#include "tensorjit/autograd.h"
#include "tensorjit/compile.h"
#include "tensorjit/creation.h"
#include "tensorjit/ops.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

namespace tensorjit::run {
namespace {

using nlohmann::json;

/// What a call of a case left behind.
struct Results {
  std::vector<Tensor> values, gradients, second;
};

std::string errorName(const std::exception &e) {
#define TENSORJIT_NAME(type)                                                                                           \
  if (dynamic_cast<const type *>(&e)) return #type;
  TENSORJIT_NAME(shape_error)
  TENSORJIT_NAME(type_error)
  TENSORJIT_NAME(value_error)
  TENSORJIT_NAME(index_error)
  TENSORJIT_NAME(alias_error)
  TENSORJIT_NAME(grad_error)
  TENSORJIT_NAME(device_error)
  TENSORJIT_NAME(out_of_memory)
  TENSORJIT_NAME(not_supported)
  TENSORJIT_NAME(io_error)
  TENSORJIT_NAME(compile_error)
#undef TENSORJIT_NAME
  return dynamic_cast<const Error *>(&e) ? "Error" : "foreign exception";
}

/// A tensor of the library with these elements. Throws `not_supported` for a dtype that is not built.
Tensor toTensor(const RawTensor &raw) {
  Tensor t = empty(raw.sizes, raw.dtype);
  if (!raw.bytes.empty()) std::memcpy(t.data_ptr(), raw.bytes.data(), raw.bytes.size());
  return t;
}

Tensor applyView(Tensor t, const json &steps) {
  for (const json &step : steps) {
    auto kind = step.at(0).get<std::string>();
    if (kind == "slice") {
      auto bound = [&](size_t i) {
        return step.at(i).is_null() ? std::nullopt : std::optional(step.at(i).get<int64_t>());
      };
      t = t.slice(step.at(1).get<int64_t>(), bound(2), bound(3), step.at(4).is_null() ? 1 : step.at(4).get<int64_t>());
    } else if (kind == "permute") {
      t = t.permute(Shape(step.at(1).get<std::vector<int64_t>>()));
    } else if (kind == "expand") {
      t = t.expand(Shape(step.at(1).get<std::vector<int64_t>>()));
    } else if (kind == "select") {
      t = t.select(step.at(1).get<int64_t>(), step.at(2).get<int64_t>());
    } else {
      throw Error("unknown view step " + kind);
    }
  }
  return t;
}

/// One case of the file, ready to be called.
class Case {
public:
  Case(const json &description, const CaseTensors &file, Device device)
      : j_(description), file_(file), device_(device) {
    const json &args = j_.at("args");
    for (size_t i = 0; i < args.size(); ++i) {
      operands_.push_back(value(args[i]));
      if (auto key = std::to_string(i); j_.contains("view") && j_["view"].contains(key))
        operands_.back() = applyView(std::get<Tensor>(operands_.back()), j_["view"][key]).detach();
    }
    if (!j_.contains("grad")) return;
    for (const json &of : j_["grad"].at("of")) {
      Tensor &leaf = operand(of);
      leaf.requires_grad_();
      leaves_.push_back(leaf);
    }
    for (const json &key : j_["grad"].value("out", json::array()))
      incoming_.push_back(key.is_null() ? Tensor() : tensorAt(key));
    if (j_.contains("second"))
      for (const json &key : j_["second"].at("dir")) directions_.push_back(tensorAt(key));
  }

  /// The call, its backward pass, and the backward pass of that.
  Results run(const Call &call) const {
    static const json none = json::object();
    Results r;
    CallArgs args(operands_, j_.contains("attrs") ? j_["attrs"] : none);
    r.values = call(args);
    args.requireAllTaken();
    if (leaves_.empty()) return r;
    std::vector<Tensor> outputs, weights;
    // A case whose backward raises need not say what comes in.
    if (!j_["grad"].contains("out")) {
      outputs.push_back(r.values.at(0));
      weights.push_back(ones_like(r.values[0]));
    }
    for (size_t i = 0; i < incoming_.size() && i < r.values.size(); ++i) {
      if (!incoming_[i].defined()) continue;
      outputs.push_back(r.values[i]);
      // A gradient has the dtype of its result.
      weights.push_back(incoming_[i].dtype() == r.values[i].dtype() ? incoming_[i]
                                                                    : incoming_[i].to(r.values[i].dtype()));
    }
    bool again = !directions_.empty();
    r.gradients = autograd::grad(outputs, leaves_, weights, again, again, /*allow_unused=*/true);
    if (again) {
      std::vector<Tensor> terms;
      std::vector<Tensor> dirs;
      for (size_t i = 0; i < r.gradients.size(); ++i) {
        if (!r.gradients[i].defined() || !r.gradients[i].requires_grad()) continue;
        terms.push_back(r.gradients[i]);
        dirs.push_back(directions_[i]);
      }
      r.second = autograd::grad(terms, leaves_, dirs, false, false, /*allow_unused=*/true);
    }
    return r;
  }

  std::optional<std::string> check(const Results &r) const {
    const json &expect = j_.at("expect");
    if (r.values.size() != expect.size())
      return std::to_string(r.values.size()) + " results, expected " + std::to_string(expect.size());
    for (size_t i = 0; i < expect.size(); ++i) {
      if (!r.values[i].defined()) return "result " + std::to_string(i) + " is undefined";
      std::string wanted = j_.at("dtypes")[i];
      if (wanted != name(r.values[i].dtype()))
        return "result " + std::to_string(i) + ": dtype " + name(r.values[i].dtype()) + ", expected " + wanted;
      if (auto d = compare("result", i, r.values[i], expect[i], j_.at("compare")[i])) return d;
    }
    for (auto [key, label, values] : {std::tuple{"grad", "gradient", &r.gradients}, {"second", "second", &r.second}}) {
      if (!j_.contains(key)) continue;
      for (size_t i = 0; i < leaves_.size(); ++i) {
        const json &section = j_[key];
        Tensor got = (*values)[i].defined() ? (*values)[i] : zeros_like(leaves_[i]);
        if (got.dtype() != leaves_[i].dtype())
          return std::string(label) + " " + std::to_string(i) + ": dtype " + name(got.dtype()) + ", expected " +
                 name(leaves_[i].dtype());
        if (auto d = compare(label, i, got, section.at("expect")[i], section.at("compare")[i])) return d;
      }
    }
    return std::nullopt;
  }

private:
  Tensor tensorAt(const json &key) const { return toTensor(file_.at(key)).to(device_); }

  Value value(const json &j) const {
    if (j.is_null()) return {};
    if (j.is_object() && j.contains("t")) return tensorAt(j["t"]);
    if (!j.is_array() && (!j.is_object() || !j.contains("list"))) return scalarOf(j);
    List list;
    for (const json &item : j.is_array() ? j : j["list"]) list.push_back(value(item));
    return list;
  }

  Tensor &operand(const json &of) {
    if (of.is_number()) return std::get<Tensor>(operands_.at(of.get<size_t>()));
    return std::get<Tensor>(std::get<List>(operands_.at(of.at(0).get<size_t>())).at(of.at(1).get<size_t>()));
  }

  std::optional<std::string> compare(const char *label, size_t i, const Tensor &got, const std::string &key,
                                     const json &limits) const {
    Bound bound;
    bound.cls = limits.at("class").get<std::string>()[0];
    bound.ulp = limits.value("ulp", 0.0);
    bound.rtol = limits.value("rtol", 0.0);
    if (limits.contains("atol")) {
      if (limits["atol"].is_object()) bound.atolPerElement = &file_.at(limits["atol"]["t"]);
      else bound.atol = limits["atol"].get<double>();
    }
    Tensor dense = got.detach().cpu().contiguous();
    auto d = difference(raw(dense), file_.at(key), bound);
    return d ? std::optional(std::string(label) + " " + std::to_string(i) + " " + *d) : std::nullopt;
  }

  const json &j_;
  const CaseTensors &file_;
  Device device_;
  List operands_;
  std::vector<Tensor> leaves_, incoming_, directions_;
};

bool accepts(const json &expected, const std::string &name) {
  if (expected.is_string()) return expected == name;
  return std::find(expected.begin(), expected.end(), name) != expected.end();
}

} // namespace

Outcome runCase(const json &j, const CaseTensors &file, bool compiled, Device device) {
  const Call *call = findCall(j.at("op"));
  if (!call) return {Status::Unknown, "skipped: unknown op"};
  const bool wantsError = j.contains("error");
  try {
    Case c(j, file, device);
    Results results;
    auto body = [&] { results = c.run(*call); };
    if (compiled) tensorjit::compile(body)();
    else body();
    if (!device.is_cpu()) device::synchronizeAll(device); // what index checks have found
    if (wantsError) return {Status::Failed, "no error, expected " + j["error"].dump()};
    if (auto wrong = c.check(results)) return {Status::Failed, *wrong};
    return {};
  } catch (const std::exception &e) {
    auto name = errorName(e);
    if (wantsError && accepts(j["error"], name)) return {};
    if (name == "not_supported") return {Status::Unsupported, std::string("skipped: not supported: ") + e.what()};
    return {Status::Failed, (wantsError ? "other error: " : "error: ") + name + ": " + e.what()};
  }
}

} // namespace tensorjit::run
