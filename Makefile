# The front door. `make test` needs Go and nothing else; it installs what is missing.

GO ?= go
BENCHTIME ?= 1s

.PHONY: demo gen gen-check fmt lint cross setup test race e2e fuzz bench check build

build: ## bin/termbay
	$(GO) build -o bin/termbay ./cmd/termbay

demo: setup ## a tour with real programs
	e2e/demo.sh

test: setup ## everything that must hold; what CI runs
	$(GO) build ./...
	$(MAKE) lint gen-check cross race
ifeq ($(CI),true)
	$(MAKE) fuzz
endif

check: test

race: ## all tests
	$(GO) test -race -shuffle=on ./...

e2e: setup ## the stories on the real program
	$(GO) test -count=1 ./e2e/...

fuzz: ## every fuzz target for FUZZTIME (30s)
	tools/fuzz.sh

bench: ## every benchmark for BENCHTIME (1s)
	$(GO) test -run='^$$' -bench=. -benchmem -benchtime=$(BENCHTIME) ./...

gen: ## the generated files, from openapi.yaml and the templates
	$(GO) generate ./...

gen-check:
	tools/gen-check.sh

fmt:
	gofmt -w .

lint:
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "not formatted, run make fmt:" $$unformatted; exit 1; }
	$(GO) vet ./...
	$(GO) tool -modfile=tools/go.mod staticcheck ./...

cross: ## it compiles on the other platforms
	GOOS=windows $(GO) build ./...
	GOOS=darwin $(GO) build ./...

setup:
	@tools/setup.sh
