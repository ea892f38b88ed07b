// Entries on disk: they come back as they were, and whatever is wrong with one costs a warning and a compile.
#include "cache/CacheKey.h"
#include "cache/ExecutableCache.h"
#include "execute/CallPlan.h"
#include "op/PointwiseIds.h"
#include "tensorjit/logging.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <unistd.h>

namespace fs = std::filesystem;
using namespace tensorjit;
using cache::CachedExecutable;
using cache::ExecutableCache;

namespace {

Graph graphOf(OpId op, int64_t size, const char *file = "model.cpp", uint32_t line = 41) {
  const TensorType type{DType::F32, {size}};
  Graph graph;
  graph.types = {type, type};
  graph.numInputs = 1;
  graph.nodes = {{op, {0}, {}, 1, 0}};
  graph.outputs = {{1, -1}};
  graph.lines = {{file, line}};
  graph.name = "sample";
  return graph;
}

std::vector<std::byte> keyOf(const Graph &graph, const CompileOptions &options = {}) {
  return cache::key(graph, options, "a compiler");
}

std::string contents(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void overwrite(const fs::path &path, const std::string &text) { std::ofstream(path, std::ios::binary) << text; }

struct Cache : testing::Test {
  fs::path folder;
  std::vector<std::string> warnings;
  Graph graph = graphOf(opid::Neg, 4);
  std::vector<std::byte> key = keyOf(graph);
  CachedExecutable entry{planCalls(graph), {"a note"}, {}};

  void SetUp() override {
    folder = fs::temp_directory_path() / ("tensorjit-cache-" + std::to_string(getpid()));
    fs::remove_all(folder);
    set_log_sink([this](std::string_view line) { warnings.emplace_back(line); });
  }
  void TearDown() override {
    set_log_sink(nullptr);
    fs::remove_all(folder);
  }
  ExecutableCache cache(uint64_t bytes = 1 << 20) const { return {folder / "of" / "the user", bytes}; }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (auto &file : fs::recursive_directory_iterator(folder))
      if (file.is_regular_file()) found.push_back(file.path());
    return found;
  }
};

} // namespace

TEST_F(Cache, ComesBackAsItWas) {
  EXPECT_FALSE(cache().find(key));
  EXPECT_FALSE(fs::exists(folder)); // looking makes nothing
  cache().store(key, entry);
  auto found = cache().find(key);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->fusionNotes, entry.fusionNotes);
  ASSERT_EQ(found->executable.steps.size(), 1u);
  EXPECT_EQ(found->executable.steps[0].op, opid::Neg);
  EXPECT_EQ(found->executable.outputs[0].type, entry.executable.outputs[0].type);
  EXPECT_EQ(files().size(), 1u);
  EXPECT_TRUE(warnings.empty());
}

TEST_F(Cache, KeysTellApartWhatCompilesApart) {
  std::vector<std::vector<std::byte>> keys = {key, keyOf(graphOf(opid::Abs, 4)), keyOf(graphOf(opid::Neg, 5))};
  CompileOptions noFuse, otherCpu, device;
  noFuse.mode = CompileOptions::Mode::NoFuse;
  otherCpu.cpu = "x86-64-v3";
  device.cudaArch = 90;
  for (const CompileOptions &options : {noFuse, otherCpu, device}) keys.push_back(keyOf(graph, options));
  Graph other = graph;
  other.types[0].dtype = other.types[1].dtype = DType::F64;
  keys.push_back(keyOf(other));
  other = graph;
  other.nodes[0].attrs.addInt(1);
  keys.push_back(keyOf(other));
  other = graph;
  other.outputs[0].updatesInput = 0;
  keys.push_back(keyOf(other));
  other = graph;
  other.device = DeviceType::CUDA;
  keys.push_back(keyOf(other));
  other.hostInputs = {true};
  keys.push_back(keyOf(other));
  other = graph;
  other.types[0].sizes = other.types[1].sizes = {2, 2};
  keys.push_back(keyOf(other));
  other.inputOrders = {MemoryOrder({1, 0})};
  keys.push_back(keyOf(other));
  keys.push_back(cache::key(graph, {}, "another compiler"));
  for (size_t i = 0; i < keys.size(); ++i)
    for (size_t j = 0; j < i; ++j) EXPECT_NE(keys[i], keys[j]) << i << " and " << j;
  // Where the user's code stands and what it calls the graph decides nothing.
  Graph moved = graphOf(opid::Neg, 4, "other.cpp", 7);
  moved.name = "another";
  EXPECT_EQ(keyOf(moved), key);
}

