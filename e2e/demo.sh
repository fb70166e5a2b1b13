#!/usr/bin/env bash
# The demo: builds termbay, serves it on a free port, and drives python3 and vim with nothing but curl, as a reader of
# the README would. Prints every step and every screen; ends with 0 only when each screen showed what it should.
set -euo pipefail
cd "$(dirname "$0")/.."

for program in go curl python3 vim; do
  command -v "$program" >/dev/null || { echo "The demo needs $program; install it first (make setup does that on Debian)." >&2; exit 1; }
done

work=$(mktemp -d)
pid=
finish() {
  if [ -n "$pid" ]; then
    kill "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  fi
  rm -rf "$work"
}
trap finish EXIT

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
json() { python3 -c 'import json,sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"; }

say '$ go build ./cmd/termbay'
go build -o "$work/termbay" ./cmd/termbay

say '$ termbay serve --listen 127.0.0.1:0'
"$work/termbay" serve --listen 127.0.0.1:0 --state-dir "$work/state" --log-dir "$work/log" >"$work/serve.out" 2>"$work/serve.err" &
pid=$!
for _ in $(seq 200); do
  [ -s "$work/state/server.json" ] && break
  kill -0 "$pid" 2>/dev/null || { cat "$work/serve.err" >&2; exit 1; }
  sleep 0.05
done
cat "$work/serve.out"
url=$(json url <"$work/state/server.json")
token=$(cat "$work/state/token")

# call METHOD PATH [BODY]: one request; prints it as one would type it, leaves the answer in $answer.
call() {
  say "\$ curl -X $1 \$URL$2${3:+ -d '$3'}"
  answer=$(curl -fsS -X "$1" "$url$2" -H "Authorization: Bearer $token" ${3:+-H 'Content-Type: application/json' -d "$3"})
}
# show: what the agent reads of the answer.
show() { json text <<<"$answer"; }
# want TEXT: the answer must hold it.
want() {
  grep -qF -- "$1" <<<"$answer" || { echo "The demo expected \"$1\" in: $answer" >&2; exit 1; }
}

call POST /v1/terminals '{"command":"python3 -q","cwd":"'"$work"'","wait_for_text":">>> "}'
show
want '>>>'
id=$(json id <<<"$answer")

call POST "/v1/terminals/$id/input" '{"text":"sum(range(101))","keys":["Enter"],"wait_for_text":"5050"}'
show
want '5050'

call POST "/v1/terminals/$id/input" '{"text":"import time; time.sleep(1); print(\"slept\")","keys":["Enter"],"wait_for_text":"slept","wait_ms":20000}'
show
want '"settled_by":"text"'

call POST "/v1/terminals/$id/input" '{"text":"exit(3)","keys":["Enter"],"wait_ms":20000,"wait_for_text":"/nothing will match this/"}'
show
want '"exit_code":3'

call POST /v1/terminals '{"command":"vim -u NONE -N hello.txt","cwd":"'"$work"'","viewport":{"cols":60,"rows":8},"wait_for_text":"hello.txt"}'
show
want '"alt_screen":true'
id=$(json id <<<"$answer")

call POST "/v1/terminals/$id/input" '{"text":"iHello from termbay.","keys":["Escape"]}'
show
want 'Hello from termbay.'

call POST "/v1/terminals/$id/input" '{"text":":wq","keys":["Enter"],"wait_ms":20000,"wait_for_text":"/nothing will match this/"}'
show
want '"exit_code":0'

say '$ cat hello.txt'
cat "$work/hello.txt"
grep -qx 'Hello from termbay.' "$work/hello.txt"

call POST /v1/terminals '{"command":"bash --norc --noprofile","cwd":"'"$work"'"}'
id=$(json id <<<"$answer")
call POST "/v1/terminals/$id/input" '{"text":"seq 100","keys":["Enter"]}'
show
want '62 lines scrolled off since your last result'

call POST /v1/jobs '{"command":"echo to standard output; echo to standard error >&2; exit 3","cwd":"'"$work"'"}'
python3 -m json.tool <<<"$answer"
want '"exit_code":3'

call POST /v1/jobs '{"command":"for i in 1 2 3 4 5; do echo line $i; sleep 0.3; done; exec sleep 600","cwd":"'"$work"'","background":true,"yield_ms":500}'
want '"id":"b1"'
job=$(python3 -c 'import json,sys; print(json.load(sys.stdin)["background"]["id"])' <<<"$answer")
call GET "/v1/entries/$job/log?offset=0&wait_ms=5000"
say "$answer"
call POST "/v1/entries/$job/stop" '{}'
show
want 'was stopped (SIGTERM)'

call GET /v1/entries
want '"running":1'
python3 -m json.tool <<<"$answer" | sed -n 1,40p

call POST "/v1/entries/$id/stop" '{}'
show
want '"cause":"stopped"'

say 'Everything worked.'
