#!/usr/bin/env bash
# Formatting of the whole tree (clang-format), and clang-tidy on the C++ files that differ from a commit:
#   tools/lint.sh            formatting only
#   tools/lint.sh COMMIT     and clang-tidy on what has changed since COMMIT; needs a configured build folder
set -euo pipefail
cd "$(dirname "$0")/.."

# clang-format 14 can take for ever on deeply nested lambdas.
failed=0
unformatted() {
  timeout 20 clang-format --dry-run -Werror "$1" >/dev/null 2>&1 && return
  echo "not formatted: $1 (clang-format -i $1)"
  return 1
}
export -f unformatted
git ls-files '*.cpp' '*.h' '*.inc' | xargs -P "$(nproc)" -I{} bash -c 'unformatted {}' || failed=1

if [[ $# == 1 ]]; then
  while read -r file; do
    grep -qF "/$file\"" build/compile_commands.json || continue
    timeout 120 clang-tidy-22 -p build --quiet "$file" 2>/dev/null || { echo "clang-tidy: $file"; failed=1; }
  done < <(git diff --name-only --diff-filter=d "$1" -- '*.cpp')
fi
exit $failed
