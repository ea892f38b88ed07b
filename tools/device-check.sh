#!/usr/bin/env bash
# Runs the CUDA tests there are: on the GPU where the machine has one, else on the stand-in driver of test/cudasim.
# On a bare machine it needs cmake, ninja, g++, GoogleTest and the CUDA toolkit's cuda.h and NVRTC. Takes minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/build-environment.sh

tests=(kernels instructions driver) # findings.cpp plants bugs, which only the stand-in looks for
build=build
if [[ ! -e $build/build.ninja ]]; then
  build=build-device
  cmake -G Ninja -S . -B $build -DCMAKE_BUILD_TYPE=Release -DTENSORJIT_BUILD_COMPILER=OFF >/dev/null
fi

# The driver where a GPU machine has it: the tests' own path leads to the stand-in.
driver=$(ldconfig -p | sed -nE 's/.*libcuda\.so\.1 .*x86-64.* => (.*)/\1/p' | head -1)
for folder in /usr/local/nvidia/lib64 /usr/lib/x86_64-linux-gnu; do
  [[ -n $driver ]] || { [[ -e $folder/libcuda.so.1 ]] && driver=$folder/libcuda.so.1; } || true
done

run() { # run NAME LIBRARY_PATH
  local failed=0
  for test in "${tests[@]}"; do
    echo "== $test on $1"
    LD_LIBRARY_PATH=$2 timeout 120 "$build/bin/test-cudasim-$test" --gtest_brief=1 || failed=1
  done
  return $failed
}

if [[ -n $driver ]] && nvidia-smi -L 2>/dev/null; then
  timeout 300 cmake --build $build --target test-cudasim-{kernels,instructions,driver}
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  ln -s "$driver" "$folder/libcuda.so.1"
  run "the GPU" "$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  if [[ -x $build/bin/device-suite ]]; then
    LD_LIBRARY_PATH=$folder timeout 300 "$build/bin/device-suite" cuda
    LD_LIBRARY_PATH=$folder timeout 120 "$build/bin/tensorjit-bench" --benchmark_filter=Device
  else
    echo "The compiler is not built here: the device suite was not run on the GPU."
  fi
elif [[ -x $build/bin/test-cudasim-kernels ]]; then
  echo "No GPU here: running on the stand-in driver."
  tests+=(findings)
  run "the stand-in" "$build/cudasim"
  if [[ -x $build/bin/cudasim-bench ]]; then LD_LIBRARY_PATH=$build/cudasim "$build/bin/cudasim-bench"; fi
else
  echo "No GPU here, and the stand-in driver is not built (cmake --build build --target cudasim): nothing to check."
fi
