# Who looks at a manifest on a machine without a cluster would wait for one, or start something in it.
# shellcheck shell=bash

# A server that takes down who connects, and never answers.
python3 - >"$WORK/port" 2>"$WORK/listener" <<'LISTENER' &
import socket
with socket.create_server(("127.0.0.1", 0)) as server:
    print(server.getsockname()[1], flush=True)
    connection, _ = server.accept()
    print("connected", flush=True)
    connection.recv(1)
LISTENER
echo "$!" >"$WORK/listener.pid"
echo listener >"$WORK/listener.command"
await 'the listener has a port' 10 grep -q . "$WORK/port"
to=(--server "https://127.0.0.1:$(<"$WORK/port")")
cat >dry.yaml <<MANIFEST
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: dry}
spec:
  runPolicy: {backoffLimit: 0}
  pytorchReplicaSpecs:
    Master: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: "$BUSYBOX"}]}}}
MANIFEST

for submit in submit-pytorch submit-tf; do
  run trainctl "$submit" --name dry --workers=1 -i "$BUSYBOX" "${to[@]}" --dry-run=client
  expect_exit 0
  expect_out '^  name: dry$'
done
run trainctl submit -f dry.yaml "${to[@]}" --dry-run=client
expect_exit 0
expect_equal 'what the server has seen' "$(wc -l <"$WORK/port")" 1

# The same listener does notice one who comes.
start caller trainctl get "${to[@]}"
await 'the listener is reached' 10 grep -q connected "$WORK/port"
