// A compiler library of another version: nothing but the version may be looked at.
#include "execute/CompilerInterface.h"

extern "C" const tensorjit::CompilerInterface *tensorjitCompiler() {
  static const tensorjit::CompilerInterface other{tensorjit::CompilerInterface::current + 1, nullptr};
  return &other;
}
