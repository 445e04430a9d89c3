#!/bin/bash
# Makes the archives for Linux and looks into them: the program for arm64 answers as that for x86-64, the files of the image for
# Docker are laid out, and the definition for clusters is carried out, with the program for NVIDIA GPUs where bin/ has it.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go run ./packaging/dist --out "$work/dist" --targets linux/amd64,linux/arm64
go test ./packaging/dist -run 'TestArchives$' -archives "$work/dist"
archive=$(echo "$work"/dist/*-linux-x86_64.tar.gz)
for name in x86_64 arm64; do
	mkdir "$work/$name"
	tar --extract --gzip --strip-components 1 --directory "$work/$name" --file "$work"/dist/*-linux-"$name".tar.gz
done
if [ "$(uname -m)" != x86_64 ]; then
	echo "skipped: the programs are run on x86-64"
	exit 0
fi

if command -v qemu-aarch64-static >/dev/null; then
	# Rows of 8 bytes behind a header of 128: as numpy.save writes them.
	header="{'descr': '|u1', 'fortran_order': False, 'shape': (60, 8), }"
	array() { # FILE CHARACTERS: 480 bytes
		printf '\223NUMPY\001\000v\000%-117s\n' "$header"
		for ((i = 0; i < 60; i++)); do printf '%08d' $((i * i * $1 % 99999989)); done
	}
	array 7919 >"$work/original.npy"
	array 104729 >"$work/embedded.npy"
	score=(score trustworthiness "$work/original.npy" "$work/embedded.npy" --k 5)
	native=$("$work/x86_64/repscope" "${score[@]}")
	other=$(qemu-aarch64-static "$work/arm64/repscope" "${score[@]}")
	[ "$native" = "$other" ] || { echo "arm64 says $other, x86-64 $native" >&2; exit 1; }
	echo "the program for arm64: the score of x86-64 ($(tr -d ' \n' <<<"$native"))"
else
	echo "skipped: the program for arm64 is run by qemu-aarch64-static (qemu-user-static)"
fi

packaging/docker/layout.sh "$archive" "$work/image"
for name in usr/bin/repscope usr/bin/neighborhood usr/share/man/man1/repscope.1 usr/share/doc/repscope/sbom.cdx.json etc/passwd; do
	[ -s "$work/image/$name" ] || { echo "the image has no $name" >&2; exit 1; }
done
if [ "$(id -u)" = 0 ]; then
	HOME=/tmp chroot --userspec 65532:65532 "$work/image" /usr/bin/smoothness --example --quiet --bootstrap 20 --out /data/results
	[ -s "$work/image/data/results/smoothness.json" ] || { echo "smoothness wrote no result into the image" >&2; exit 1; }
	echo "the image's files alone: smoothness --example as a user without rights"
else
	echo "skipped: the image's files alone are tried as root"
fi

mkdir -p bin/texts
tar --extract --gzip --strip-components 1 --exclude '*/repscope' --directory bin/texts --file "$archive"
[ -x bin/repscope ] || cp "$work/x86_64/repscope" bin/repscope
packaging/apptainer/test.sh
