#!/usr/bin/env bash
# Installs what is missing, builds, and trains a small convolutional network on Fashion-MNIST.
# Arguments go to the example: `tools/quickstart.sh --eager`, `--epochs 1`, `--whole-step`.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/build-environment.sh

tools/install-dependencies.sh
[[ -e build/build.ninja ]] || cmake --preset release >/dev/null
cmake --build --preset release --target small_cnn
build/bin/small_cnn "$@"
