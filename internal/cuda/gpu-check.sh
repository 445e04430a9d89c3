#!/bin/bash
# All checks that need a GPU, in under ten minutes, with a table at the end. It runs in
# the folder that `make gpu-check-bundle` fills, where test binaries lie in the places
# of their packages; Go is not needed. A step that lacks something is skipped and says
# what. SECONDS_EACH is the time per benchmark case.
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
	(cd "$(dirname "$binary")" && "./$(basename "$binary")" -test.v "$@") > "$report/last" 2>&1
	local code=$?
	grep -E '^(---|FAIL|panic)' "$report/last" | grep -v -- '--- PASS' | head -n 40
	if [ $code != 0 ]; then
		tail -n 30 "$report/last"
	fi
	local passed skipped failed
	passed=$(grep -c '^--- PASS' "$report/last") skipped=$(grep -c '^--- SKIP' "$report/last") failed=$(grep -c '^--- FAIL' "$report/last")
	if grep -q 'no CUDA device' "$report/last"; then
		echo "skipped: $(grep -m1 -o 'no CUDA device.*' "$report/last")"
	else
		echo "$passed tests pass, $skipped are skipped, $failed fail"
	fi
	return $code
}

sanitize() { # TOOL
	has compute-sanitizer || [ -x /usr/local/cuda/bin/compute-sanitizer ] || { echo "skipped: no compute-sanitizer"; return; }
	local tool=compute-sanitizer
	has compute-sanitizer || tool=/usr/local/cuda/bin/compute-sanitizer
	# Tests of errors make errors on purpose.
	(cd internal/cuda && timeout 100 "$tool" --tool "$1" --error-exitcode 9 ./cuda.test -test.skip 'Errors|Memory') > "$report/$1.log" 2>&1
	local code=$?
	tail -n 3 "$report/$1.log"
	return $code
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
step "operators and encoders" tests model/cuda/cuda.test
step "neighbours" tests neighbors/neighbors.test -test.run 'GPU|Cuda|CUDA|Device'
step "memcheck" sanitize memcheck
step "racecheck" sanitize racecheck
step "benchmark" benchmark
step "neighbourhood" neighbourhood
step "pytorch" pytorch
step "comparison" compare
echo
printf '%s\n' "${table[@]}"
echo "$failures steps failed; the whole output is in $report"
[ "$failures" = 0 ]
