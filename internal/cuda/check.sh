#!/bin/sh
# Compares include/cuda.h with NVIDIA's headers and assembles every PTX file with
# NVIDIA's ptxas, of CUDA 12 and 13. Both come from NVIDIA's wheels, fetched by pip
# into bin/nvidia (nothing of them is committed), or from a toolkit, CUDA_HOME.
# What cannot be had is skipped, with a message.
#
# Fails when header or declarations differ, when ptxas fails, and when a kernel
# spills more bytes of registers than spills.txt allows it. ARCHS chooses the
# architectures, VERBOSE=1 shows every kernel.
set -e
# Columns in line where there is column.
aligned() { if command -v column > /dev/null; then column -t; else cat; fi; }

here=$(cd "$(dirname "$0")" && pwd)
wheels=$here/../../bin/nvidia
ours=$here/include/cuda.h
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=

# fetch FOLDER PACKAGE==VERSION…: unpacks wheels into bin/nvidia/FOLDER.
fetch() {
	folder=$wheels/$1
	shift
	[ -d "$folder/nvidia" ] && return
	mkdir -p "$folder"
	if ! ${PYTHON:-python3} -m pip download --quiet --no-deps --only-binary=:all: --dest "$folder" "$@" > "$work/pip" 2>&1; then
		echo "skipped: $* cannot be had"
		return 1
	fi
	for wheel in "$folder"/*.whl; do ${PYTHON:-python3} -m zipfile -e "$wheel" "$folder"; done
	rm "$folder"/*.whl
}

# A program with our header writes its constants, sizes and offsets as assertions.
# CU_CTX_FLAGS_MASK grows with CUDA and is no input of any function.
write_print() {
	echo '#include <cuda.h>'
	echo '#include <stdio.h>'
	echo 'int main(void) {'
	grep -oE '^	CU[DA]*_[A-Z0-9_]+ = ' "$ours" | grep -oE 'CU[A-Z0-9_]+' | grep -v CU_CTX_FLAGS_MASK |
		sed 's/.*/	printf("_Static_assert((long)& == %ld, \\"&\\");\\n", (long)&);/'
	for type in $(grep -oE '^} CU(DA_[A-Z0-9_]+|uuid);' "$ours" | grep -oE 'CU[A-Za-z0-9_]+'); do
		printf '	printf("_Static_assert(sizeof(%s) == %%zu, \\"sizeof %s\\");\\n", sizeof(%s));\n' "$type" "$type" "$type"
	done
	for field in MEMCPY2D.dstPitch MEMCPY2D.Height MEMCPY3D.dstXInBytes MEMCPY3D.Depth MEMCPY3D_PEER.dstContext \
		KERNEL_NODE_PARAMS.kernelParams KERNEL_NODE_PARAMS.ctx MEMSET_NODE_PARAMS.width HOST_NODE_PARAMS.userData \
		ARRAY_DESCRIPTOR.NumChannels ARRAY3D_DESCRIPTOR.Flags; do
		type=CUDA_${field%.*} name=${field#*.}
		printf '	printf("_Static_assert(__builtin_offsetof(%s, %s) == %%zu, \\"%s\\");\\n", __builtin_offsetof(%s, %s));\n' "$type" "$name" "$field" "$type" "$name"
	done
	echo '}'
}
write_print > "$work/print.c"
gcc -I"$here/include" "$work/print.c" -o "$work/print"
"$work/print" > "$work/assertions"
# Our declarations under the names of the symbols that they stand for.
gcc -E -P "$ours" | tr '\n' ' ' | sed 's/;/;\n/g' | grep -oE 'CUresult cu[A-Za-z0-9_]+\(.*;' > "$work/declarations"

# header FILE: compares constants, sizes, and declarations symbol by symbol. With
# __CUDA_API_VERSION_INTERNAL NVIDIA's header declares the older versions too.
header() {
	{ echo "#include \"$1\""; cat "$work/assertions"; } > "$work/compare.c"
	version=$(grep -m1 -oE 'CUDA_VERSION +[0-9]+' "$1" | grep -oE '[0-9]+')
	if ! gcc -fsyntax-only "$work/compare.c" 2> "$work/errors"; then
		grep error "$work/errors"
		failed="$failed header-$version"
	fi
	{ echo '#define __CUDA_API_VERSION_INTERNAL'; echo "#include \"$1\""; } | gcc -E -P -x c - > "$work/theirs.i"
	unknown=
	{ printf '#define __CUDA_API_VERSION_INTERNAL\n#include "%s"\n' "$1"; cat "$work/declarations"; } > "$work/functions.c"
	for name in $(grep -oE 'cu[A-Za-z0-9_]+\(' "$work/declarations" | tr -d '('); do
		grep -qE "(^|[ *])$name *\(" "$work/theirs.i" || unknown="$unknown $name"
	done
	if ! gcc -fsyntax-only "$work/functions.c" 2> "$work/errors"; then
		grep error "$work/errors"
		failed="$failed declarations-$version"
	fi
	echo "CUDA $version: $(wc -l < "$work/assertions") constants, sizes and offsets; $(wc -l < "$work/declarations") declarations; not in its header:${unknown:- none}"
}

# assemble PTXAS ARCH…: a row per kernel and architecture.
assemble() {
	ptxas=$1
	chmod +x "$ptxas"
	version=$("$ptxas" --version | grep -oE 'V[0-9.]+')
	shift
	for arch; do
		if ! echo ".version 7.1 .target sm_80 .address_size 64" | tr ' ' '\n' | paste -d' ' - - > "$work/empty.ptx" || ! "$ptxas" -arch="$arch" "$work/empty.ptx" -o "$work/cubin" > "$work/log" 2>&1; then
			echo "skipped: ptxas $version does not know $arch"
			continue
		fi
		for ptx in "$here"/kernels/ptx/*.ptx; do
			if ! "$ptxas" -arch="$arch" -v "$ptx" -o "$work/cubin" > "$work/log" 2>&1; then
				cat "$work/log"
				failed="$failed $(basename "$ptx")"
				continue
			fi
			awk -v family="$(basename "$ptx" .ptx)" -v arch="$arch" -v version="$version" '
				/Compiling entry function/ { split($0, q, "\047"); name = q[2] }
				/spill stores/ { stack = $1; for (i = 1; i <= NF; i++) if ($i == "spill" && $(i + 1) ~ /^stores/) stores = $(i - 2) }
				/Used/ { shared = 0; registers = 0
					for (i = 1; i <= NF; i++) { if ($i ~ /^registers/) registers = $(i - 1); if ($i ~ /^smem/) shared = $(i - 2) }
					print version, arch, family, name, registers, shared, stack, stores }' "$work/log" >> "$work/table"
		done
	done
}

: > "$work/table"
if [ -n "$CUDA_HOME" ]; then
	header "$CUDA_HOME/include/cuda.h"
	assemble "$CUDA_HOME/bin/ptxas" ${ARCHS-sm_80 sm_90 sm_100 sm_120}
else
	if fetch 12 nvidia-cuda-nvcc-cu12==12.8.93 nvidia-cuda-runtime-cu12==12.8.90; then
		header "$wheels/12/nvidia/cuda_runtime/include/cuda.h"
		assemble "$wheels/12/nvidia/cuda_nvcc/bin/ptxas" ${ARCHS-sm_80 sm_90}
	fi
	if fetch 13 nvidia-cuda-nvcc==13.0.88 nvidia-cuda-runtime==13.0.96; then
		header "$wheels/13/nvidia/cu13/include/cuda.h"
		assemble "$wheels/13/nvidia/cu13/bin/ptxas" ${ARCHS-sm_80 sm_90 sm_100 sm_120}
	fi
fi

if [ -n "$VERBOSE" ]; then
	echo
	{ echo "ptxas arch family kernel registers shared stack spills"; cat "$work/table"; } | aligned
fi
echo
echo "ptxas: kernels, most registers, most static shared memory, spilling kernels by version, architecture and family"
awk '{ k = $1 " " $2 " " $3; n[k]++; if ($5 > r[k]) r[k] = $5; if ($6 > s[k]) s[k] = $6; if ($8 > 0) p[k]++ }
	END { for (k in n) print k, n[k], r[k] + 0, s[k] + 0, p[k] + 0 }' "$work/table" | sort |
	{ echo "ptxas arch family kernels registers shared spilling"; cat; } | aligned
if awk 'NR == FNR { allowed[$1] = $2; next } $8 > allowed[$4] + 0' "$here/spills.txt" "$work/table" | grep . > "$work/spilling"; then
	sed 's/^/spills more than spills.txt allows: /' "$work/spilling"
	failed="$failed spills"
fi
if [ -n "$failed" ]; then
	echo "failed:$failed"
	exit 1
fi
echo "$(wc -l < "$work/table") assembled kernels, none spills more than spills.txt allows"
