#!/bin/bash
# All checks that need a GPU, with a table at the end. It runs in
# the folder that `make gpu-check-bundle` fills, where test binaries lie in the places
# of their packages; Go is not needed. A step that lacks something is skipped and says
# what. SECONDS_EACH is the time per benchmark case, STEPS a pattern of the steps to run
# (STEPS='tests|memcheck'), MODES those of PyTorch, TEST_SECONDS and SANITIZER_SECONDS the
# longest times of a step of tests and of a sanitizer.
cd "$(dirname "$0")" || exit 1
root=$PWD
table=()
failures=0
report=$root/report
rm -rf "$report"
mkdir -p "$report"

# step NAME COMMAND…: runs a step; the last line that it prints is its result.
step() {
	local name=$1 begin=$SECONDS result
	shift
	[[ $name =~ ${STEPS:-.} ]] || return
	echo "== $name"
	"$@" 2>&1 | tee "$report/${name// /-}.txt"
	local code=${PIPESTATUS[0]}
	result=$(tail -n 1 "$report/${name// /-}.txt" | cut -c1-100)
	if [ "$code" != 0 ]; then
		failures=$((failures + 1))
		result="FAILED: $result"
	elif [[ $result != skipped:* ]]; then
		result="ok: $result"
	fi
	table+=("$(printf '%-24s %4d s  %s' "$name" $((SECONDS - begin)) "$result")")
}

has() { command -v "$1" > /dev/null; }

driver() {
	local library
	library=$({ /sbin/ldconfig -p 2>/dev/null || true; } | awk '/libcuda\.so\.1 / { print $NF; exit }')
	[ -n "$library" ] || library=$(find /usr/lib* /usr/local -name libcuda.so.1 2>/dev/null | head -n 1)
	[ -n "$library" ] || { echo "skipped: there is no libcuda.so.1"; return; }
	echo "$library"
	if has nvidia-smi; then nvidia-smi --query-gpu=name,driver_version,memory.total,compute_cap --format=csv,noheader; fi
}

# Every function of our header, by the name of its symbol.
symbols() {
	has python3 || { echo "skipped: no python3"; return; }
	python3 - "$root/internal/cuda/symbols.txt" <<-'PYTHON'
		import ctypes, sys
		try:
		    library = ctypes.CDLL("libcuda.so.1")
		except OSError as error:
		    print("skipped:", error)
		    sys.exit()
		names = open(sys.argv[1]).read().split()
		missing = [n for n in names if not hasattr(library, n)]
		print(len(names) - len(missing), "of", len(names), "symbols are in the driver; not:", *(missing or ["none"]))
		# gorgonia.org/cu names a few that no program of ours calls.
		needed = open(sys.argv[1].replace("symbols", "needed")).read().split()
		sys.exit(1 if set(missing) & set(needed) else 0)
	PYTHON
}

# Header and PTX against NVIDIA's, of a toolkit here or of wheels.
header_and_ptx() {
	has gcc || { echo "skipped: no gcc"; return; }
	if [ -z "$CUDA_HOME" ] && [ -x /usr/local/cuda/bin/ptxas ]; then export CUDA_HOME=/usr/local/cuda; fi
	ARCHS=${ARCHS-sm_80 sm_90} sh internal/cuda/check.sh
}

# tests BINARY [ARGUMENT…]: a test binary in its package's folder.
tests() {
	local binary=$1
	shift
	(cd "$(dirname "$binary")" && timeout $((${TEST_SECONDS:-190} + 10)) "./$(basename "$binary")" -test.v -test.timeout ${TEST_SECONDS:-190}s "$@") > "$report/last" 2>&1
	local code=$?
	cp "$report/last" "$report/$(basename "$binary").log"
	grep -E '^(---|FAIL|panic)' "$report/last" | grep -v -- '--- PASS' | head -n 40
	if [ $code != 0 ]; then
		tail -n 30 "$report/last"
	fi
	local passed skipped failed
	passed=$(grep -c '^--- PASS' "$report/last") skipped=$(grep -c '^--- SKIP' "$report/last") failed=$(grep -c '^--- FAIL' "$report/last")
	if [ "$passed" = 0 ] && grep -q 'no CUDA device' "$report/last"; then
		echo "skipped: $(grep -m1 -o 'no CUDA device.*' "$report/last")"
	else
		echo "$passed tests pass, $skipped are skipped, $failed fail"
	fi
	return $code
}

# The node cases of the onnx package, made by its own generator.
cases() {
	[ -d cases ] && { echo "there"; return; }
	has python3 && python3 -c 'import onnx' 2> /dev/null || { echo "skipped: no python3 with onnx"; return; }
	python3 model/cpu/testdata/node_cases.py cases > "$report/cases.log" 2>&1 || { tail -n 3 "$report/cases.log"; rm -rf cases; return 1; }
	find cases -name model.onnx | wc -l
}

