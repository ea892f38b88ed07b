#!/usr/bin/env bash
# Installs what building and testing need on Debian 12. Run as root where something is missing; a rerun with
# everything present only asks dpkg. NVRTC and ptxas are optional: without them the CUDA tests report "unsupported".
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(
  g++ clang-format clang-tidy-22 cmake ninja-build ccache python3 python3-pip
  llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools lld-22 liblld-22-dev
  libspdlog-dev nlohmann-json3-dev libcli11-dev libxxhash-dev libdnnl-dev
  pkg-config locales zlib1g-dev libzstd-dev libgtest-dev libbenchmark-dev dataset-fashion-mnist
)

missing=()
installed=$(dpkg-query --show --showformat '${Status} ${Package}\n' "${packages[@]}" 2>/dev/null || true)
for package in "${packages[@]}"; do
  grep -qx "install ok installed $package" <<<"$installed" || missing+=("$package")
done
if ((${#missing[@]})); then
  echo "Installing: ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi

# The CUDA compiler and cuda.h alone, from pinned wheels, where no toolkit is installed.
wheels=build/cuda
if [[ ! -e /usr/local/cuda/bin/ptxas && ! -e $wheels/nvidia/cu13/include/cuda.h ]]; then
  mkdir -p "$wheels"
  if ! python3 -m pip install --quiet --disable-pip-version-check --no-deps --upgrade --target "$wheels" \
    nvidia-cuda-nvrtc==13.0.88 nvidia-cuda-nvcc==13.0.88 nvidia-cuda-runtime==13.0.88; then
    echo "NVRTC and ptxas are not available: CUDA tests will be unsupported."
  fi
fi
