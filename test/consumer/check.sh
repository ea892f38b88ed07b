#!/usr/bin/env bash
# Installs the build tree, moves what was installed, and builds and runs the consumer against it: once with the compiler,
# once with the runtime alone.  check.sh BUILD_FOLDER WORK_FOLDER HAS_COMPILER
set -euo pipefail
build=$1 work=$2 has_compiler=$3
source=$(cd "$(dirname "$0")" && pwd)
export TENSORJIT_CACHE_DIR= # what has been compiled before is no test
rm -rf "$work"
mkdir -p "$work"

# install FOLDER COMPONENT...: into one prefix, then moved to another
install() {
  local folder=$1 component
  shift
  for component; do cmake --install "$build" --prefix "$work/first" --component "$component" >/dev/null; done
  mv "$work/first" "$work/$folder"
}

build_consumer() {
  cmake -S "$source" -B "$work/$1-build" -DCMAKE_PREFIX_PATH="$work/$1" -DCMAKE_BUILD_TYPE=Debug -G Ninja >"$work/log" ||
    { cat "$work/log"; exit 1; }
  cmake --build "$work/$1-build" >"$work/log" || { cat "$work/log"; exit 1; }
}

expect() {
  "$@" || { echo "failed: $*"; exit 1; }
}

install alone runtime development
build_consumer alone
alone=$(echo "$work"/alone/lib*)
# Nothing of what the library is made with, and nothing of the build tree, is left in what others see.
if grep -rlE '#include *[<"](spdlog|nlohmann|fmt|core/|trace/|execute/|op/|eager/|data/|optim/)' "$work/alone/include"; then
  echo "an installed header includes what is not installed"
  exit 1
fi
if grep -rlF "$build" "$work/alone" --include=*.cmake --include=*.pc --include=*.h --include=*.inc; then
  echo "an installed file names the build tree"
  exit 1
fi

# Every header, in an order that no program has: each includes what it needs.
find "$work/alone/include" -name '*.h' ! -path '*/ops/*' -printf '#include <%P>\n' | sort -r >"$work/headers.cpp"
expect c++ -std=c++20 -fsyntax-only -Wall -Wextra -Werror -I"$work/alone/include" "$work/headers.cpp"

pkg() { PKG_CONFIG_PATH=$(echo "$work/$1"/lib*/pkgconfig) pkg-config "${@:2}"; }
expect pkg alone --exists tensorjit-runtime
# shellcheck disable=SC2046
expect c++ -std=c++20 "$source/run_saved.cpp" -o "$work/by-pkg-config" $(pkg alone --cflags --libs tensorjit-runtime) -Wl,-rpath,"$alone"

if [[ $has_compiler == ON ]]; then
  install all runtime compiler development
  build_consumer all
  expect pkg all --exists tensorjit
  expect "$work/all-build/compile_and_save" "$work/saved"
  expect "$work/all-build/run_saved" "$work/saved" 0
  expect "$work/alone-build/run_saved" "$work/saved" 1
  expect "$work/by-pkg-config" "$work/saved" 1
else
  expect test ! -e "$work/alone-build/compile_and_save"
fi

strip -o "$work/stripped" "$alone"/libtensorjit.so
echo "stripped runtime: $(($(stat -c %s "$work/stripped") / 1024)) KiB"
