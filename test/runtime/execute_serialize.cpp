#include "execute/Program.h"
#include "execute/Serialize.h"
#include "execute/Validate.h"
#include "op/OpId.h"
#include "tensorjit/error.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>

using namespace tensorjit;

namespace {

/// out = -x, state += 1 step of copying: one eager call and one copy through the arena.
SavedProgram sample() {
  TensorType type{DType::F32, {4}};
  SavedProgram p;
  Executable &e = p.executable;
  e.name = "sample";
  e.inputs = {{type, {}, -1}, {type, {}, -1}};
  e.outputs = {{type, {}, -1}, {type, {}, 1}};
  e.arenaBytes = 64;
  Step call;
  call.kind = Step::Call;
  call.op = OpId::Neg;
  call.buffers = {{BufferRef::Input, 0, 0}, {BufferRef::Arena, 0, 0}};
  call.types = {type, type};
  call.refusal = "a test";
  Step copy;
  copy.kind = Step::Copy;
  copy.types = {type, type};
  copy.buffers = {{BufferRef::Arena, 0, 0}, {BufferRef::Output, 0, 0}};
  Step state = copy;
  state.buffers[1] = {BufferRef::Output, 1, 0};
  e.steps = {call, copy, state};
  e.checks = {{"neg", "x", 3, 0}};
  e.lines = {{"model.cpp", 41}};
  e.constants.resize(100, std::byte{7});
  p.inputs.resize(2);
  p.inputs[0].argument = 0;
  p.inputs[1].state.resize(16, std::byte{1});
  p.numArguments = 1;
  p.results = {0};
  return p;
}

std::vector<float> run(const Executable &e) {
  Program program(e);
  alignas(64) float x[4] = {1, -2, 3, 0.5f}, state[4] = {}, out[4] = {};
  void *inputs[] = {x, state}, *outputs[] = {out, state};
  ErrorSlot error;
  EXPECT_TRUE(program.run(inputs, outputs, error));
  EXPECT_EQ(std::memcmp(out, state, sizeof out), 0);
  return {out, out + 4};
}

void expectDamaged(SavedProgram p) {
  EXPECT_THROW(deserialize(serialize(p), "file"), io_error);
  EXPECT_THROW(Program(p.executable), io_error);
}

} // namespace

TEST(Serialize, ComesBackAsItWas) {
  SavedProgram p = sample(), q = deserialize(serialize(p), "file");
  EXPECT_EQ(run(q.executable), (std::vector<float>{-1, 2, -3, -0.5f}));
  EXPECT_EQ(q.executable.name, "sample");
  EXPECT_EQ(q.executable.constants, p.executable.constants);
  EXPECT_EQ(q.executable.outputs[1].aliasesInput, 1);
  EXPECT_EQ(q.executable.steps[0].refusal, "a test");
  EXPECT_EQ(q.executable.lines[0].line, 41u);
  EXPECT_EQ(q.executable.checks[0].bound, 3);
  EXPECT_EQ(q.inputs[1].state, p.inputs[1].state);
  EXPECT_EQ(q.inputs[0].argument, 0);
  EXPECT_EQ(serialize(q), serialize(p));
}

TEST(Serialize, ProgramsOfDevicesComeBackToo) {
  SavedProgram p = sample();
  Executable &e = p.executable;
  e.device = DeviceType::CUDA;
  e.inputs.push_back({{DType::F32, {}}, {}, -1, true});
  p.inputs.resize(3);
  p.inputs[2].state.resize(4);
  Step launch;
  launch.kernel = "scale_0";
  launch.buffers = {{BufferRef::Input, 2, 0}, {BufferRef::Arena, 0, 0}};
  launch.grid = {7, 2, 1};
  launch.block = {128, 1, 2};
  launch.sharedBytes = 4096;
  e.steps.push_back(launch);
  const SavedProgram back = deserialize(serialize(p), "file");
  const Executable &q = back.executable;
  EXPECT_EQ(q.device, DeviceType::CUDA);
  EXPECT_TRUE(q.inputs[2].onHost && !q.inputs[1].onHost);
  EXPECT_EQ(q.steps[3].grid, launch.grid);
  EXPECT_EQ(q.steps[3].block, launch.block);
  EXPECT_EQ(q.steps[3].sharedBytes, 4096u);
  EXPECT_EQ(q.steps[0].grid, Step().grid);
  EXPECT_THROW(Program{q}, io_error); // the CPU does not run it

  e.steps[3].block = {1024, 2, 1};
  expectDamaged(p);
  e.steps[3].block = launch.block;
  e.inputs[1].onHost = true; // no number
  expectDamaged(p);
}

