#!/bin/bash
# Builds the package on Linux and macOS; the recipe runs it in a copy of the sources.
set -euo pipefail
export GOPATH="$SRC_DIR/gopath" GOCACHE="$SRC_DIR/gocache" GOFLAGS=-modcacherw CGO_ENABLED=0
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-1767225600} # of files that are unpacked again; the sources may lack their history
export SOURCE_DATE_EPOCH
target=$(go env GOOS)/$(go env GOARCH)
go run ./packaging/dist --out archive --targets "$target" --version "$PKG_VERSION"
mkdir -p licenses unpacked "$PREFIX"/{bin,share/man/man1,share/bash-completion/completions,share/zsh/site-functions,share/fish/vendor_completions.d}
tar --extract --gzip --strip-components 1 --directory unpacked --file archive/repscope-*.tar.gz
cp unpacked/THIRD_PARTY_LICENSES licenses/
install -m 755 unpacked/repscope "$PREFIX/bin/repscope"
for page in unpacked/man/man1/*.1; do
	name=$(basename "$page" .1)
	install -m 644 "$page" "$PREFIX/share/man/man1/$name.1"
	if [ "$name" != repscope ]; then ln -sf repscope "$PREFIX/bin/$name"; fi
done
install -m 644 unpacked/completions/repscope.bash "$PREFIX/share/bash-completion/completions/repscope"
install -m 644 unpacked/completions/_repscope "$PREFIX/share/zsh/site-functions/_repscope"
install -m 644 unpacked/completions/repscope.fish "$PREFIX/share/fish/vendor_completions.d/repscope.fish"