sanitize() { # TOOL BINARY SKIPPED [RUN]: a test binary in its package's folder, without the tests that make errors on purpose
	has compute-sanitizer || [ -x /usr/local/cuda/bin/compute-sanitizer ] || { echo "skipped: no compute-sanitizer"; return; }
	local tool=compute-sanitizer log
	has compute-sanitizer || tool=/usr/local/cuda/bin/compute-sanitizer
	log="$report/$1-$(basename "$2").log"
	(cd "$(dirname "$2")" && timeout "${SANITIZER_SECONDS:-150}" "$tool" --tool "$1" --error-exitcode 9 "./$(basename "$2")" -test.run "${4:-.}" -test.skip "$3") > "$log" 2>&1
	local code=$?
	tail -n 3 "$log"
	return $code
}

# The encoders of the benchmarks, where they were not packed.
models() {
	[ -d models ] && { echo "packed"; return; }
	has python3 && python3 -c 'import torch, onnx' 2> /dev/null || { echo "skipped: no python3 with torch and onnx"; return; }
	python3 latent/testdata/bench_models.py models > "$report/models.log" 2>&1 || { tail -n 3 "$report/models.log"; rm -rf models; return 1; }
	ls models/*.onnx | wc -l
}

# The programs with --device: what must be equal to the processor's is compared byte by
# byte, latents by the largest relative distance of a state. Times are those of whole
# programs; the driver keeps what it has compiled, so that the first run takes longer.
programs() {
	local scratch=$report/programs device
	mkdir -p "$scratch" && cd "$scratch" || return 1
	run() { # NAME ARGUMENT…
		local name=$1 begin=$EPOCHREALTIME
		shift
		XDG_CACHE_HOME=$PWD/$name.cache "$root/repscope" "$@" --out "$name" > "$name.log" 2>&1 || { tail -n 5 "$name.log"; echo "$name: repscope $*"; return 1; }
		awk -v name="$name" -v begin="$begin" -v end="$EPOCHREALTIME" 'BEGIN { printf "%-16s %.2f s\n", name, end - begin }'
	}
	# A compiler's cache of its own: the first program compiles kernels, the second finds them.
	export CUDA_CACHE_PATH=$scratch/compiled
	"$root/repscope" encode --example --device cuda --out probe > probe.log 2>&1 || { grep -q 'no CUDA' probe.log && { echo "skipped: $(grep -m1 'no CUDA' probe.log)"; return; }; tail -n 5 probe.log; return 1; }
	rm -rf compiled
	run encode-first encode --example --device cuda || return 1
	run encode-second encode --example --device cuda || return 1
	run encode-cpu encode --example --device cpu || return 1
	for precision in fp32 tf32 bf16; do run encode-$precision encode --example --device cuda --precision $precision || return 1; done
	# Frames of bytes where numpy can write some, of floats otherwise.
	local frames=encode-cpu/random.npy
	python3 -c 'import numpy; numpy.save("frames.npy", numpy.random.default_rng(1).integers(0, 256, (len(numpy.load("encode-cpu/jepa.npy")), 40, 40), "uint8"))' 2> /dev/null && frames=frames.npy
	run neighbors-cpu neighborhood --frames $frames --latents z=encode-cpu/jepa.npy --device cpu --permutations 3 || return 1
	run neighbors-cuda neighborhood --frames $frames --latents z=encode-cpu/jepa.npy --device cuda --permutations 3 || return 1
	run robust-cpu robustness --example --device cpu || return 1
	run robust-cuda robustness --example --device cuda || return 1
	run robust-again robustness --example --device cuda --batch 48 || return 1
	run manifold-cpu manifold --latents z=encode-cpu/jepa.npy --device cpu || return 1
	run manifold-cuda manifold --latents z=encode-cpu/jepa.npy --device cuda || return 1
	run geometry-cpu geometry --latents z=encode-cpu/jepa.npy --device cpu || return 1
	run geometry-cuda geometry --latents z=encode-cpu/jepa.npy --device cuda || return 1
	run smooth-cuda smoothness --example --device cuda || return 1
	local wrong=0 file
	same() { cmp "$1" "$2" || wrong=$((wrong + 1)); }
	same robust-cuda/robustness_raw_data.csv robust-again/robustness_raw_data.csv
	for pair in neighbors manifold geometry; do
		for file in "$pair"-cpu/*.csv; do same "$file" "$pair-cuda/$(basename "$file")"; done
	done
	if python3 -c 'import numpy' 2> /dev/null; then
		python3 - <<-'PYTHON' || wrong=$((wrong + 1))
			import glob, os, sys
			import numpy as np
			bad = 0
			for path in sorted(glob.glob("encode-cpu/*.npy")):
			    name = os.path.basename(path)
			    want = np.load(path).astype(np.float64)
			    if want.ndim < 2:
			        continue
			    for precision, bound in (("fp32", 1e-5), ("tf32", 5e-3), ("bf16", 5e-2)):
			        got = np.load(f"encode-{precision}/{name}").astype(np.float64)
			        whole = np.linalg.norm(got - want) / np.linalg.norm(want)
			        print(f"{name} {precision}: {whole:.2g}")
			        bad += not whole < bound
			sys.exit(bad > 0)
		PYTHON
	fi
	echo "$(ls -d *-cuda | wc -l) programs on the GPU, $wrong differ"
	[ "$wrong" = 0 ]
}

benchmark() {
	[ -d models ] || { echo "skipped: no models (python3 with torch and onnx makes them when the bundle is packed)"; return; }
	(cd model/cuda && REPSCOPE_BENCH_MODELS=$root/models ./cuda.test -test.run '^$' -test.bench Models -test.benchtime "${SECONDS_EACH:-0.5}s") > "$report/repscope" 2>&1
	local code=$?
	grep -E 'frames/s|SKIP|skip' "$report/repscope"
	grep -q 'frames/s' "$report/repscope" || echo "skipped: $(grep -m1 -iE 'no CUDA device|skip' "$report/repscope" | sed 's/^ *//')"
	return $code
}

