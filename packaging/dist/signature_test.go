// What systems check of a program before they run it: the signature on macOS, the libraries on Windows.

package main

import (
	"bytes"
	"crypto/sha256"
	"debug/macho"
	"debug/pe"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// isSigned reports a program for macOS whose ad-hoc signature is missing or does not hold: macOS on arm64 ends a
// program when a page is read whose hash is not the one that was signed.
func isSigned(f *macho.File, program []byte) error {
	const command = 0x1d // LC_CODE_SIGNATURE
	i := slices.IndexFunc(f.Loads, func(l macho.Load) bool { return f.ByteOrder.Uint32(l.Raw()) == command })
	if i < 0 {
		return fmt.Errorf("it is not signed")
	}
	raw := f.Loads[i].Raw()
	start, size := uint64(f.ByteOrder.Uint32(raw[8:])), uint64(f.ByteOrder.Uint32(raw[12:]))
	if start+size != uint64(len(program)) || size < 20 {
		return fmt.Errorf("a signature of bytes %d to %d of %d", start, start+size, len(program))
	}
	blob := program[start:]
	word := func(b []byte, at uint32) uint32 { return binary.BigEndian.Uint32(b[at:]) }
	if word(blob, 0) != 0xfade0cc0 || uint64(word(blob, 4)) > size || word(blob, 8) != 1 || word(blob, 12) != 0 {
		return fmt.Errorf("a signature that begins with %x, want one directory of code", blob[:16])
	}
	d := blob[word(blob, 16):]
	if word(d, 0) != 0xfade0c02 || word(d, 12)&2 == 0 || d[36] != sha256.Size || d[37] != 2 {
		return fmt.Errorf("a directory of code that begins with %x, want an ad-hoc one of SHA-256", d[:40])
	}
	hashes, slots, limit, page := word(d, 16), word(d, 28), uint64(word(d, 32)), uint64(1)<<d[39]
	if limit != start || uint64(slots) != (limit+page-1)/page {
		return fmt.Errorf("%d hashes of %d bytes, want all %d bytes before the signature", slots, limit, start)
	}
	for k := range uint64(slots) {
		sum := sha256.Sum256(program[k*page : min((k+1)*page, limit)])
		if at := uint64(hashes) + k*sha256.Size; !bytes.Equal(sum[:], d[at:at+sha256.Size]) {
			return fmt.Errorf("page %d of %d has another hash than the signed one", k, slots)
		}
	}
	return nil
}

// importsOf are the libraries that Windows loads with a program.
func importsOf(f *pe.File) ([]string, error) {
	symbols, err := f.ImportedSymbols()
	var names []string
	for _, s := range symbols {
		if _, library, _ := strings.Cut(s, ":"); !slices.Contains(names, strings.ToLower(library)) {
			names = append(names, strings.ToLower(library))
		}
	}
	return names, err
}

// TestSignature builds a small program for macOS as the large one is built, and changes one byte of it.
func TestSignature(t *testing.T) {
	t.Parallel()
	program := smallProgram(t, "darwin", "arm64")
	check := func(program []byte) error {
		f, err := macho.NewFile(bytes.NewReader(program))
		if err != nil {
			t.Fatal(err)
		}
		return isSigned(f, program)
	}
	if err := check(program); err != nil {
		t.Error(err)
	}
	changed := slices.Clone(program)
	changed[len(changed)/2] ^= 1
	if err := check(changed); err == nil || !strings.Contains(err.Error(), "another hash") {
		t.Errorf("a changed byte: %v", err)
	}
	if err := check(program[:len(program)-1]); err == nil {
		t.Error("a cut signature holds")
	}
}

// smallProgram builds a program that does nothing.
func smallProgram(t *testing.T, system, processor string) []byte {
	t.Helper()
	folder := t.TempDir()
	source, program := filepath.Join(folder, "main.go"), filepath.Join(folder, "program")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w -buildid=", "-o", program, source)
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor)
	if said, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	return read(t, program)
}
