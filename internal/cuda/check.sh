#!/bin/sh
# Compares include/cuda.h with NVIDIA's header and assembles every PTX file with
# ptxas. Both come from NVIDIA's wheels (fetched by pip into bin/nvidia, nothing of
# them is committed), or from a toolkit named by CUDA_HOME.
set -e
here=$(cd "$(dirname "$0")" && pwd)
if [ -n "$CUDA_HOME" ]; then
	header=$CUDA_HOME/include/cuda.h ptxas=$CUDA_HOME/bin/ptxas
else
	wheels=$here/../../bin/nvidia
	if [ ! -d "$wheels/nvidia" ]; then
		mkdir -p "$wheels"
		${PYTHON:-python3} -m pip download --quiet --no-deps --only-binary=:all: --dest "$wheels" \
			nvidia-cuda-nvcc-cu12==12.8.93 nvidia-cuda-runtime-cu12==12.8.90 || { echo "skipped: NVIDIA's wheels cannot be had"; exit 0; }
		for wheel in "$wheels"/*.whl; do ${PYTHON:-python3} -m zipfile -e "$wheel" "$wheels"; done
	fi
	header=$wheels/nvidia/cuda_runtime/include/cuda.h ptxas=$wheels/nvidia/cuda_nvcc/bin/ptxas
	chmod +x "$ptxas"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Constants, sizes and offsets are written as numbers by a program with our
# header; our declarations must agree with theirs, which the compiler checks.
# CU_CTX_FLAGS_MASK grew with CUDA 12 and is no input of any function.
ours=$here/include/cuda.h
{
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
} > "$work/print.c"
gcc -I"$here/include" "$work/print.c" -o "$work/print"
{
	echo "#include \"$header\""
	"$work/print"
	grep -E '^CUresult cu' "$ours"
} > "$work/compare.c"
gcc -fsyntax-only "$work/compare.c"
echo "header: $(grep -c _Static_assert "$work/compare.c") constants and sizes, $(grep -c '^CUresult' "$work/compare.c") declarations agree with $(grep -m1 -oE 'CUDA_VERSION +[0-9]+' "$header")"

# The symbols that our header's names stand for.
grep -oE '^CUresult cu[A-Za-z0-9]+' "$ours" | sed 's/CUresult //' | sort > "$work/names"
symbols() { # header
	{ echo "#include \"$1\""; sed 's/.*/"&" &/' "$work/names"; } | gcc -E -P -x c - | grep -E '^"cu'
}
symbols "$ours" > "$work/ours"
symbols "$header" > "$work/theirs"
if diff "$work/ours" "$work/theirs" > "$work/differences"; then
	echo "symbols: all the same"
else
	echo "symbols that differ (ours <, theirs >); older versions stay in the driver:"
	grep '^[<>]' "$work/differences"
fi

for ptx in "$here"/kernels/*.ptx; do
	for arch in sm_80 sm_90; do
		echo "ptxas $arch $(basename "$ptx")"
		"$ptxas" -arch=$arch -v "$ptx" -o "$work/cubin" > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
		grep -E 'Compiling|Used|spill' "$work/log"
	done
done
