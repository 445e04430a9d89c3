# Builds, tests and runs repscope. `make` alone builds the binaries into bin/.
#
#   make test                                   the tests of all packages
#   make test-programs                          tests that start programs many times: every command of the documentation
#   make analyse-all                            the analyses on the built-in example; V=1 prints all tables
#   make analyse-all FRAMES=val.npz WEIGHTS=weights MODELS="a=a.onnx b=b.onnx" OUT=results

GO          ?= go
STATICCHECK := bin/tools/staticcheck
# The analyses to run; by default all of suite/suite.go, the list of binaries.
ANALYSES    ?=

# Input of analyse-all. Without FRAMES it runs on the built-in example.
FRAMES   ?=
EPISODES ?=
WEIGHTS  ?=
MODELS   ?=
# Predicted frames for reconstruction, which is left out without: PREDICTIONS="jepa=predicted.npy".
PREDICTIONS ?=
FLAGS    ?=
# Output folder of analyse-all, one folder per analysis in it; the binaries'
# own (evaluation_plots/…) when empty.
OUT      ?=

OWN = --frames '$(FRAMES)' $(if $(EPISODES),--episodes '$(EPISODES)')
INPUT = $(if $(FRAMES),$(OWN) $(foreach dir,$(WEIGHTS),--weights '$(dir)') $(foreach model,$(MODELS),--model '$(model)'),--example)
PREDICTED = $(if $(FRAMES),$(OWN) $(foreach array,$(PREDICTIONS),--predictions '$(array)'),--example)

BENCH     ?= .
BENCHPKGS ?= ./...
FUZZTIME  ?= 60s

.PHONY: build dist test test-programs lint calibrate bench fuzz oracle analyse-all example-data figures clean

# Small: stripped, so that names of functions remain for traces, and what debuggers read does not; and nothing inlined
# where it gains nothing.
SMALL = -trimpath $(foreach package,$(shell sed '/^\#/d' packaging/cold.txt),-gcflags=$(package)=-l)
build:
	@echo "building bin/repscope"
	@CGO_ENABLED=0 $(GO) build $(SMALL) -ldflags='-s -w' -o bin/ ./cmd/repscope
	$(LINKS)

