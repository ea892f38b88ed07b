#!/usr/bin/env bash
# Installs what is missing, builds everything, and runs every test: GoogleTest and lit, then the runtime's tests once
# more under the address and undefined-behaviour sanitizers, and those with threads under the thread sanitizer.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/build-environment.sh

# One number of a ctest report: `count build/tests.xml failures`.
count() {
  tr '\n' ' ' <"$1" | sed -nE "s/.*<testsuite [^>]*[[:space:]]$2=\"([0-9]+)\".*/\1/p"
}

tools/install-dependencies.sh
passed=0 failed=0
# The format of the whole tree; with TENSORJIT_LINT_SINCE=COMMIT also clang-tidy on what has changed since.
tools/lint.sh ${TENSORJIT_LINT_SINCE:+"$TENSORJIT_LINT_SINCE"} || failed=1
threaded=(trace data execute) # areas of the runtime's tests
for preset in release sanitize tsan; do
  folder=build
  [[ $preset == release ]] || folder=build-$preset
  [[ -e $folder/build.ninja ]] || cmake --preset "$preset"
  build=$preset targets=() tests=()
  [[ $preset == release ]] && build=tests
  if [[ $preset == tsan ]]; then
    targets=(--target "${threaded[@]/#/test-runtime-}" host-thread_at_exit)
    tests=(--tests-regex "^(runtime-($(IFS='|' && echo "${threaded[*]}"))\\.|host\\.thread_at_exit$)")
  fi
  cmake --build --preset "$build" "${targets[@]}"
  rm -f "$folder/tests.xml"
  ctest --test-dir "$folder" --parallel "$(nproc)" --no-tests=error "${tests[@]}" \
    --output-junit "$PWD/$folder/tests.xml" || true
  wrong=$(count "$folder/tests.xml" failures)
  failed=$((failed + wrong))
  passed=$((passed + $(count "$folder/tests.xml" tests) - wrong - $(count "$folder/tests.xml" skipped)))
done
echo "$passed passed, $failed failed"
((failed == 0))