TEST(Serialize, EveryTruncationIsAnIoError) {
  auto bytes = serialize(sample());
  for (size_t n = 0; n < bytes.size(); ++n)
    EXPECT_THROW(deserialize({bytes.data(), n}, "file"), io_error) << "cut to " << n;
}

TEST(Serialize, NoChangedByteEscapes) {
  auto bytes = serialize(sample());
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    auto changed = bytes;
    for (unsigned k = 0; k <= random() % 3; ++k) changed[random() % changed.size()] = static_cast<std::byte>(random());
    try {
      validate(deserialize(changed, "file").executable); // a changed name or line number is legal
    } catch (const io_error &) {
    }
  }
}

TEST(Serialize, ForeignBytesAreAnIoError) {
  std::string png = "\x89PNG\r\n\x1a\n and so on, long enough for a header";
  auto as = [](const std::string &s) { return std::as_bytes(std::span(s.data(), s.size())); };
  EXPECT_THROW(deserialize(as(png), "a.png"), io_error);
  std::string deep(8, '\0');
  deep += std::string(1000000, '[');
  uint64_t length = deep.size() - 8;
  std::memcpy(deep.data(), &length, 8);
  EXPECT_THROW(deserialize(as(deep), "deep"), io_error);
}

TEST(Serialize, ReferencesOutsideTheirMemoryAreFound) {
  auto damage = [](auto change) {
    SavedProgram p = sample();
    change(p.executable);
    expectDamaged(p);
  };
  damage([](Executable &e) { e.steps[0].buffers[0].offset = 4; });
  damage([](Executable &e) { e.steps[0].buffers[0].offset = -4; });
  damage([](Executable &e) { e.steps[0].buffers[0].index = 2; });
  damage([](Executable &e) { e.steps[1].buffers[1].index = 9; });
  damage([](Executable &e) { e.steps[0].buffers[1].kind = static_cast<BufferRef::Kind>(9); });
  damage([](Executable &e) { e.steps[0].buffers.pop_back(); });
  damage([](Executable &e) { e.steps[0].types[1].sizes = {5}; });
  damage([](Executable &e) { e.steps[0].types[0].sizes = e.steps[0].types[1].sizes = {int64_t(1) << 40}; });
  damage([](Executable &e) { e.steps[0].attrs.addInt(1); });
  damage([](Executable &e) { e.arenaBytes = 8; });
  damage([](Executable &e) { e.arenaBytes = -1; });
  damage([](Executable &e) { e.outputs[1].aliasesInput = 2; });
  damage([](Executable &e) { e.inputs[1].type.dtype = DType::F64; });
  damage([](Executable &e) { e.inputs[0].type.sizes = {INT64_MAX, 2}; });
  damage([](Executable &e) { e.inputs[0].storageOrder = {1}; });
  damage([](Executable &e) {
    e.steps[0].checks = true;
    e.steps[0].check = 1;
  });
}

TEST(Serialize, AMissingKernelIsFoundWhenTheCodeIsOpened) {
  SavedProgram p = sample();
  p.executable.steps[0].kind = Step::Launch;
  p.executable.steps[0].kernel = "missing";
  EXPECT_THROW(Program(p.executable), io_error);
  p.executable.code.resize(1000);
  EXPECT_THROW(Program(p.executable), io_error);
}

TEST(Serialize, FilesAreReplacedWholeAndMissingOnesReported) {
  auto folder = std::filesystem::temp_directory_path() / ("tensorjit-serialize-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  std::string path = folder / "program";
  saveProgram(sample(), path);
  saveProgram(sample(), path);
  EXPECT_EQ(serialize(loadProgram(path)), serialize(sample()));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1) << "a temporary file was left";
  try {
    loadProgram(folder / "absent");
    FAIL();
  } catch (const io_error &e) {
    EXPECT_NE(std::string(e.what()).find("absent"), std::string::npos);
  }
  EXPECT_THROW(saveProgram(sample(), folder / "no" / "such" / "folder"), io_error);
  EXPECT_THROW(loadProgram(folder), io_error);
  std::filesystem::remove_all(folder);
}
