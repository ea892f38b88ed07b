#!/usr/bin/env bash
# Installs what is missing, builds everything, and runs every test: GoogleTest, lit, and the runtime tests once more
# under the address and undefined-behaviour sanitizers.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/build-environment.sh

tools/install-dependencies.sh
cores=$(nproc)
passed=0 failed=0
for preset in release sanitize; do
  folder=build
  [[ $preset == release ]] || folder=build-$preset
  [[ -e $folder/build.ninja ]] || cmake --preset "$preset"
  cmake --build --preset "$preset"
  ctest --test-dir "$folder" --parallel "$cores" --no-tests=error --output-junit "$PWD/$folder/tests.xml" || true
  summary=$(grep -o '<testsuite [^>]*' "$folder/tests.xml" | tr '\n' ' ' || true)
  [[ $(tr '\n' ' ' <"$folder/tests.xml") =~ tests=\"([0-9]+)\"[^\>]*failures=\"([0-9]+)\" ]] || { echo "$folder: no test ran"; exit 1; }
  passed=$((passed + BASH_REMATCH[1] - BASH_REMATCH[2]))
  failed=$((failed + BASH_REMATCH[2]))
done
echo "$passed passed, $failed failed"
((failed == 0))
