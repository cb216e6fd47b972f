#!/usr/bin/env bash
# Deploys.
set -euo pipefail

readonly VERSION="1.0"
export PATH="$PATH:/opt/bin"
declare -a HOSTS=(one two)
TARGET=${1:-staging}
LANG=C sort file

# Says something.
# Twice.
log() {
  local level="$1"
  message="x"
  printf '%s\n' "$level"
}

function deploy {
  for host in "${HOSTS[@]}"; do
    ssh "$host" <<EOF
      fake() { echo "not a function"; }
EOF
  done
}

function with_both() {
  inner() { echo inner; }
  inner
}

subshell() (
  cd /tmp
)

one_line() { echo "}"; }

if [[ -n "$TARGET" ]]; then
  conditional() {
    echo "$TARGET"
  }
fi

kebab-case() { :; }

main() {
  log info
  deploy
}

main "$@"
