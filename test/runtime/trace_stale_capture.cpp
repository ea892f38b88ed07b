#include "FakeCompiler.h"
#include "StaleCaptures.h"

using namespace tensorjit;
using namespace tensorjit::testing;

struct StaleCapture : WithFakeCompiler {
  /// Six calls, so that paths seen before are met again: 0, 1, 0, 1, 1, 0.
  template <class World> static void follow(const std::string &name, World &plain, World &traced) {
    auto compiled = compile([&traced] { return traced.run(); });
    int call = 0;
    for (int k : {0, 1, 0, 1, 1, 0}) {
      plain.prepare(k);
      traced.prepare(k);
      Tensors want = plain.run(), got = compiled();
      ASSERT_EQ(want.size(), got.size()) << name;
      for (size_t i = 0; i < want.size(); ++i)
        expectSame(got[i], want[i], name + ", call " + std::to_string(call) + ", result " + std::to_string(i));
      ++call;
    }
    EXPECT_EQ(compiled.stats().calls, 6) << name;
    EXPECT_GT(compiles, 0) << name;
  }
};

TEST_F(StaleCapture, EveryToggleIsSeen) {
  forEachStaleCapture([](const std::string &name, auto world) {
    compiles = 0;
    decltype(world) plain, traced;
    follow(name, plain, traced);
  });
}

TEST_F(StaleCapture, NestedCompile) {
  NestedCompile plain, traced;
  follow("nested compile", plain, traced);
}
