//go:build tools

// Package tools pins the older Kueue of the test cluster.
package tools

import _ "sigs.k8s.io/kueue/cmd/kueue"
