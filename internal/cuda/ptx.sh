#!/bin/sh
# Compiles the kernels to PTX; the same source gives the same bytes. Needs clang 19.
# With a folder as argument it only writes the PTX there.
set -e
cd "$(dirname "$0")/kernels"
for source in *.cu; do
	"${CLANG:-clang-19}" -x cuda --cuda-device-only -S -O3 --cuda-gpu-arch=sm_80 --cuda-feature=+ptx71 \
		-nocudalib -nocudainc -std=c++17 -ffp-contract=off -Wall -Werror "$source" -o "${1:-.}/${source%.cu}.ptx"
done
# The fake driver includes the kernels from here, which go's build cache does
# not see; this file does change with them.
if [ -z "$1" ]; then
	printf '/* Written by ptx.sh: the hash of the kernels that this was compiled with. */\n#define FAKE_SOURCES "%s"\n' \
		"$(cat *.cu *.h | sha256sum | cut -d' ' -f1)" > ../fakecuda/sources.h
fi
