// Every writer of files: what is left where the disk is full, or the folder cannot be written.
#include "Expect.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tensorjit;
using namespace tensorjit::test;
namespace fs = std::filesystem;

namespace {

struct Writer {
  const char *name;
  std::function<void(const std::string &)> write;
};

OrderedDict<Tensor> oneTensor() {
  OrderedDict<Tensor> dict;
  dict.insert("x", ones({100000}));
  return dict;
}

const std::vector<Writer> writers{
    {"npy", [](const std::string &path) { data::write_npy(path, ones({100000})); }},
    {"safetensors", [](const std::string &path) { data::write_safetensors(path, oneTensor()); }},
    {"module", [](const std::string &path) { save(*nn::Linear(300, 300), path); }},
    {"optimizer",
     [](const std::string &path) {
       optim::Adam adam({ones({100000})}, optim::AdamOptions(0.1));
       save(adam, path);
     }},
    {"program", [](const std::string &path) {
       // The captured tensor makes the file large; eager kernels do where no compiler is.
       Tensor big = ones({100000});
       auto f = compile([&](const Tensor &x) { return x + big; });
       f.save(path, zeros({100000}));
     }}};

/// The process cannot make files larger than this: what a full disk looks like to a writer.
struct SmallDisk {
  explicit SmallDisk(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit limit{bytes, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SmallDisk() {
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, SIG_DFL);
  }
  rlimit before;
};

struct FileWriters : testing::Test {
  fs::path folder = fs::temp_directory_path() / ("tensorjit-writers-" + std::to_string(getpid()));
  std::string path = folder / "file";
  void SetUp() override { fs::create_directory(folder); }
  void TearDown() override {
    fs::permissions(folder, fs::perms::owner_all);
    fs::remove_all(folder);
  }
  std::string contents() const {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  size_t filesInFolder() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }
};

} // namespace

TEST_F(FileWriters, AFullDiskLeavesTheOldFile) {
  for (const Writer &w : writers) {
    std::ofstream(path) << "old";
    {
      SmallDisk disk(5000);
      EXPECT_NE(errorOf<io_error>([&] { w.write(path); }).find(path), std::string::npos) << w.name;
    }
    EXPECT_EQ(contents(), "old") << w.name;
    EXPECT_EQ(filesInFolder(), 1u) << w.name;
    w.write(path); // the fault removed, it works
    EXPECT_GT(fs::file_size(path), 5000u) << w.name;
  }
}

TEST_F(FileWriters, AProcessThatIsKilledLeavesTheOldFile) {
  for (const Writer &w : writers) {
    std::ofstream(path) << "old";
    const pid_t child = fork();
    if (child == 0) {
      SmallDisk disk(5000);
      std::signal(SIGXFSZ, SIG_DFL); // ends the process in the middle of the write
      w.write(path);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ) << w.name;
    EXPECT_EQ(contents(), "old") << w.name;
    EXPECT_EQ(filesInFolder(), 1u) << w.name;
  }
}

TEST_F(FileWriters, ALinkStaysALink) {
  for (const Writer &w : writers) {
    fs::remove_all(folder / "real");
    fs::remove(path);
    fs::create_directory(folder / "real");
    std::ofstream(folder / "real" / "file") << "old";
    fs::create_symlink("real/file", path);
    w.write(path);
    EXPECT_TRUE(fs::is_symlink(path)) << w.name;
    EXPECT_GT(fs::file_size(folder / "real" / "file"), 5000u) << w.name;
  }
}

TEST_F(FileWriters, AFullDeviceIsAnError) {
  for (const Writer &w : writers) {
    const std::string error = errorOf<io_error>([&] { w.write("/dev/full"); });
    EXPECT_NE(error.find("/dev/full: No space left"), std::string::npos) << w.name << ": " << error;
  }
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(FileWriters, AFolderThatCannotBeWrittenIsAnError) {
  for (const Writer &w : writers) {
    EXPECT_NE(errorOf<io_error>([&] { w.write(folder / "none" / "file"); }).find("No such file"), std::string::npos)
        << w.name;
    EXPECT_NE(errorOf<io_error>([&] { w.write(folder); }).find("directory"), std::string::npos) << w.name;
    // A file system that root cannot write either.
    EXPECT_NE(errorOf<io_error>([&] { w.write("/proc/tensorjit-test"); }).find("/proc/tensorjit-test"),
              std::string::npos);
  }
  EXPECT_EQ(filesInFolder(), 0u);
}

TEST_F(FileWriters, AFileKeepsItsPermissions) {
  for (const Writer &w : writers) {
    fs::remove(path);
    const mode_t mask = umask(027);
    w.write(path);
    umask(mask);
    EXPECT_EQ(static_cast<int>(fs::status(path).permissions()), 0640) << w.name;
    fs::permissions(path, fs::perms(0604));
    w.write(path);
    EXPECT_EQ(static_cast<int>(fs::status(path).permissions()), 0604) << w.name;
  }
}
