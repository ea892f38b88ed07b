#!/usr/bin/env bash
# Runs the CUDA tests there are on the GPU, else on the stand-in driver of test/cudasim, and prints the ratios that
# generated kernels are judged by. Takes minutes.
#
#   tools/device-check.sh prepare   where the compiler is built: saves programs for a machine that has none
#   tools/device-check.sh           on the GPU machine, with build/device-programs of the other one
#
# On a bare machine it needs cmake, ninja, g++, GoogleTest and the CUDA toolkit's cuda.h and NVRTC; no LLVM.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/build-environment.sh

programs=build/device-programs # by another process, on another machine
standIn=build/cudasim

if [[ ${1:-} == prepare ]]; then
  mkdir -p $programs
  export LD_LIBRARY_PATH=$standIn${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  build/bin/device-saved save $programs/saved cuda
  CUDASIM_CHECKS='' CUDASIM_SEED=0 build/bin/device-speed save $programs cuda
  du -sh $programs
  exit
fi

build=build
if [[ ! -e build/build.ninja ]]; then
  build="build-device"
  cmake -G Ninja -S . -B $build -DCMAKE_BUILD_TYPE=Release -DTENSORJIT_BUILD_COMPILER=OFF >/dev/null
fi

# The driver where a GPU machine has it: the tests' own path leads to the stand-in.
driver=$(ldconfig -p | sed -nE 's/.*libcuda\.so\.1 .*x86-64.* => (.*)/\1/p' | head -1)
for folder in /usr/local/nvidia/lib64 /usr/lib/x86_64-linux-gnu; do
  [[ -n $driver ]] || { [[ -e $folder/libcuda.so.1 ]] && driver=$folder/libcuda.so.1; } || true
done

failed=()
check() { # check SECONDS NAME COMMAND...
  local seconds=$1 name=$2
  shift 2
  echo "== $name on $where"
  timeout "$seconds" "$@" || failed+=("$name")
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [[ -n $driver ]] && nvidia-smi -L 2>/dev/null; then
  where="the GPU"
  timeout 240 cmake --build $build --target test-cudasim-{kernels,instructions,driver} device-saved device-speed device-at-exit
  ln -s "$driver" "$folder/libcuda.so.1"
elif [[ -e $standIn/libcuda.so.1 ]]; then
  where="the stand-in"
  ln -s "$PWD/$standIn/libcuda.so.1" "$folder/libcuda.so.1"
else
  echo "No GPU here, and the stand-in driver is not built (cmake --build build --target cudasim): nothing to check."
  exit
fi
export LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

for test in kernels instructions driver; do check 60 $test $build/bin/test-cudasim-$test --gtest_brief=1; done
# findings.cpp plants bugs, which only the stand-in looks for.
[[ $where == "the GPU" ]] || check 60 findings $build/bin/test-cudasim-findings --gtest_brief=1
if [[ -e $programs/saved ]]; then
  check 60 "saved programs" $build/bin/device-saved run $programs/saved cuda
  # The stand-in shows no time.
  [[ $where != "the GPU" ]] || check 60 "kernels' speed" $build/bin/device-speed run $programs cuda
else
  echo "No $programs here (tools/device-check.sh prepare): saved programs were not run."
fi
if [[ -x $build/bin/device-suite ]]; then # the compiler is built here
  check 180 "the device suite" $build/bin/device-suite cuda
  for kind in statics late threads; do check 60 "exit, $kind" $build/bin/device-at-exit $kind; done
  [[ $where != "the GPU" ]] || check 60 "calls" $build/bin/tensorjit-bench --benchmark_filter=Device
fi
if ((${#failed[@]})); then
  printf 'FAILED: %s\n' "${failed[@]}"
  exit 1
fi
