#!/usr/bin/env bash
# Formatting of the whole tree (clang-format).
set -euo pipefail
cd "$(dirname "$0")/.."

# Many files at a time, since clang-format takes longer to start than for most of them. Version 14 can take for ever on
# deeply nested lambdas.
unformatted() {
  local findings
  ulimit -t 20 # of processor time
  findings=$(clang-format --dry-run -Werror "$@" 2>&1) && return
  (($? < 128)) || echo "clang-format takes for ever on one of $*"
  sed -nE 's/^([^:]*):[0-9]+:[0-9]+: error:.*/not formatted: \1 (clang-format -i \1)/p' <<<"$findings" | sort -u
  return 1
}
export -f unformatted
git ls-files '*.cpp' '*.h' '*.inc' | xargs -P "$(nproc)" -n 16 bash -c 'unformatted "$@"' _
