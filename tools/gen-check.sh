#!/usr/bin/env bash
# Fails when a generated file differs from what its source generates now. Works on a copy, so that the tree stays as
# it is, committed or not.
set -euo pipefail
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
mkdir "$copy/before"
tar -cf - --exclude=./.git --exclude=./bin --exclude=node_modules . | tar -xf - -C "$copy/before"
cp -R "$copy/before" "$copy/after"
(cd "$copy/after" && go generate ./...)
if ! diff -ru "$copy/before" "$copy/after"; then
  echo "Generated files are out of date; run: make gen" >&2
  exit 1
fi
