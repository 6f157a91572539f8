//go:build tools

// Package tools pins kwok, whose node stands in for the many that a thousand pods would need.
package tools

import _ "sigs.k8s.io/kwok/cmd/kwok"