# bin/NAME for every binary: a link to bin/repscope, which is linked once instead of sixteen times.
LINKS = @rm -f $(filter-out bin/repscope,$(patsubst cmd/%/,bin/%,$(wildcard cmd/*/))) && bin/repscope links bin

# What the parts of a binary weigh: make weigh BINARY=reward
BINARY ?= neighborhood
.PHONY: weigh
weigh:
	CGO_ENABLED=0 $(GO) build $(SMALL) -o bin/unstripped ./cmd/$(BINARY)
	$(GO) run ./packaging/weigh bin/unstripped

# Archives of the program for every system, with checksums; the same commit, the same bytes.
dist:
	$(GO) run ./packaging/dist --out dist

# Wheels of the Python package, with the program for the system of each.
.PHONY: wheels
wheels:
	$(GO) run ./packaging/dist --wheels --out dist $(if $(TARGETS),--targets $(TARGETS))

# The wheel of this system, built twice, in fresh environments of the oldest and newest Python at hand.
.PHONY: python-test
python-test:
	$${PYTHON:-python3} packaging/wheels/test.py

# The functions of the Python package, from the flags of the binaries.
.PHONY: python-functions
python-functions:
	CGO_ENABLED=0 $(GO) run -trimpath ./packaging/functions python/repscope/_functions.py

# The tests of all packages, but those of the next target and those of GPUs, which make cuda-fake has. Vet is left to lint,
# which runs all of it.
TEST = $(GO) test -vet=off -timeout 30m
test:
	$(TEST) -skip '$(PROGRAMS)' ./...

# The flags of bin/repscope, so that packages compile once, also for programs that tests start.
test test-programs lint: export CGO_ENABLED := 0
test test-programs lint cuda-fake: export GOFLAGS := $(GOFLAGS) $(SMALL)

# Tests that start programs many times and take longest: every command of the documentation, scripts, the shards, paths and pipes
# of all analyses, kills, damaged files and hostile names, a cluster of Slurm, the report in a browser.
PROGRAMS = ^Test(Documented(Commands|Configurations)|Console|Manuals|NewMetric|Scripts|Paths|Pipes|DryRun|StudyRemembers|OutputsAreNoInputs|ShardsOfEveryAnalysis|Trial.*|Killed(Study|Shard|Merge)?|Slurm|Browser.*)$$
test-programs:
	$(TEST) -run '$(PROGRAMS)' ./internal/house ./internal/input ./suite ./cmd ./analysis/neighborhood/command ./tool/evaluate ./tool/evaluate/page ./tool/scale

# Short tests under the race detector; needs gcc. Without tables for debuggers, compiling takes a tenth less time.
RACE ?= ./...
.PHONY: race
race:
	@if command -v gcc >/dev/null; then CGO_ENABLED=1 $(GO) test -race -short -vet=off -gcflags=all=-dwarf=false -timeout 30m $(RACE); else echo "skipped: the race detector needs gcc"; fi

# Builds for other systems. The flags are those of the archives, so that both compile once.
.PHONY: cross
cross:
	@set -e; for target in linux/arm64 windows/amd64; do \
		echo "$$target"; \
		export CGO_ENABLED=0 GOOS="$${target%/*}" GOARCH="$${target#*/}"; \
		$(GO) build $(SMALL) ./...; \
		$(GO) vet $(SMALL) ./internal/kernel/... ./report ./internal/mmap; \
	done

# Packages with files for GPUs; the others have the same files, and so the same vet, without the tags. The package forward
# has no file where the driver is the fake one.
TAGGED = $(filter-out internal/cuda/forward/,$(sort $(dir $(shell grep -rl --include=*.go '^//go:build.*cuda' $(filter-out bin/ beam/,$(wildcard */))))))
lint: $(STATICCHECK)
	$(GO) vet ./...
	@if command -v gcc >/dev/null; then $(CUDA_ENV) $(GO) vet -tags 'cuda fakecuda' $(addprefix ./,$(TAGGED)); else echo "skipped: what uses GPUs, which needs gcc"; fi
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "not formatted by gofmt:"; echo "$$unformatted"; exit 1; fi
	$(STATICCHECK) ./...

# Outside go.mod on purpose: a tool is no dependency of the module.
$(STATICCHECK):
	GOBIN="$(CURDIR)/bin/tools" $(GO) install honnef.co/go/tools/cmd/staticcheck@v0.8.2

# Coverage of intervals and false-positive rates of tests; writes docs/statistics. PAGES only writes the pages again.
DRAWS ?= 40
calibrate:
	$(GO) run ./internal/calibration $(if $(PAGES),-pages,-draws $(DRAWS))

bench:
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem $(BENCHPKGS)

# Every fuzz target of the module, one after the other.
fuzz:
	@set -e; for package in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz' || true); do \
			echo "== $$package $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$package; \
		done; \
	done

# ONNX Runtime, the oracle of model/cpu's golden files (see model/cpu/testdata/README.md):
# packed archives only, no install script runs, nothing of it is committed.
ORT_VERSION := 1.27.0
ORT_SHA256  := d8aff4aa8abee8fb2abb2f2f2459ffc94461e781e41b9f7c072829dd0d470221

oracle:
	@set -e; mkdir -p .oracle; cd .oracle; \
	for package in onnxruntime-common onnxruntime-node; do \
		npm pack --silent "$$package@$(ORT_VERSION)" >/dev/null; \
		rm -rf "node_modules/$$package"; mkdir -p "node_modules/$$package"; \
		tar -xzf "$$package-$(ORT_VERSION).tgz" --strip-components 1 -C "node_modules/$$package" \
			--exclude '*/arm64/*' --exclude '*/win32/*' --exclude '*/darwin/*'; \
		rm "$$package-$(ORT_VERSION).tgz"; \
	done; \
	library=node_modules/onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime.so.1; \
	if ! echo "$(ORT_SHA256)  $$library" | sha256sum --check --quiet; then rm -rf node_modules/onnxruntime-node; exit 1; fi; \
	echo "ONNX Runtime $(ORT_VERSION) is in .oracle/"

# The list of analyses, built with the flags of bin/repscope: the packages are compiled already.
LIST = CGO_ENABLED=0 $(GO) run $(SMALL) -ldflags='-s -w' ./suite/list

# Prints a line for each analysis and one screen at the end; V=1 prints all tables. console/NAME.txt has the tables, notes
# and warnings of each analysis. Latents are cached by content: only the first analysis encodes them.
RESULTS = $(or $(OUT),evaluation_plots)
V ?=
analyse-all: build
	@set -e; logs="$(RESULTS)/console"; mkdir -p "$$logs"; \
	list="$(or $(ANALYSES),$$($(LIST)))"; for analysis in $$list; do \
		case "$$analysis$(if $(FRAMES),:own)" in \
		reconstruction:own) left="$(if $(PREDICTIONS),,name predicted frames with PREDICTIONS=\"NAME=FILE\")";; \
		generation:own|forecast:own|sequence:own|canvas:own) left="it takes no frames";; \
		*) left="";; \
		esac; \
		if [ -n "$$left" ]; then printf '%-15s left out: %s\n' "$$analysis" "$$left"; continue; fi; \
		case $$analysis in reconstruction) set -- $(PREDICTED);; *) set -- $(INPUT);; esac; \
		set -- "$$@" $(if $(OUT),--out "$(OUT)/$$analysis") $(FLAGS) $(if $(filter --quiet,$(FLAGS)),,--verbose); \
		log="$$logs/$$analysis.txt"; start=$$(date +%s); failed=; \
		if [ -n "$(V)" ]; then echo "== $$analysis"; bin/$$analysis "$$@"; continue; fi; \
		bin/$$analysis "$$@" >"$$log" 2>&1 || failed=1; \
		if [ -n "$$failed" ]; then grep "^$$analysis: " "$$log" >&2 || true; echo "$$analysis failed: see $$log" >&2; exit 1; fi; \
		warnings=$$(grep -c "^$$analysis: warning: " "$$log" || true); \
		printf '%-15s %4d s  %s\n' "$$analysis" $$(($$(date +%s) - start)) "$$([ "$$warnings" = 0 ] || echo "warnings: $$warnings")"; \
	done; echo; \
	bin/compare "$(RESULTS)" $(if $(OUT),--out "$(OUT)/comparison") $(if $(V),--verbose) 2>"$$logs/compare.txt" || { cat "$$logs/compare.txt" >&2; exit 1; }; \
	echo "files and figures: $(RESULTS)/*; tables and warnings: $$logs/*.txt"

