// A program whose locale writes "1.234,5": what the library prints, parses and writes has points.
#include "Work.h"

#include <clocale>
#include <filesystem>
#include <iostream>
#include <locale>
#include <sstream>

struct Comma : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

template <class F> static std::string errorOf(F body) {
  try {
    body();
  } catch (const tj::Error &e) {
    return e.what();
  }
  return "";
}

static bool contains(const std::string &text, const char *part) {
  if (text.find(part) != text.npos) return true;
  std::cerr << text << "\n";
  return false;
}

int main() {
  std::locale::global(std::locale(std::locale::classic(), new Comma));
  // The C library's own, which the test has made (LOCPATH).
  REQUIRE(std::setlocale(LC_ALL, "de_DE.UTF-8"));
  REQUIRE(std::string(std::localeconv()->decimal_point) == ",");

  std::ostringstream text;
  text << tj::tensor({1234.5f, -0.25f}) << tj::tensor({1234567}) << tj::tensor(0.1, tj::kFloat64);
  REQUIRE(contains(text.str(), "[1234.5, -0.25]"));
  REQUIRE(contains(text.str(), "[1234567]"));
  REQUIRE(contains(text.str(), "0.1 f64"));
  REQUIRE(contains(
      errorOf([] { tj::nn::functional::dropout(tj::ones({1}), tj::nn::functional::DropoutFuncOptions().p(1.5)); }),
      "1.5"));
  REQUIRE(contains(errorOf([] { tj::optim::Adam({tj::ones({1})}, tj::optim::AdamOptions(-0.5)); }), "-0.5"));
  REQUIRE(contains(errorOf([] { tj::ones({3, 4}) + tj::ones({1234, 5678}); }), "[1234x5678]"));

  const auto folder = std::filesystem::temp_directory_path() / ("tensorjit-locale-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const tj::Tensor values = tj::arange(5000, tj::kFloat32) * 0.5 + 0.25;
  tj::data::write_npy(folder / "x.npy", values);
  REQUIRE(tj::equal(tj::data::read_npy(folder / "x.npy"), values));
  tj::optim::SGD sgd({tj::ones({5000})}, 0.125), other({tj::ones({5000})}, 0.5);
  tj::save(sgd, folder / "x.safetensors");
  tj::load(other, folder / "x.safetensors");
  REQUIRE(other.param_groups()[0].options().get_lr() == 0.125);

  auto f = tj::compile([](const tj::Tensor &x) { return x * 0.3 + 1234567.5; }, testOptions());
  REQUIRE(tj::equal(f(values), values * 0.3 + 1234567.5));
  for (int i = 1; i < 1234; ++i) f(values);
  REQUIRE(contains(f.explain(), "1234 calls, "));
  f.save(folder / "f", values);
  REQUIRE(tj::equal(tj::LoadedExecutable(folder / "f").run({values})[0], values * 0.3 + 1234567.5));
  std::filesystem::remove_all(folder);

  // And it is still the program's.
  REQUIRE(std::use_facet<std::numpunct<char>>(std::locale()).decimal_point() == ',');
  REQUIRE(std::string(std::localeconv()->decimal_point) == ",");
  Work().run();
}
