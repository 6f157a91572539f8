//go:build tools

// Package tools pins the MPI operator of the test cluster, with the versions of Kubernetes' libraries that Trainer
// and Kueue ask for, so that they are compiled once.
package tools

import _ "github.com/kubeflow/mpi-operator/cmd/mpi-operator"
