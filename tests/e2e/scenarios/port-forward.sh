# A user could not open a replica's TensorBoard, or would lose what passes through the port.
# shellcheck shell=bash

# The embedded cluster runs this machine's programs, which share its ports.
port=8000 serve='httpd -f -p 8000'
if [[ $E2E_CLUSTER == embedded ]]; then
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  serve="python3 -m http.server $port --bind 127.0.0.1"
fi

cat >"$WORK/job.yaml" <<END
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: ddp}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: Never
      template:
        spec:
          terminationGracePeriodSeconds: 0
          containers:
          - name: pytorch
            image: $BUSYBOX
            command: [sh, -c, 'mkdir www; cd www; echo hello >index.html; head -c 20971520 /dev/urandom >big; sha256sum big >sum; exec $serve']
END
run trainctl submit "$WORK/job.yaml"
expect_exit 0
is_running() { [[ $(kubectl get pods --field-selector=status.phase=Running -o name | wc -l) == 1 ]]; }
await 'the replica runs' 90 is_running

start tunnel trainctl port-forward ddp ":$port" :9999
await 'the ports are told' 20 grep -q ':9999$' "$WORK/tunnel.out"
open=$(sed -n "s/^127\\.0\\.0\\.1:\\([0-9]*\\) -> ddp\\/master-0:$port\$/\\1/p" "$WORK/tunnel.out")
closed=$(sed -n 's/^127\.0\.0\.1:\([0-9]*\) -> ddp\/master-0:9999$/\1/p' "$WORK/tunnel.out")
serves() { curl -fsS "http://127.0.0.1:$open/sum"; }
await 'the replica serves' 60 serves
expect_equal 'a page' "$(curl -fsS "http://127.0.0.1:$open/")" hello
curl -fsS "http://127.0.0.1:$open/big" >"$WORK/big"
expect_equal 'checksum of what came' "$(sha256sum <"$WORK/big" | cut -d' ' -f1)" "$(curl -fsS "http://127.0.0.1:$open/sum" | cut -d' ' -f1)"

# Many at once, and one that nobody answers, which leaves the others alone.
for ((i = 0; i < 10; i++)); do curl -fsS "http://127.0.0.1:$open/" >"$WORK/page-$i" & done
code=0
curl -s "http://127.0.0.1:$closed/" || code=$?
((code != 0)) || fail 'a port without a program has answered'
await 'a port without a program is told' 20 grep -q 'nothing listens on port 9999 of ddp-master-0' "$WORK/tunnel.err"
pages() { [[ $(cat "$WORK"/page-* | grep -c '^hello$') == 10 ]]; }
await 'all pages came' 30 pages

# Programs that come and go leave nothing open.
files() { find "/proc/$(<"$WORK/tunnel.pid")/fd" -mindepth 1 2>/dev/null | wc -l; }
before=$(files)
for ((i = 0; i < 30; i++)); do curl -fsS "http://127.0.0.1:$open/" >/dev/null; done
few() { (($(files) <= before)); }
await 'closed connections are closed here' 20 few

kill -INT "$(<"$WORK/tunnel.pid")"
finish tunnel
expect_exit 0

# A port that is taken.
start first trainctl port-forward ddp "18999:$port"
await 'the port is taken' 20 grep -q ":$port\$" "$WORK/first.out"
run trainctl port-forward ddp "18999:$port"
expect_exit 1
expect_err 'port 18999: Address already in use'
kill -INT "$(<"$WORK/first.pid")"
finish first
