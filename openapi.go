// Package termbay holds the HTTP contract, so that every layer reads the same file.
package termbay

import _ "embed"

// OpenAPI is openapi.yaml, the contract as OpenAPI 3.0.3 in YAML.
//
//go:embed openapi.yaml
var OpenAPI []byte
