#!/usr/bin/env bash
# Installs what building and testing need and this machine lacks: the programs that the tests drive, a C compiler for
# the race detector, and on Linux the Pi that jobs are compared with. Fails when something is still missing afterwards.
set -euo pipefail

programs=(bash curl dialog fish gcc git htop jq less ps python3 vim)
[ "$(uname -s)" != Linux ] || programs+=(npm)

missing() {
  local p
  for p in "${programs[@]}"; do
    command -v "$p" >/dev/null || echo "$p"
  done
}

# The Debian packages of a program.
packages() {
  case $1 in
    gcc) echo gcc libc6-dev ;;
    ps) echo procps ;;
    *) echo "$1" ;;
  esac
}

# Installs programs, or tells a person to.
provide() {
  if ! command -v apt-get >/dev/null; then
    echo "missing:" "$@" >&2
    echo "Install them; on macOS with: brew install" "$@" >&2
    return 1
  fi
  local root=()
  [ "$(id -u)" = 0 ] || root=(sudo)
  "${root[@]}" apt-get update -q
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
    $(for p in "$@"; do packages "$p"; done)
}

if ! command -v go >/dev/null; then
  echo "Go is missing; install the version that go.mod names from https://go.dev/dl/" >&2
  exit 1
fi
lacking=$(missing)
[ -z "$lacking" ] || provide $lacking
lacking=$(missing)
if [ -n "$lacking" ]; then
  echo "still missing:" $lacking >&2
  exit 1
fi
[ "$(uname -s)" != Linux ] || "$(dirname "$0")/pi.sh"
