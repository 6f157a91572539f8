# Service accounts with the rights that users of a shared cluster have, and kubeconfigs for them; sourced by lib.sh
# and by on-real.sh.
# shellcheck shell=bash disable=SC2016 # the dollars are those of jq

# grant NS NAME: makes the service account NAME in NS, with the RBAC rules on standard input and nothing else.
grant() {
  kubectl apply -n "$1" -f - >/dev/null <<END
apiVersion: v1
kind: ServiceAccount
metadata: {name: $2}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: $2}
rules:
$(cat)
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: $2}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: $2}
subjects: [{kind: ServiceAccount, name: $2}]
END
}

# grant_trainer NS: the service account `trainer` may do in NS what a user of training jobs is usually granted,
# and nothing in other namespaces.
grant_trainer() {
  grant "$1" trainer <<'END'
- {apiGroups: [kubeflow.org], resources: ["*"], verbs: ["*"]}
- {apiGroups: [""], resources: [pods, configmaps, secrets, persistentvolumeclaims], verbs: [get, list, watch, create, patch, delete]}
- {apiGroups: [""], resources: [pods/log, events], verbs: [get, list, watch]}
- {apiGroups: [""], resources: [pods/exec, pods/attach, pods/portforward], verbs: [get, create]}
END
}

# grant_deputy NS: the service account `deputy` may act as `trainer`, and do nothing as itself.
grant_deputy() {
  grant "$1" deputy <<'END'
- {apiGroups: [""], resources: [serviceaccounts], resourceNames: [trainer], verbs: [impersonate]}
END
}

# kubeconfig_with FILTER NS FILE [JQ_OPTION…]: the current kubeconfig, changed by the jq FILTER, for namespace NS.
kubeconfig_with() {
  local filter=$1 namespace=$2 file=$3
  kubectl config view --minify --flatten -o json |
    jq --arg namespace "$namespace" "${@:4}" ".contexts[0].context.namespace = \$namespace | $filter" >"$file"
}

# kubeconfig_of NAME NS FILE: a kubeconfig for the service account NAME of NS.
kubeconfig_of() {
  kubeconfig_with '.users[0].user = {token: $token}' "$2" "$3" --arg token "$(kubectl create token "$1" -n "$2")"
}

# namespaced_kubeconfig NS FILE: a kubeconfig for `trainer` of NS.
namespaced_kubeconfig() {
  grant_trainer "$1"
  kubeconfig_of trainer "$1" "$2"
}
