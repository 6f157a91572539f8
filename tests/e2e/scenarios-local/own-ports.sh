# A user would forward a port to itself, until no descriptor is left.
# clusters: local (replicas have the ports of this machine)
# shellcheck shell=bash

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
port=$(free_port)
run trainctl submit-pytorch --local --name web --workers=0 -- python3 -m http.server "$port" --bind 127.0.0.1
expect_exit 0
run trainctl wait --local web --for=running
expect_exit 0
serves() { curl -fsS "http://127.0.0.1:$port/" >/dev/null; }
await 'the replica answers at that address' 30 serves
run trainctl port-forward --local web "$port"
expect_exit 0
expect_out "^127\\.0\\.0\\.1:$port -> web/master-0:$port\$"
expect_err 'nothing to forward'

# The shell of dev: its own port, and before there is a program that listens.
port=$(free_port)
run trainctl dev --local --name lab --forward "$port" -- sh -c "nc -z 127.0.0.1 $port || echo nobody listens"
expect_exit 0
expect_err "^127\\.0\\.0\\.1:$port -> lab/master-0:$port\$"
expect_out '^nobody listens$'
