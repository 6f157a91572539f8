# Writes everything the cluster's programs read: certificates, kubeconfigs, configuration files and the
# operator's manifests, all below the run directory $dir; sourced by up.
# shellcheck shell=bash disable=SC2154 # the names come from common.sh, $dir from up

# certificate NAME SUBJECT [NAMES]: a key and a certificate of the cluster's authority.
certificate() {
  openssl req -x509 -config "$pki/openssl.cnf" -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -noenc -days 3650 \
    -CA "$pki/ca.crt" -CAkey "$pki/ca.key" -subj "$2" -addext 'extendedKeyUsage=serverAuth,clientAuth' \
    ${3:+-addext "subjectAltName=$3"} -keyout "$pki/$1.key" -out "$pki/$1.crt"
}

cluster_certificates() {
  # An own file, because the distribution's would mark every certificate as an authority.
  printf '[req]\ndistinguished_name = name\n[name]\n' >"$pki/openssl.cnf"
  openssl req -x509 -config "$pki/openssl.cnf" -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -noenc -days 3650 \
    -subj /CN=trainctl-e2e -addext 'basicConstraints=critical,CA:TRUE' -addext 'subjectKeyIdentifier=hash' \
    -addext 'keyUsage=critical,keyCertSign,cRLSign' -keyout "$pki/ca.key" -out "$pki/ca.crt"
  openssl genrsa -out "$pki/service-account.key" 2048
  certificate apiserver /CN=kube-apiserver \
    "IP:$node_address,IP:10.96.0.1,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc"
  certificate admin /O=system:masters/CN=admin
  certificate controller-manager /CN=system:kube-controller-manager
  certificate scheduler /CN=system:kube-scheduler
  certificate kubelet /O=system:nodes/CN=system:node:node1 "DNS:node1,IP:$node_address"
  certificate operator /CN=system:serviceaccount:kubeflow:training-operator
  certificate dev /CN=dev
  certificate controllers /CN=controllers "IP:$node_address"
  certificate front-proxy /CN=front-proxy
}

# The operator replaces a webhook certificate that does not look like one of its own making: these
# two names and RSA keys in the old format are what it looks for.
webhook_certificates() {
  local serving=$dir/operator/webhook-server/serving-certs name
  mkdir -p "$serving"
  openssl req -x509 -config "$pki/openssl.cnf" -newkey rsa:2048 -noenc -days 3650 \
    -subj /O=training-operator/CN=training-operator-ca -addext 'subjectAltName=DNS:training-operator-ca' \
    -addext 'basicConstraints=critical,CA:TRUE' -addext 'keyUsage=critical,digitalSignature,keyEncipherment,keyCertSign' \
    -keyout "$serving/ca.key" -out "$serving/ca.crt"
  openssl req -x509 -config "$pki/openssl.cnf" -newkey rsa:2048 -noenc -days 3650 \
    -CA "$serving/ca.crt" -CAkey "$serving/ca.key" -subj /CN=training-operator.kubeflow.svc \
    -addext "subjectAltName=DNS:training-operator.kubeflow.svc,IP:$node_address" -addext 'extendedKeyUsage=serverAuth' \
    -addext 'keyUsage=critical,digitalSignature,keyEncipherment' -keyout "$serving/tls.key" -out "$serving/tls.crt"
  for name in ca tls; do
    openssl rsa -traditional -in "$serving/$name.key" -out "$serving/$name.rsa"
    mv "$serving/$name.rsa" "$serving/$name.key"
  done
}

# Certificates are kept for the life of the run directory, so that kubeconfigs survive a restart; only
# another recipe or other addresses make new ones.
write_certificates() {
  local key
  pki=$dir/pki
  key=$({ declare -f certificate cluster_certificates webhook_certificates && echo "$node_address"; } | content_key)
  [[ $(cat "$pki/complete" 2>/dev/null) != "$key" ]] || return 0
  rm -rf "$pki"
  mkdir -p "$pki"
  { cluster_certificates && webhook_certificates; } >"$dir/logs/certificates.log" 2>&1 ||
    die "the certificates could not be made: see $dir/logs/certificates.log"
  echo "$key" >"$pki/complete"
}

