//go:build tools

// Package tools pins the Trainer and the JobSet controller of the test cluster.
package tools

import (
	_ "github.com/kubeflow/trainer/v2/cmd/trainer-controller-manager"
	_ "sigs.k8s.io/jobset"
)
