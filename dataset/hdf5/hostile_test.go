// Damaged and malicious files: errors that name the file, without much memory.

package hdf5

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "repscope/dataset/hdf5/hdf5test"
	"repscope/internal/format"
	"repscope/internal/mmap"
	"repscope/internal/readtest"
)

// readAll reads all of a file: its names, attributes and values of datasets of moderate size. It returns the first error.
func readAll(path string) error {
	mapped, err := mmap.Open(path)
	if err != nil {
		return err
	}
	defer mapped.Close()
	f, err := Read(mapped)
	if err != nil {
		return err
	}
	entries, first := f.Entries()
	note := func(err error) {
		if err != nil && first == nil {
			first = err
		}
	}
	if _, err := f.Attributes(); err != nil {
		note(err)
	}
	for _, e := range entries {
		note(e.Err)
		if e.Dataset == nil {
			continue
		}
		_, err := e.Dataset.Attributes()
		note(err)
		if err := e.Dataset.Prepare(); err != nil {
			note(err)
			continue
		}
		rows := min(e.Dataset.Rows(), 5)
		if n := e.Dataset.RowBytes() * rows; n < 1<<20 {
			note(e.Dataset.Read(make([]byte, n), 0, rows))
			note(e.Dataset.Read(make([]byte, n), e.Dataset.Rows()-rows, e.Dataset.Rows()))
		}
		if e.Dataset.Type.Text {
			_, err := e.Dataset.Texts()
			note(err)
		}
	}
	return first
}

// bounded writes a file, reads it, and checks that this takes no more memory than its size explains.
func bounded(t *testing.T, data []byte) error {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.h5")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	var err error
	readtest.Memory(t, len(data), readtest.Limit{Base: 256 << 20, PerByte: 16384}, func() { err = readAll(path) })
	return err
}

func FuzzHDF5(f *testing.F) {
	files, err := filepath.Glob("testdata/*.h5")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		if len(data) < 40_000 {
			f.Add(data)
		}
	}
	f.Add(chunked(func(*Builder) (uint64, []Message) { return 0, nil }))
	f.Fuzz(func(t *testing.T, data []byte) { _ = bounded(t, data) })
}

// A file that is cut anywhere is an error, and says so.
func TestTruncated(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: one damaged file after another")
	}
	files := map[string][]byte{"small.h5": chunked(func(*Builder) (uint64, []Message) { return 0, nil })}
	for _, name := range []string{"userblock.h5", "ordered.h5", "virtual_latest.h5"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = data
	}
	for name, data := range files {
		path := filepath.Join(t.TempDir(), name)
		for n := 0; n < len(data); n += 1 + len(data)/1024*4 {
			if err := os.WriteFile(path, data[:n], 0o600); err != nil {
				t.Fatal(err)
			}
			err := readAll(path)
			if err == nil || !strings.Contains(err.Error(), path) {
				t.Fatalf("%s cut after %d of %d bytes: %v", name, n, len(data), err)
			}
			if n > 1024+100 && !errors.Is(err, format.ErrTruncated) {
				t.Fatalf("%s cut after %d of %d bytes: %v, want ErrTruncated", name, n, len(data), err)
			}
		}
	}
}

// Any byte of a file with checksums may change: no panic, and little memory.
func TestChangedBytes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: one damaged file after another")
	}
	for _, name := range []string{"filters_latest.h5", "ordered.h5", "userblock.h5"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(data); i += 17 {
			damaged := bytes.Clone(data)
			damaged[i] ^= []byte{1, 0x80, 0xff}[i%3]
			_ = bounded(t, damaged)
		}
	}
}

// chunked is a file with an array [4 2] of uint8 in two chunks [2 2] of 4 bytes: build returns the address of its B-tree
// and messages in the place of its own; 0: the right one.
func chunked(build func(b *Builder) (tree uint64, messages []Message)) []byte {
	var b Builder
	tree, messages := build(&b)
	if tree == 0 {
		first, second := b.Put([]byte{1, 2, 3, 4}), b.Put([]byte{5, 6, 7, 8})
		tree = b.Tree(0, [][]byte{Key(4, 0, 0), Key(4, 2, 0), Key(0, 4, 0)}, []uint64{first, second})
	}
	if messages == nil {
		messages = []Message{Space(4, 2), Uint8(), Chunked(tree, 1, 2, 2)}
	}
	return b.File(b.Group(Name{Name: "x", Address: b.Object(messages...)}))
}

