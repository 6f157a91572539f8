//go:build tools

// Package tools pins the training operator the test cluster runs.
package tools

import _ "github.com/kubeflow/training-operator/cmd/training-operator.v1"
