#!/usr/bin/env bash
# Runs every fuzz target of the module, each for FUZZTIME (30s). What is interesting is made small in a few tries only:
# by default Go takes a minute for each, and then tries nothing new at all.
set -euo pipefail
grep -rE --include='*_test.go' '^func Fuzz' . | while IFS=: read -r file line; do
  target=$(sed -E 's/^func (Fuzz[A-Za-z0-9_]*).*/\1/' <<<"$line")
  echo "fuzz $(dirname "$file") $target"
  go test -run='^$' -fuzz="^$target\$" -fuzztime="${FUZZTIME:-30s}" -fuzzminimizetime=10x "$(dirname "$file")" </dev/null
done