TEST_F(Cache, DropsWhatIsDamaged) {
  cache().store(key, entry);
  const fs::path path = files().at(0);
  const std::string good = contents(path);
  std::mt19937 random(1);
  auto expectDropped = [&](const std::string &text) {
    overwrite(path, text);
    warnings.clear();
    EXPECT_FALSE(cache().find(key));
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find(path), std::string::npos) << warnings[0];
    EXPECT_FALSE(fs::exists(path));
  };
  for (size_t length = 0; length < good.size(); length += 1 + length / 20) expectDropped(good.substr(0, length));
  for (int i = 0; i < 300; ++i) {
    std::string bad = good;
    bad[random() % bad.size()] ^= static_cast<char>(1 + random() % 255);
    expectDropped(bad);
  }
  overwrite(path, good);
  EXPECT_TRUE(cache().find(key));
}

// Two keys of one hash.
TEST_F(Cache, ComparesTheWholeKey) {
  cache().store(key, entry);
  const fs::path mine = files().at(0);
  const auto otherKey = keyOf(graphOf(opid::Abs, 4));
  cache().store(otherKey, {planCalls(graphOf(opid::Abs, 4)), {}, {}});
  for (const fs::path &path : files())
    if (path != mine) overwrite(path, contents(mine));
  EXPECT_TRUE(cache().find(key));
  EXPECT_FALSE(cache().find(otherKey));
  EXPECT_TRUE(warnings.empty());
}

TEST_F(Cache, ForgetsWhatOtherLibrariesMade) {
  fs::create_directories(folder);
  const fs::path library = folder / "libsomething.so";
  overwrite(library, "1");
  entry.libraries = {library};
  cache().store(key, entry);
  EXPECT_TRUE(cache().find(key));
  overwrite(library, "22");
  EXPECT_FALSE(cache().find(key));
  cache().store(key, entry);
  EXPECT_TRUE(cache().find(key));
  fs::last_write_time(library, fs::last_write_time(library) - std::chrono::hours(1));
  EXPECT_FALSE(cache().find(key));
  cache().store(key, entry);
  fs::remove(library); // nothing can make it anew
  EXPECT_TRUE(cache().find(key));
  EXPECT_TRUE(warnings.empty());
}

TEST_F(Cache, LeastRecentlyUsedGoesFirst) {
  cache().store(key, entry);
  const uint64_t bytes = fs::file_size(files().at(0));
  const ExecutableCache small = cache(bytes * 4 + bytes / 2);
  const fs::path foreign = files().at(0).parent_path() / "notes.txt";
  overwrite(foreign, std::string(bytes * 10, ' '));
  auto age = [&](std::chrono::hours hours) {
    for (const fs::path &path : files()) fs::last_write_time(path, fs::last_write_time(path) - hours);
  };
  std::vector<std::vector<std::byte>> keys = {key};
  for (int64_t size : {5, 6, 7, 8}) {
    age(std::chrono::hours(1));
    if (size == 8) {
      EXPECT_TRUE(small.find(keys[0])); // used: it stays
    }
    keys.push_back(keyOf(graphOf(opid::Neg, size)));
    small.store(keys.back(), {planCalls(graphOf(opid::Neg, size)), {"a note"}, {}});
  }
  std::vector<bool> there;
  for (const auto &k : keys) there.push_back(small.find(k).has_value());
  EXPECT_EQ(there, (std::vector<bool>{true, false, false, true, true}));
  EXPECT_TRUE(fs::exists(foreign));
}

// What lies there is run.
TEST_F(Cache, TrustsOnlyTheUsersOwnFolder) {
  cache().store(key, entry);
  const fs::path of = files().at(0).parent_path();
  EXPECT_EQ(fs::status(of).permissions(), fs::perms::owner_all);
  fs::permissions(of, fs::perms::others_write | fs::perms::others_exec, fs::perm_options::add);
  const ExecutableCache open = cache();
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(open.find(key));
  open.store(keyOf(graphOf(opid::Abs, 4)), entry);
  EXPECT_EQ(files().size(), 1u);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("others may write there"), std::string::npos) << warnings[0];
  if (geteuid() == 0) {
    fs::permissions(of, fs::perms::owner_all);
    ASSERT_EQ(chown(of.c_str(), 12345, getegid()), 0);
    EXPECT_FALSE(cache().find(key));
    ASSERT_EQ(warnings.size(), 2u);
    EXPECT_NE(warnings[1].find("another user"), std::string::npos) << warnings[1];
  }
}

TEST_F(Cache, WhereNothingCanBeWrittenOneWarningTells) {
  const ExecutableCache nowhere("/proc/none/cache", 1 << 20), file("/dev/null", 1 << 20);
  for (const ExecutableCache *c : {&nowhere, &file}) {
    warnings.clear();
    for (int i = 0; i < 3; ++i) {
      EXPECT_FALSE(c->find(key));
      c->store(key, entry);
    }
    EXPECT_EQ(warnings.size(), 1u);
  }
}
