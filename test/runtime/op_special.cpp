// Functions of our own: of f64 against values computed with 50 digits, of f32 against those of f64.
#include "tensorjit/tensorjit.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <span>

using namespace tensorjit;

namespace {

struct Value {
  double x, y;
};

const Value lgammas[] = {
    {0x1.16c2p-133, 92.1034091096648769},
    {0x1.4f8b58p-17, 11.5129197181580967},
    {0x1.99999ap-4, 2.25271263620160081},
    {0x1.ffe5cap-2, 0.572561292662794894},
    {0x1.8p-1, 0.203280951431295371},
    {0x1.00068ep0, -0.0000577229177689888515},
    {0x1.762d86p0, -0.121486290535849533},
    {0x1.cp0, -0.084401121020485556},
    {0x1.fff972p0, -0.0000422822233568111712},
    {0x1.000346p1, 0.0000422382673331738426},
    {0x1.3ffcbap1, 0.284612629410322738},
    {0x1.a66666p1, 0.987098528550553497},
    {0x1.ep2, 7.53436423675873296},
    {0x1.ffae14p3, 27.8718638487195131},
    {0x1.08p4, 29.2777545150408146},
    {0x1.edp6, 468.614482950516644},
    {0x1.e848p19, 12815504.5691476117},
    {0x1.20e3b6p121, 2.48975030565289923e+38},
    {-0x1.4484cp-100, 69.0775527866502937},
    {-0x1.333334p-2, 1.46484002566498775},
    {-0x1p-1, 1.2655121234846454},
    {-0x1.4cccccp0, 1.20247592384037235},
    {-0x1.3a7fcap1, -1.12878425296458158e-7},
    {-0x1.5fb41p1, -1.44181679877783644e-7},
    {-0x1.9260dcp1, -1.96054615416142467e-7},
    {-0x1.fffe5cp2, -1.39540527094517138},
    {-0x1.400002p3, -1.24147120468119906},
    {-0x1.fp3, -28.1330246291914144},
    {-0x1.100418p4, -26.5996278537519363},
    {-0x1.42p5, -109.755438065339832},
    {-0x1.f40cccp9, -5910.49951536640159},
    {-0x1.86a08p16, -1051303.83363571849},
};
const Value digammas[] = {
    {0x1.b38fb8p-127, -1.00000006495436383e+38},
    {0x1.4f8b58p-17, -100000.579725428229},
    {0x1.99999ap-4, -10.4237547892636849},
    {0x1.ffe5cap-2, -1.96400352519867764},
    {0x1.fff2e4p-1, -0.57738019762978525},
    {0x1.00068ep0, -0.577051156222398144},
    {0x1.762d86p0, -1.20360525491066695e-8},
    {0x1.cp0, 0.247472453546861164},
    {0x1.4p1, 0.703156640645243187},
    {0x1.a66666p1, 1.03482247220335455},
    {0x1.fffcbap1, 1.25608931486143532},
    {0x1.0001a4p2, 1.25614608887016738},
    {0x1.ep2, 1.94675748424608679},
    {0x1.edp6, 4.81015253196481888},
    {0x1.e848p19, 13.8155100579641908},
    {0x1.20e3b6p121, 83.9916756509628455},
    {-0x1.4484cp-100, 9.99999996828923159e+29},
    {-0x1.333334p-2, 2.1133096133961387},
    {-0x1.02172cp-1, -2.60254955029935876e-7},
    {-0x1.92d0ccp0, -1.42264490245067775e-7},
    {-0x1.4e2c1ap1, -4.81110764929540669e-8},
    {-0x1.4p1, 1.10315664064524319},
    {-0x1.533334p3, 1.38651334726280227},
    {-0x1.fp3, 2.7727513716226235},
    {-0x1.100418p4, 1003.40872420954902},
    {-0x1.f40cccp9, 16.579707038443776},
};
const Value erfinvs[] = {
    {0x1.16c2p-133, 8.86222148788422819e-41}, {0x1.5798eep-27, 8.86226920066739624e-9},
    {0x1.47ae14p-7, 0.0088625010828478847},   {0x1.333334p-2, 0.272462726105523775},
    {-0x1.333334p-2, -0.272462726105523775},  {0x1p-1, 0.476936276204469873},
    {0x1.666666p-1, 0.732869059882758908},    {0x1.ccccccp-1, 1.16308707194577224},
    {0x1.fae148p-1, 1.82138660090027777},     {0x1.fe76c8p-1, 2.09850609165298021},
    {0x1.fec56ep-1, 2.14654620198233543},     {0x1.fffebp-1, 3.12320577116507076},
    {0x1.fffffcp-1, 3.74392116277679962},     {-0x1.fffffep-1, -3.83250685690071091},
};

struct Function {
  const char *name;
  Tensor (*call)(const Tensor &, SourceLocation);
  std::span<const Value> values;
  double nearZeros; ///< absolute error that the op contract allows beside 4 ulp of f32
};
const Function functions[] = {
    {"lgamma", lgamma, lgammas, 0x1p-21}, {"digamma", digamma, digammas, 0x1p-21}, {"erfinv", erfinv, erfinvs, 0}};

double ulp(double y, int digits, int lowest) {
  int exponent;
  std::frexp(y, &exponent);
  return std::ldexp(1.0, std::max(exponent - digits, lowest));
}

class Special : public testing::TestWithParam<Function> {};

TEST_P(Special, HasTheValuesOfWideArithmetic) {
  for (const Value &v : GetParam().values) {
    const double wide = GetParam().call(tensor(v.x, kDouble), SourceLocation::current()).item<double>();
    // Near a zero the argument's own last place stands for more than the result's.
    EXPECT_NEAR(wide, v.y, 6 * ulp(v.y, 53, -1074) + GetParam().nearZeros * 0x1p-29) << v.x;
    const double narrow = GetParam().call(tensor(v.x, kFloat), SourceLocation::current()).item<double>();
    EXPECT_NEAR(narrow, v.y, 4 * ulp(v.y, 24, -149) + GetParam().nearZeros) << v.x;
  }
}

TEST_P(Special, StaysWithinItsBoundOverAllOfF32) {
  std::vector<float> inputs;
  for (uint64_t bits = 0; bits < (1ull << 32); bits += 65521)
    inputs.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  for (int i = -4000; i < 4000; ++i) inputs.push_back(static_cast<float>(i) * 0.00997f);
  for (int i = 1; i < 24; ++i) inputs.push_back(1 - std::ldexp(1.f, -i));
  const Tensor x = tensor(inputs);
  const Tensor narrow = GetParam().call(x, SourceLocation::current()).to(kDouble);
  const Tensor wide = GetParam().call(x.to(kDouble), SourceLocation::current());
  for (int64_t i = 0; i < x.numel(); ++i) {
    const double got = narrow.data_ptr<double>()[i], expected = wide.data_ptr<double>()[i];
    if (std::isnan(expected) || std::isinf(static_cast<float>(expected))) {
      ASSERT_TRUE(std::isnan(expected) ? std::isnan(got) : got == std::copysign(INFINITY, expected))
          << GetParam().name << '(' << x.data_ptr<float>()[i] << ") = " << got << ", expected " << expected;
      continue;
    }
    ASSERT_LE(std::fabs(got - expected), 4 * ulp(expected, 24, -149) + GetParam().nearZeros)
        << GetParam().name << '(' << x.data_ptr<float>()[i] << ") = " << got << ", expected " << expected;
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, Special, testing::ValuesIn(functions),
                         [](const auto &test) { return std::string(test.param.name); });

} // namespace
