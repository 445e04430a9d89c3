#!/bin/bash
# Writes tiles.txt: instructions of tiles in Intel's syntax and the bytes that GNU as makes of them, which GNU objdump
# read again. Needs binutils.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
bases=(rax rcx rdx rbx rsi rdi r8 r9 r10 r11 r12 r13)
displacements=("" "+0x40" "-0x40" "+0x400" "+0x7f" "+0x80")
{
	n=0
	for b in "${bases[@]}"; do
		[ "$b" = r12 ] || [ "$b" = r13 ] || echo "ldtilecfg [$b]"
		for t in 0 1 2 3 4 5 6 7; do
			index=${bases[$(((n * 7 + 5) % 12))]}
			d=${displacements[$((n % 6))]}
			echo "tileloadd tmm$t,[$b+$index*1$d]"
			echo "tilestored [$b+$index*1$d],tmm$t"
			n=$((n + 1))
		done
	done
	for d in 0 1 2 3 4 5 6 7; do
		echo "tilezero tmm$d"
		for a in 0 1 2 3 4 5 6 7; do
			for b in 0 1 2 3 4 5 6 7; do
				[ $d = $a ] || [ $d = $b ] || [ $a = $b ] || echo "tdpbuud tmm$d,tmm$a,tmm$b"
			done
		done
	done
	echo "tdpbusd tmm1,tmm2,tmm3"
	echo "tdpbsud tmm1,tmm2,tmm3"
	echo "tdpbssd tmm1,tmm2,tmm3"
	echo "tilerelease"
} >"$work/source.s"
as -msyntax=intel -mnaked-reg -o "$work/source.o" "$work/source.s"
{
	echo "# Written by tiles.sh with $(as --version | head -n 1)."
	objdump -d -M intel -w "$work/source.o" | awk -F'\t' 'NF == 3 { gsub(/ +$/, "", $2); gsub(/\+0x0\]/, "]", $3); sub(/ +$/, "", $3); print $2 "\t" $3 }'
} >tiles.txt
