# A pod that holds nothing but the program would not find its cluster: no shell, no resolver of a C library, no home.
# clusters: real (the embedded one runs no images)
# shellcheck shell=bash

mapfile -t archives < <(compgen -G "$E2E/../../dist/trainctl-*-linux-$(uname -m).oci.tar")
((${#archives[@]} == 1)) || fail "script/package has left ${#archives[@]} images in dist, not one"
image=$(tar -xOf "${archives[0]}" index.json | jq -r '.manifests[0].annotations["io.containerd.image.name"]')
command ctr --address "$CLUSTER/containerd.sock" --namespace k8s.io images import "${archives[0]}" >/dev/null

kubectl create serviceaccount pipeline >/dev/null
trainctl rbac -n "$NAMESPACE" --name pipeline --for submit,follow --service-account pipeline | kubectl apply -f - >/dev/null

# The test cluster has no proxy for virtual addresses: a service without one leads to the API server.
address=$(kubectl config view --minify -o jsonpath='{.clusters[0].cluster.server}')
address=${address#https://} port=${address##*:} address=${address%:*}
kubectl create --validate=false -f - >/dev/null <<END
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Service, metadata: {name: api}, spec: {clusterIP: None, ports: [{port: $port}]}}
- apiVersion: discovery.k8s.io/v1
  kind: EndpointSlice
  metadata: {name: api, labels: {kubernetes.io/service-name: api}}
  addressType: IPv4
  ports: [{name: "", port: $port}]
  endpoints: [{addresses: [$address], conditions: {ready: true}}]
END

# kubeconfig HOST: one for the pod's own account that reaches the API server by this name.
kubeconfig() {
  local account=/var/run/secrets/kubernetes.io/serviceaccount
  cat <<END
apiVersion: v1
kind: Config
current-context: here
contexts: [{name: here, context: {cluster: here, user: me, namespace: $NAMESPACE}}]
clusters: [{name: here, cluster: {server: "https://$1:$port", tls-server-name: kubernetes.default, certificate-authority: $account/ca.crt}}]
users: [{name: me, user: {tokenFile: $account/token}}]
END
}

# pod NAME KUBECONFIG PATH: a Job whose only container submits the main job and follows it.
pod() {
  kubectl create configmap "$1" --from-literal=config="$2" --dry-run=client -o yaml | kubectl create --validate=false -f - >/dev/null
  kubectl create --validate=false -f - >/dev/null <<END
apiVersion: batch/v1
kind: Job
metadata: {name: $1}
spec:
  backoffLimit: 0
  template:
    spec:
      serviceAccountName: pipeline
      restartPolicy: Never
      securityContext: {runAsNonRoot: true}
      volumes: [{name: kubeconfig, configMap: {name: $1}}]
      containers:
      - name: trainctl
        image: $image
        imagePullPolicy: Never
        args: [submit-pytorch, --name, $1-train, --workers=1, -i, $BUSYBOX, --follow, --command, --, sh, -c, "echo rank \$RANK"]
        env:
        - {name: KUBECONFIG, value: $3}
        - {name: KUBERNETES_SERVICE_HOST, value: $address}
        - {name: KUBERNETES_SERVICE_PORT, value: "$port"}
        volumeMounts: [{name: kubeconfig, mountPath: /kubeconfig}]
        securityContext: {allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}}
END
}

ended() { [[ $(kubectl get job "$1" -o jsonpath='{.status.conditions[?(@.status=="True")].type}') == *"$2"* ]]; }
said() { kubectl logs "job/$1" 2>&1; }

# By the service account alone, by a short name that the search domains complete, by one with dots, and by the full one.
pod account '' ''
pod short "$(kubeconfig api)" /kubeconfig/config
pod dotted "$(kubeconfig "api.$NAMESPACE.svc")" /kubeconfig/config
pod full "$(kubeconfig "api.$NAMESPACE.svc.cluster.local")" /kubeconfig/config
pod wrong "$(kubeconfig api.nowhere)" /kubeconfig/config

for name in account short dotted full; do
  await "the job of $name ends" 20 ended "$name" Complete
  said "$name" >"$name.log"
  grep -qE 'rank 0$' "$name.log" || fail "$name does not show its log: $(<"$name.log")"
  ! grep -q '^warning' "$name.log" || fail "$name warns: $(<"$name.log")"
  grep -q "$name-train: Succeeded" "$name.log" || fail "$name does not tell the verdict: $(<"$name.log")"
  job_is "pytorchjob/$name-train" Succeeded || fail "$name-train has not succeeded"
done

await 'the job with a name that nobody has ends' 20 ended wrong Failed
[[ $(said wrong) == *api.nowhere* ]] || fail "wrong does not name the host: $(said wrong)"
code=$(kubectl get pods -l job-name=wrong -o jsonpath='{.items[0].status.containerStatuses[0].state.terminated.exitCode}')
expect_equal 'the exit status without a server' "$code" 8
