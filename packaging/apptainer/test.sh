#!/bin/bash
# Carries out what the definition says in a root of Debian's files, for where Apptainer is not at hand: the copies of %files, %post
# as /bin/sh -e, %test and %runscript under %environment. bin/ must be as the definition says. Where mmdebstrap is missing, or
# the user is not root, nothing is tried.
set -euo pipefail
cd "$(dirname "$0")/../.."
definition=packaging/apptainer/repscope.def
if ! command -v mmdebstrap >/dev/null || [ "$(id -u)" != 0 ]; then
	echo "skipped: the Apptainer definition is tried as root with mmdebstrap"
	exit 0
fi
section() { # NAME: its lines
	awk -v name="%$1" '/^%/ { inside = $1 == name; next } inside' "$definition"
}
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT # a killed mmdebstrap leaves mounts
root=$work/root
from=$(sed -n 's/^From: debian:\([a-z]*\)-slim$/\1/p' "$definition")
[ -n "$from" ] || { echo "$definition: the base is no slim image of Debian" >&2; exit 1; }
mmdebstrap --quiet --variant=essential "$from" "$root"
while read -r source target; do
	[ -n "$source" ] || continue
	mkdir -p "$root$(dirname "$target")"
	cp -r "$source" "$root$target"
done < <(section files)
section post >"$root/tmp/post"
chroot "$root" /bin/sh -e /tmp/post
{
	section environment
	section test
} >"$root/tmp/test"
chroot "$root" /bin/sh -e /tmp/test
{
	section environment
	section runscript
} >"$root/tmp/run"
chroot "$root" /bin/sh /tmp/run smoothness --example --quiet --bootstrap 20 --out /results
[ -s "$root/results/smoothness.json" ] || { echo "smoothness wrote no result" >&2; exit 1; }
chroot "$root" /bin/sh -c "$(section environment); smoothness --version" >"$work/version"
if [ "$(chroot "$root" /bin/sh /tmp/run neighborhood --device cuda --example --quiet --out /gpu 2>"$work/said"; echo $?)" = 0 ]; then
	echo "--device cuda ended well where no driver is" >&2
	exit 1
fi
[ ! -e "$root/gpu" ] || { echo "a run without a driver left files" >&2; exit 1; }
if go version -m bin/repscope 2>/dev/null | grep -q 'build.-tags=cuda'; then
	grep -q 'libcuda' "$work/said" || { echo "without a driver the program with CUDA says: $(cat "$work/said")" >&2; exit 1; }
fi
echo "--device cuda without a driver: $(grep -m 1 -e libcuda -e CUDA "$work/said")"
[ -n "$(ls "$root/opt/repscope/share")" ] || { echo "no texts were copied" >&2; exit 1; }
echo "the definition's files, %post, %test and %runscript: $(cat "$work/version")"
