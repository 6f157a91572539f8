module trainctl.test/trainer-2.0

go 1.26.0

// Only its manifests are used, no package of it.
require github.com/kubeflow/trainer/v2 v2.0.1