# The pass and the products it needs, n = 36,343, D = 16,384 uint8.
neighbourhood() {
	(cd neighbors && REPSCOPE_BENCH_LARGE=1 ./neighbors.test -test.run '^$' -test.bench GPUPass -test.benchtime 3x) > "$report/neighbourhood" 2>&1
	local code=$?
	(cd neighbors/internal/gpu && REPSCOPE_BENCH_LARGE=1 ./gpu.test -test.run '^$' -test.bench GPUProducts -test.benchtime 3x) >> "$report/neighbourhood" 2>&1 || code=1
	awk '/^BenchmarkGPUPass\// { for (i = 2; i <= NF; i++) if ($i == "ns/op") all = $(i - 1) / 1e6 }
		/ms-products/ { for (i = 2; i <= NF; i++) if ($i == "ms-products") products = $(i - 1)
		printf "pass %.0f ms, products of all pairs alone %.0f ms (%.2f ×)\n", all, products, all / products; found = 1 }
		END { if (!found) print "skipped: no CUDA device" }' "$report/neighbourhood"
	return $code
}

pytorch() {
	export MODES
	has python3 && python3 -c 'import torch' 2> /dev/null || { echo "skipped: no python3 with torch"; return; }
	(cd latent/testdata && timeout 240 python3 bench_torch_cuda.py "${SECONDS_EACH:-0.5}") | tee "$report/pytorch"
}

# Frames per second side by side.
compare() {
	[ -s "$report/pytorch" ] && grep -q frames/s "$report/pytorch" && grep -qs frames/s "$report/repscope" || { echo "skipped: not both were measured"; return; }
	awk 'FNR == NR { if ($1 ~ /^PyTorch/) { i = index($1, "/"); torch[substr($1, i + 1) " " substr($1, 9, i - 9)] = $2 } next }
		/frames\/s/ { case_ = $1; sub(/^BenchmarkModels\//, "", case_); sub(/-[0-9]+$/, "", case_)
			for (i = 2; i <= NF; i++) if ($i == "frames/s") ours = $(i - 1)
			printf "%-32s %12.0f", case_, ours
			split("eager compile max-autotune", modes, " ")
			for (m = 1; m <= 3; m++) { t = torch[case_ " " modes[m]]; if (t > 0) printf "  %s %.0f (%.2f ×)", modes[m], t, ours / t }
			print "" }' "$report/pytorch" "$report/repscope"
}

step "driver" driver
step "symbols" symbols
step "header and ptxas" header_and_ptx
step "device tests" tests internal/cuda/cuda.test
step "cases" cases
if [ -d cases ]; then export REPSCOPE_ONNX_NODE_CASES=$root/cases; fi
step "operators and encoders" tests model/cuda/cuda.test
step "neighbours" tests neighbors/neighbors.test -test.run 'GPU|Cuda|CUDA|Device'
step "noise" tests analysis/robustness/robustness.test -test.run 'GPU'
step "programs" programs
step "memcheck" sanitize memcheck internal/cuda/cuda.test 'Errors|Memory'
step "racecheck" sanitize racecheck internal/cuda/cuda.test 'Errors|Memory'
step "memcheck of operators" sanitize memcheck model/cuda/cuda.test 'NodeCases|Failures'
step "memcheck of neighbours" sanitize memcheck neighbors/neighbors.test Failures GPU
step "racecheck of neighbours" sanitize racecheck neighbors/neighbors.test Failures GPU
step "models" models
step "benchmark" benchmark
step "neighbourhood" neighbourhood
step "pytorch" pytorch
step "comparison" compare
echo
printf '%s\n' "${table[@]}"
echo "$failures steps failed; the whole output is in $report"
[ "$failures" = 0 ]