func TestHostile(t *testing.T) {
	t.Parallel()
	if err := bounded(t, chunked(func(*Builder) (uint64, []Message) { return 0, nil })); err != nil {
		t.Fatalf("a file that is right: %v", err)
	}
	zeros := Deflate(make([]byte, 1<<24))
	for name, c := range map[string]struct {
		build func(b *Builder) (uint64, []Message)
		want  string
	}{
		"overlapping chunks": {func(b *Builder) (uint64, []Message) {
			x := b.Put(make([]byte, 8))
			return b.Tree(0, [][]byte{Key(4, 0, 0), Key(4, 2, 0), Key(0, 4, 0)}, []uint64{x, x + 2}), nil
		}, "two chunks overlap"},
		"a chunk twice": {func(b *Builder) (uint64, []Message) {
			x, y := b.Put(make([]byte, 4)), b.Put(make([]byte, 4))
			return b.Tree(0, [][]byte{Key(4, 0, 0), Key(4, 0, 0), Key(0, 4, 0)}, []uint64{x, y}), nil
		}, "stored twice"},
		"a chunk beyond the file": {func(b *Builder) (uint64, []Message) {
			return b.Tree(0, [][]byte{Key(4, 0, 0), Key(0, 4, 0)}, []uint64{1 << 40}), nil
		}, "truncated"},
		"a chunk between chunks": {func(b *Builder) (uint64, []Message) {
			return b.Tree(0, [][]byte{Key(4, 1, 0), Key(0, 4, 0)}, []uint64{b.Put(make([]byte, 4))}), nil
		}, "begins at element 1"},
		"a chunk of another size": {func(b *Builder) (uint64, []Message) {
			return b.Tree(0, [][]byte{Key(3, 0, 0), Key(0, 4, 0)}, []uint64{b.Put(make([]byte, 4))}), nil
		}, "3 bytes, want 4"},
		"a tree in itself": {func(b *Builder) (uint64, []Message) {
			return b.Tree(1, [][]byte{Key(4, 0, 0), Key(0, 4, 0)}, []uint64{b.Next()}), nil
		}, "a node of level 1 below one of level 1"},
		"a tree of many paths": {func(b *Builder) (uint64, []Message) {
			child := b.Tree(0, [][]byte{Key(4, 6, 0), Key(0, 8, 0)}, []uint64{b.Put(make([]byte, 4))})
			for level := range 60 {
				child = b.Tree(level+1, [][]byte{Key(4, 0, 0), Key(4, 0, 0), Key(4, 0, 0), Key(4, 0, 0)}, []uint64{child, child, child})
			}
			return child, nil
		}, "larger than the file"},
		"an absurd shape": {func(*Builder) (uint64, []Message) {
			return 1 << 40, []Message{Space(1<<40, 1<<40), Uint8(), Contiguous(1<<64-1, 0)}
		}, "shape [1099511627776 1099511627776]"},
		"a shape that is not stored": {func(*Builder) (uint64, []Message) {
			return 1 << 40, []Message{Space(1 << 40), Uint8(), Contiguous(1<<64-1, 0)}
		}, "shape [1099511627776]"},
		"chunks of absurd shape": {func(*Builder) (uint64, []Message) {
			return 1 << 40, []Message{Space(4, 2), Uint8(), Chunked(500, 1, 1<<31, 1<<31)}
		}, "chunks of shape"},
		"a bomb": {func(b *Builder) (uint64, []Message) {
			tree := b.Tree(0, [][]byte{Key(len(zeros), 0), Key(0, 4)}, []uint64{b.Put(zeros)})
			return tree, []Message{Space(4), Uint8(), Filter(1), Chunked(tree, 1, 4)}
		}, "expands to more than 4 bytes"},
		"a large chunk of few bytes": {func(b *Builder) (uint64, []Message) {
			tree := b.Tree(0, [][]byte{Key(20, 0), Key(0, 4)}, []uint64{b.Put(Deflate(make([]byte, 9)))})
			return tree, []Message{Space(4), Uint8(), Filter(1), Chunked(tree, 1, 1<<30)}
		}, "cannot be a chunk of 1073741824 bytes"},
		"values beyond the file": {func(b *Builder) (uint64, []Message) {
			return 1, []Message{Space(4, 1000), Uint8(), Contiguous(b.Put(make([]byte, 8)), 4000)}
		}, "truncated"},
		"fewer values than the shape": {func(b *Builder) (uint64, []Message) {
			return 1, []Message{Space(4, 2), Uint8(), Contiguous(b.Put(make([]byte, 8)), 4)}
		}, "4 bytes of values, want 8"},
		"a header in itself": {func(b *Builder) (uint64, []Message) {
			return 1, []Message{Space(4, 2), Uint8(), {Type: 16, Data: Join(Long(b.Next()+16), Long(80))}}
		}, "continues in itself"},
		"a type that refers to itself": {func(b *Builder) (uint64, []Message) {
			return 1, []Message{{Type: 3, Flags: 2, Data: Join([]byte{2, 2}, Long(b.Next()))}, Space(4, 2)}
		}, "refer to each other"},
		"other axes": {func(b *Builder) (uint64, []Message) {
			return 1, []Message{Space(4), Uint8(), Chunked(b.Put(make([]byte, 8)), 1, 2, 2)}
		}, "chunks of shape [2 2] in an array of shape [4]"},
		"an old filter": {func(b *Builder) (uint64, []Message) {
			return 1, []Message{Space(4), Uint8(), Filter(32001), Chunked(b.Put(make([]byte, 8)), 1, 4)}
		}, "compressed by Blosc, which is not supported; repack it: python -c 'import h5py, hdf5plugin; "},
	} {
		t.Run(name, func(t *testing.T) {
			if err := bounded(t, chunked(c.build)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// Groups that contain each other end.
func TestCycle(t *testing.T) {
	t.Parallel()
	var b Builder
	root := b.Next()
	b.Group(Name{Name: "again", Address: root}, Name{Name: "b", Address: root})
	if err := bounded(t, b.File(root)); err != nil {
		t.Error(err)
	}
}
