#include "cache/HostCpu.h"

#include <cstdint>
#include <cstdio>
#ifdef __x86_64__
#include <cpuid.h>
#else
#include <sys/auxv.h>
#endif

namespace tensorjit::cache {

namespace {

void add(std::string &text, uint64_t word) {
  char digits[20];
  std::snprintf(digits, sizeof digits, "%llx,", static_cast<unsigned long long>(word));
  text += digits;
}

#ifdef __x86_64__

/// The registers of a leaf of cpuid that describe the model and its features, eax, ebx, ecx, edx as bits 0 to 3: others
/// say which core is asked.
struct Leaf {
  unsigned leaf, subleaf, registers;
};
constexpr Leaf leaves[] = {{0, 0, 0b1110},    {1, 0, 0b1101},          {7, 0, 0b1110},       {7, 1, 0b1111},
                           {7, 2, 0b1111},    {0xd, 1, 0b0001},        {0x14, 0, 0b0010},    {0x19, 0, 0b0010},
                           {0x24, 0, 0b0010}, {0x80000001, 0, 0b1100}, {0x80000008, 0, 0b10}};

/// Whether the system keeps AVX, AVX-512 and AMX registers, which a kernel can be told not to.
uint64_t savedRegisters() {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE)) return 0;
  unsigned low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t(high) << 32 | low;
}

std::string describe() {
  std::string text = "x86 ";
  for (const Leaf &leaf : leaves) {
    unsigned words[4] = {};
    __get_cpuid_count(leaf.leaf, leaf.subleaf, &words[0], &words[1], &words[2], &words[3]);
    for (unsigned i = 0; i < 4; ++i)
      if (leaf.registers >> i & 1) add(text, words[i]);
  }
  add(text, savedRegisters());
  return text;
}

#else

std::string describe() {
  std::string text = "hwcap ";
  add(text, getauxval(AT_HWCAP));
  add(text, getauxval(AT_HWCAP2));
  if (auto *platform = reinterpret_cast<const char *>(getauxval(AT_PLATFORM))) text += platform;
  if (std::FILE *model = std::fopen("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "re")) {
    char line[64] = {};
    if (std::fgets(line, sizeof line, model)) text += line;
    std::fclose(model);
  }
  return text;
}

#endif

} // namespace

const std::string &hostCpu() {
  static const std::string &text = *new std::string(describe());
  return text;
}

} // namespace tensorjit::cache