# kubeconfig USER FILE [CLUSTER PORT]: complete in itself, so that it can be copied anywhere.
kubeconfig() {
  local cluster=${3:-trainctl-e2e} port=${4:-$api_port}
  (
    umask 077
    cat >"$2" <<END
apiVersion: v1
kind: Config
current-context: $cluster
contexts: [{name: $cluster, context: {cluster: $cluster, user: $1}}]
clusters:
- name: $cluster
  cluster: {server: "https://$node_address:$port", certificate-authority-data: $(base64 -w0 "$pki/ca.crt")}
users:
- name: $1
  user: {client-certificate-data: $(base64 -w0 "$pki/$1.crt"), client-key-data: $(base64 -w0 "$pki/$1.key")}
END
  )
}

containerd_configuration() {
  cat <<END
version = 2
root = "$cache/containerd/root"
state = "$dir/containerd"
disabled_plugins = ["io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs",
    "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs",
    "io.containerd.internal.v1.opt", "io.containerd.tracing.processor.v1.otlp"]
[grpc]
  address = "$dir/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "$pause_image"
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$dir/config/cni"
END
}

network_configuration() {
  cat <<END
{"cniVersion": "0.4.0", "name": "$network", "plugins": [{
  "type": "bridge", "bridge": "$bridge", "isGateway": true,
  "ipam": {"type": "host-local", "dataDir": "$dir/cni-addresses",
           "ranges": [[{"subnet": "10.244.0.0/20"}]], "routes": [{"dst": "0.0.0.0/0"}]}}]}
END
}

kubelet_configuration() {
  cat <<END
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: $node_address
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $pki/ca.crt}}
authorization: {mode: Webhook}
tlsCertFile: $pki/kubelet.crt
tlsPrivateKeyFile: $pki/kubelet.key
containerRuntimeEndpoint: unix://$dir/containerd.sock
podLogsDir: $dir/kubelet/logs
cgroupDriver: cgroupfs
failSwapOn: false
makeIPTablesUtilChains: false
localStorageCapacityIsolation: false
imageGCHighThresholdPercent: 100
evictionHard: {memory.available: 50Mi}
clusterDNS: [$node_address]
clusterDomain: cluster.local
resolvConf: ""
END
}

coredns_configuration() {
  cat <<END
.:53 {
    bind $node_address
    errors
    kubernetes cluster.local {
        kubeconfig $dir/kubeconfig
    }
}
END
}

# The stock template asks nslookup, which in newer busybox fails on the search domains for ever.
init_container() {
  cat <<'END'
- name: init-pytorch
  image: {{.InitContainerImage}}
  imagePullPolicy: IfNotPresent
  command: [sh, -c, 'for i in $(seq {{.MaxTries}}); do ping -c1 -w1 {{.MasterAddr}} && exit 0; echo waiting for master; sleep 1; done; exit 1']
  resources:
    limits: {cpu: 100m, memory: 20Mi}
    requests: {cpu: 50m, memory: 10Mi}
END
}

# The operator's own definitions and rights, and the webhook certificate where its rotator looks for it.
operator_kustomization() {
  cat <<END
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namespace: kubeflow
resources:
- namespace.yaml
- manifests/crds
$(cd "$dir/operator" && printf -- '- %s\n' manifests/rbac/*.yaml)
generatorOptions: {disableNameSuffixHash: true}
secretGenerator:
- name: training-operator-webhook-cert
  files:
$(printf '  - webhook-server/serving-certs/%s\n' ca.crt ca.key tls.crt tls.key)
END
}

write_configuration() {
  local user
  mkdir -p "$dir/config/cni"
  kubeconfig admin "$dir/kubeconfig"
  kubeconfig dev "$dir/norights.kubeconfig"
  for user in controller-manager scheduler kubelet operator; do kubeconfig "$user" "$dir/config/$user.kubeconfig"; done
  containerd_configuration >"$dir/config/containerd.toml"
  network_configuration >"$dir/config/cni/network.conflist"
  kubelet_configuration >"$dir/config/kubelet.yaml"
  coredns_configuration >"$dir/config/Corefile"
  init_container >"$dir/operator/init-container.yaml"
  rm -rf "$dir/operator/manifests"
  cp -r "$bin/manifests" "$dir/operator/manifests"
  printf 'apiVersion: v1\nkind: Namespace\nmetadata: {name: kubeflow}\n' >"$dir/operator/namespace.yaml"
  operator_kustomization >"$dir/operator/kustomization.yaml"
}
