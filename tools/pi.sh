#!/usr/bin/env bash
# Installs the Pi that the tests compare with, and a Node that it runs on, once a user: outside of the tree, so that
# every clone finds them. `tools/pi.sh where` only tells the folder.
set -euo pipefail

pi=1.6.0
node=24.22.3
cache=${XDG_CACHE_HOME:-$HOME/.cache}/termbay
to=$cache/pi-$pi-node-$node

if [ "${1-}" = where ]; then
  echo "$to"
  exit
fi
[ ! -d "$to" ] || exit 0

case $(uname -s)-$(uname -m) in
  Linux-x86_64) arch=x64 ;;
  Linux-aarch64) arch=arm64 ;;
  *) echo "Pi can be installed on Linux on x86_64 and aarch64 only, not on $(uname -sm)" >&2; exit 1 ;;
esac

if ! command -v npm >/dev/null; then
  echo "npm is missing; tools/setup.sh installs it" >&2
  exit 1
fi

# The folder appears when it is whole, under a name that says what is in it.
mkdir -p "$cache"
new=$(mktemp -d "$cache/.pi-XXXXXX")
trap 'rm -rf "$new"' EXIT
echo "installing Pi $pi and Node $node into $to" >&2
if ! npm install --prefix "$new" --no-save --no-package-lock --no-audit --no-fund --ignore-scripts --loglevel=error \
  "node-linux-$arch@$node" "@earendil-works/pi-coding-agent@$pi" >&2; then
  echo "npm could not install Pi; is the network there?" >&2
  exit 1
fi
ln -s "node_modules/node-linux-$arch/bin/node" "$new/node"
ln -s "node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js" "$new/pi.js"
found="$("$new/node" --version) $(HOME=$new PI_OFFLINE=1 "$new/node" "$new/pi.js" --version)"
if [ "$found" != "v$node $pi" ]; then
  echo "installed is \"$found\", not Node $node and Pi $pi" >&2
  exit 1
fi
chmod 755 "$new"
mv -T "$new" "$to" 2>/dev/null || [ -d "$to" ] # somebody else was quicker
