#!/bin/sh
# Compiles the kernels to PTX; the same source gives the same bytes. Needs clang 19.
set -e
cd "$(dirname "$0")/kernels"
for source in *.cu; do
	"${CLANG:-clang-19}" -x cuda --cuda-device-only -S -O3 --cuda-gpu-arch=sm_80 --cuda-feature=+ptx71 \
		-nocudalib -nocudainc -std=c++17 -ffp-contract=off -Wall -Werror "$source" -o "${1:-.}/${source%.cu}.ptx"
done
