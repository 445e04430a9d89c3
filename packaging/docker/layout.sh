#!/bin/bash
# Lays out an archive of "make dist" as the root of an image: the program, its names, its texts,
# a user, and a folder for temporary files.
#
#   packaging/docker/layout.sh dist/repscope-VERSION-linux-x86_64.tar.gz FOLDER
set -euo pipefail
archive=$1 root=$2
mkdir -p "$root"/{usr/bin,usr/share/doc/repscope,usr/share/man/man1,etc,data,tmp}
chmod 1777 "$root/tmp" "$root/data"
unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked"' EXIT
tar --extract --gzip --strip-components 1 --directory "$unpacked" --file "$archive"
install -m 755 "$unpacked/repscope" "$root/usr/bin/repscope"
for page in "$unpacked"/man/man1/*.1; do
	name=$(basename "$page" .1)
	install -m 644 "$page" "$root/usr/share/man/man1/$name.1"
	if [ "$name" != repscope ]; then ln -sf repscope "$root/usr/bin/$name"; fi
done
install -m 644 "$unpacked"/{LICENSE,THIRD_PARTY_LICENSES,sbom.cdx.json} "$root/usr/share/doc/repscope/"
echo 'repscope:x:65532:65532:repscope:/tmp:/sbin/nologin' > "$root/etc/passwd"
echo 'repscope:x:65532:' > "$root/etc/group"
# Equal archives make equal images: all files have the time of the program.
find "$root" -exec touch --no-dereference --reference "$unpacked/repscope" {} +