# The built-in example's frames as .npy files, for use with other tools.
example-data:
	$(GO) run ./internal/example/generate --out example-data

# The figures of the README and of the pages below docs.
figures: build
	@set -e; mkdir -p docs/figures; list="$$($(LIST) --figures)"; echo "$$list" | while read -r analysis flags; do \
		bin/$$analysis --example $$flags --quiet --format png --out "bin/figures/$$analysis"; \
		cp "bin/figures/$$analysis"/*.png docs/figures/; \
	done
	@bin/compare --example --metrics error --quiet --out bin/figures/compare && cp bin/figures/compare/compare_study.png docs/figures/
	@bin/validate --example --quiet --out bin/figures/validate && cp bin/figures/validate/validate.png docs/figures/
	@cd bin/figures && ../evaluate report smoothness robustness neighborhood manifold geometry --quiet --out report.html && \
		chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1280,1160 --screenshot="$(CURDIR)/docs/figures/evaluate_report.png" "file://$(CURDIR)/bin/figures/report.html"
	@for figure in docs/figures/*.png; do grep -rqF "$$(basename $$figure)" README.md docs --include=*.md || rm $$figure; done

clean:
	rm -rf bin

# Binaries that use NVIDIA GPUs. Needs gcc and Go alone; the driver is looked for
# when they run. CGO_LDFLAGS comes first, so that no toolkit's libcuda is linked. The flags are those of bin/repscope,
# so that packages that know no GPU compile once.
CUDA_ENV = CGO_ENABLED=1 CGO_CFLAGS="-O2 -I$(CURDIR)/internal/cuda/include" CGO_LDFLAGS="-L$(CURDIR)/internal/cuda/forward/lib"

.PHONY: cuda ptx ptx-check cuda-fake gpu-check gpu-check-bundle
cuda:
	@command -v gcc >/dev/null || { echo "make cuda needs gcc"; exit 1; }
	$(CUDA_ENV) $(GO) build $(SMALL) -tags cuda -o bin/ ./cmd/repscope
	$(LINKS)

# The kernels' PTX, which is committed; needs clang 19.
ptx:
	internal/cuda/ptx.sh

# Header and PTX against NVIDIA's headers and assemblers; needs gcc, and pip or CUDA_HOME.
ptx-check:
	internal/cuda/check.sh

# What uses GPUs, on a fake driver, without a GPU. PTX=1 interprets the kernels' PTX
# instead of running their twins, PTX=compared does both and compares what they leave.
FAKE_MODE = $(if $(filter compared,$(PTX)),compared,$(if $(PTX),ptx))
cuda-fake:
	@if command -v gcc >/dev/null && command -v g++ >/dev/null; then \
		$(CUDA_ENV) FAKECUDA=$(FAKE_MODE) $(GO) test -tags 'cuda fakecuda' $(if $(PTX),-count=1) -vet=off -timeout 30m ./internal/cuda ./model/cuda && \
		$(CUDA_ENV) FAKECUDA=$(FAKE_MODE) $(GO) test -tags 'cuda fakecuda' $(if $(PTX),-count=1) -vet=off -timeout 30m -run 'GPU|CUDA|Samples' ./neighbors/... ./model ./latent ./analysis/robustness ./cmd ./internal/house; \
	else \
		echo "skipped: the tests of CUDA on the fake driver need gcc and g++"; \
	fi

# Mutants of the PTX: launches of the tests of kernels by themselves are recorded and run again with one
# mistake each. PTX_ONLY=3,17 runs mutants by their numbers, with the launches that are there.
.PHONY: ptx-mutants
ptx-mutants:
	$(if $(PTX_ONLY),,rm -rf bin/launches && mkdir -p bin/launches)
	$(if $(PTX_ONLY),,$(CUDA_ENV) FAKECUDA=ptx FAKECUDA_RECORD=$(CURDIR)/bin/launches $(GO) test -count=1 -timeout 60m -tags 'cuda fakecuda' -skip 'FakeNotices|Missing|LostAtAnyCall' ./internal/cuda)
	PTX_LAUNCHES=$(CURDIR)/bin/launches PTX_ONLY='$(PTX_ONLY)' $(GO) test -count=1 -timeout 60m -v -run Mutants ./internal/cuda/ptxvm

# All checks on a machine with a GPU. The bundle runs where there is no Go:
# copy bin/gpu-check there and run its gpu-check.sh.
gpu-check: gpu-check-bundle
	bin/gpu-check/gpu-check.sh

GPU_CHECK = $(CURDIR)/bin/gpu-check
gpu-check-bundle:
	rm -rf bin/gpu-check
	@mkdir -p bin/gpu-check
	@for package in internal/cuda model/cuda neighbors neighbors/internal/gpu analysis/robustness; do \
		mkdir -p "$(GPU_CHECK)/$$package"; \
		echo "$(GO) test -c -tags cuda ./$$package"; \
		$(CUDA_ENV) $(GO) test -c -tags cuda -ldflags='-s -w' -o "$(GPU_CHECK)/$$package/$$(basename $$package).test" ./$$package || exit 1; \
	done
	$(CUDA_ENV) $(GO) build -trimpath -tags cuda -ldflags='-s -w' -o bin/gpu-check/ ./cmd/repscope
	cp internal/cuda/gpu-check.sh bin/gpu-check/
	cp -r internal/cuda/kernels internal/cuda/include internal/cuda/check.sh internal/cuda/spills.txt bin/gpu-check/internal/cuda/
	sed -n 's/^	{"\(cu[A-Za-z0-9_]*\)", 0},$$/\1/p' internal/cuda/forward/symbols.c > bin/gpu-check/internal/cuda/symbols.txt
	grep -v 'cuStreamWaitValue32\|cuStreamWriteValue32\|TexRef\|SurfRef\|Array\|Link' bin/gpu-check/internal/cuda/symbols.txt > bin/gpu-check/internal/cuda/needed.txt
	@for folder in latent model/cpu model/onnx model/checkpoint neighbors; do \
		if [ -d $$folder/testdata ]; then mkdir -p "$(GPU_CHECK)/$$folder"; cp -r $$folder/testdata "$(GPU_CHECK)/$$folder/"; fi; \
	done
	@$${PYTHON:-python3} latent/testdata/bench_models.py bin/gpu-check/models >/dev/null 2>&1 || \
		{ rm -rf bin/gpu-check/models; echo "skipped: models for the benchmarks need python3 with torch and onnx"; }
	@du -sh bin/gpu-check
