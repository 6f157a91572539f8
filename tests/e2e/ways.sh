# The ways in: other ways for trainctl to reach the real cluster and to say who it is than the certificate of its
# kubeconfig; sourced by on-real.sh. way_in NAME makes `trainctl` come that way, while kubectl stays as it is.
# No way lets it in by any other credential or road than its own: a scenario that passes has gone this one.
# shellcheck shell=bash disable=SC2016,SC2154 # the dollars are jq's; $here and $work are run's

# trainctl_with_kubeconfig: puts a program in front of trainctl that gives it the way's own kubeconfig.
trainctl_with_kubeconfig() {
  replace_trainctl <<END
#!/bin/sh
KUBECONFIG='$work/way/kubeconfig' exec '$(realpath "$TRAINCTL")' "\$@"
END
}

# replace_trainctl: the script on standard input stands for trainctl.
replace_trainctl() {
  rm "$work/bin/trainctl"
  cat >"$work/bin/trainctl"
  chmod +x "$work/bin/trainctl"
}

way_kubeconfig() { kubeconfig_with "$1" "$NAMESPACE" "$work/way/kubeconfig" "${@:2}"; }

# token_of ACCOUNT
token_of() { kubectl create token "$1" -n "$NAMESPACE"; }

# daemon NAME CMD…: a program that runs as long as the scenario; what it says is in way/NAME.
daemon() {
  local name=$1
  shift
  "$@" >"$work/way/$name" 2>&1 </dev/null &
  echo "$!" >"$work/way/$name.pid"
}

# port_of NAME: the port that the daemon says it listens on.
port_of() {
  local deadline=$((SECONDS + 100))
  until grep -om1 '127\.0\.0\.1:[0-9]*' "$work/way/$1" | cut -d: -f2 | grep .; do
    ((SECONDS < deadline)) || die "$1 does not say where it listens: $(<"$work/way/$1")"
    sleep 0.05
  done
}

way_token() { way_kubeconfig '.users[0].user = {token: $token}' --arg token "$(token_of trainer)"; }

# The path is meant from the kubeconfig's folder.
way_token_file() {
  token_of trainer >"$work/way/token"
  way_kubeconfig '.users[0].user = {tokenFile: "token"}'
}

way_exec_plugin() {
  token_of trainer >"$work/way/token"
  cat >"$work/way/plugin" <<END
#!/bin/sh
printf '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "%s"}}\n' "\$(cat '$work/way/token')"
END
  chmod +x "$work/way/plugin"
  way_kubeconfig '.users[0].user = {exec: {apiVersion: "client.authentication.k8s.io/v1", command: "./plugin", interactiveMode: "Never"}}'
}

way_impersonation() {
  grant_deputy "$NAMESPACE"
  way_kubeconfig '.users[0].user = {token: $token, as: "system:serviceaccount:\($namespace):trainer"}' --arg token "$(token_of deputy)"
}

# The server has a name that only the proxy knows.
way_http_proxy() {
  daemon proxy python3 -I "$here/proxy.py" "$(kubectl config view --minify -o jsonpath='{.clusters[0].cluster.server}')"
  way_kubeconfig '.clusters[0].cluster |= (.server = "https://kubernetes.default.svc" | ."proxy-url" = $proxy)' \
    --arg proxy "http://127.0.0.1:$(port_of proxy)"
}

# Plain HTTP/1.1, and no credential at all.
way_kubectl_proxy() {
  daemon proxy kubectl proxy --port=0
  way_kubeconfig '.clusters[0].cluster = {server: $server} | .users[0].user = {}' --arg server "http://127.0.0.1:$(port_of proxy)"
}

# The pod has this machine's libraries, and no kubeconfig. Nothing here serves the address that pods know the
# API server by, so that it gets the node's.
way_in_cluster() {
  local server
  server=$(kubectl config view --minify -o jsonpath='{.clusters[0].cluster.server}')
  server=${server#https://}
  kubectl create -f - >/dev/null <<END
apiVersion: v1
kind: Pod
metadata: {name: trainctl}
spec:
  serviceAccountName: trainer
  terminationGracePeriodSeconds: 0
  containers:
  - name: trainctl
    image: $BUSYBOX
    command: [sleep, "3600"]
    env: [{name: KUBERNETES_SERVICE_HOST, value: "${server%:*}"}, {name: KUBERNETES_SERVICE_PORT, value: "${server#*:}"}]
    volumeMounts:
    - {name: program, mountPath: /program, readOnly: true}
    - {name: usr, mountPath: /usr, readOnly: true}
    - {name: lib, mountPath: /lib, readOnly: true}
    - {name: lib64, mountPath: /lib64, readOnly: true}
  volumes:
  - {name: program, hostPath: {path: "$(dirname "$(realpath "$TRAINCTL")")"}}
  - {name: usr, hostPath: {path: /usr}}
  - {name: lib, hostPath: {path: /lib}}
  - {name: lib64, hostPath: {path: /lib64}}
END
  kubectl wait --for=condition=Ready pod/trainctl --timeout=60s >/dev/null
  replace_trainctl <<END
#!/bin/sh
exec kubectl --kubeconfig='$KUBECONFIG' exec trainctl -- '/program/$(basename "$(realpath "$TRAINCTL")")' "\$@"
END
}

way_in() {
  local way=way_${1//-/_}
  declare -F "$way" >/dev/null || die "E2E_WAY is '$1', which is no way in: see $here/ways.sh"
  (umask 077 && mkdir "$work/way")
  grant_trainer "$NAMESPACE"
  "$way"
  [[ ! -e $work/way/kubeconfig ]] || trainctl_with_kubeconfig
}

# Ends what the way has started.
way_out() {
  local pid
  for pid in "$work"/way/*.pid; do
    [[ ! -e $pid ]] || kill "$(<"$pid")" || true
  done
}
