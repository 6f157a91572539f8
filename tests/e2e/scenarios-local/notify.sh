# A user who left would not hear that a training has ended.
# clusters: local (the program and the hook are this machine's)
# shellcheck shell=bash

# shellcheck disable=SC2016 # the variables are the program's
printf '#!/bin/sh\nprintf "%%s %%s %%s\\n" "$1" "$TRAINCTL_JOB" "$TRAINCTL_VERDICT" >>"%s/told"\nprintf "%%s" "$TRAINCTL_REPORT" >"%s/report"\ncat >"%s/piped"\n' \
  "$WORK" "$WORK" "$WORK" >tell
chmod +x tell
run trainctl submit-pytorch --local --name good --no-master --wait --notify "$PWD/tell now" -- true
expect_exit 0
run trainctl submit-pytorch --local --name bad --no-master --restart-policy Never --wait --notify "$PWD/tell now" -- sh -c 'exit 4'
expect_exit 3
expect_equal 'what was told' "$(<"$WORK/told")" $'now good succeeded\nnow bad failed'
expect_equal 'the exit code told' "$(jq .digest.exitCode "$WORK/report")" 4
expect_equal 'the report that was piped' "$(jq -c . "$WORK/piped")" "$(jq -c . "$WORK/report")"
expect_equal 'the object told' "$(jq .object "$WORK/report")" null

cat >hook.py <<'HOOK'
import http.server, sys
class Hook(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        open(sys.argv[1], "wb").write(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(403 if self.path.endswith("/closed") else 204)
        self.end_headers()
    def log_message(self, *_): pass
server = http.server.HTTPServer(("127.0.0.1", 0), Hook)
print(server.server_port, flush=True)
server.serve_forever()
HOOK
start hook python3 hook.py "$WORK/posted"
await 'the hook listens' 30 test -s "$WORK/hook.out"
url=http://127.0.0.1:$(<"$WORK/hook.out")
export TRAINCTL_WAIT_NOTIFY=$url/services/hush
run trainctl wait --local good
expect_exit 0
expect_equal 'what was posted' "$(jq -r '.name + " " + .verdict.result' "$WORK/posted")" 'good succeeded'
# The verdict stays, whatever becomes of the news.
export TRAINCTL_WAIT_NOTIFY=$url/services/hush/closed
run trainctl wait --local good
expect_exit 0
expect_err 'warning: --notify: 127\.0\.0\.1:[0-9]+: it answered 403'
refute_err hush
kill "$(<"$WORK/hook.pid")"
export TRAINCTL_WAIT_NOTIFY=./none
run trainctl wait --local good
expect_exit 2
expect_err 'there is no program \./none'
