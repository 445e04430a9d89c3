// Damaged and malicious files: errors that name the file, without much memory.

package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"repscope/dataset/parquet/parquettest"
	"repscope/internal/format"
	"repscope/internal/mmap"
	"repscope/internal/readtest"
)

// readAll reads all of a file: its columns, the first and last rows of each. It returns the first error.
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
	var first error
	note := func(err error) {
		if err != nil && first == nil {
			first = err
		}
	}
	for _, c := range f.Columns {
		if err := c.Prepare(); err != nil {
			note(err)
			continue
		}
		rows := min(c.Rows, 5)
		for _, lo := range []int{0, c.Rows - rows} {
			if c.Text {
				_, err := c.Bytes(lo, lo+rows)
				note(err)
			} else if n := c.RowBytes() * rows; n < 1<<20 {
				note(c.Read(make([]byte, n), lo, lo+rows))
			}
		}
	}
	return first
}

// bounded writes a file, reads it, and checks that this takes no more memory than its size explains.
func bounded(t *testing.T, data []byte) error {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.parquet")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	var err error
	readtest.Memory(t, len(data), readtest.Limit{Base: 512 << 20, PerByte: 16384}, func() { err = readAll(path) })
	return err
}

func example() []byte {
	raw := make([]byte, 4*6*2)
	for i := range raw {
		raw[i] = byte(i)
	}
	return parquettest.File(4, parquettest.Leaf{Name: "v", Kind: parquettest.Float, Shape: []int{6, 2}, Raw: raw},
		parquettest.Leaf{Name: "t", Kind: parquettest.ByteArray, Shape: []int{6}, Bytes: [][]byte{nil, {1}, {2, 3}, nil, {4}, {5}}})
}

// Every cut is an error, the middle one of a truncated file; every changed byte is an error or read within bounds.
func TestDamage(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: one damaged file after another")
	}
	data := example()
	if err := bounded(t, data); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.parquet")
	try := func(data []byte) error {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return readAll(path)
	}
	for n := range data {
		if err := try(data[:n]); n > 0 && !errors.Is(err, format.ErrTruncated) {
			t.Errorf("cut after %d bytes: %v", n, err)
		}
	}
	for i := range data {
		for _, change := range []byte{1, 0x10, 0x80, 0xff} {
			damaged := bytes.Clone(data)
			damaged[i] ^= change
			_ = try(damaged)
		}
	}
}

// Files of pyarrow with some bytes changed: no panic, no wait, no more memory than the size explains. PARQUET_MUTATIONS
// is the number of changes of each file.
func TestMutations(t *testing.T) {
	t.Parallel()
	n, err := strconv.Atoi(os.Getenv("PARQUET_MUTATIONS"))
	if err != nil {
		n = 4
	}
	paths, err := filepath.Glob("testdata/*.parquet")
	if err != nil || len(paths) == 0 {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(39, 4))
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for range n {
			damaged := bytes.Clone(data)
			from := 0
			if random.IntN(2) == 0 { // in the header
				from = max(0, len(data)-1500)
			}
			for range 1 + random.IntN(4) {
				damaged[from+random.IntN(len(data)-from)] = byte(random.IntN(256))
			}
			_ = bounded(t, damaged)
		}
	}
}

// headed is a file of these bytes and a header.
func headed(header string) []byte {
	data := append([]byte("PAR1"), header...)
	return append(binary.LittleEndian.AppendUint32(data, uint32(len(header))), "PAR1"...)
}

func TestHostile(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("\x1c", 1000)                                                   // structures in each other
	groups := "\x15\x02\x19\xfc\x90\x4e" + strings.Repeat("\x48\x01a\x15\x02\x00", 10_000) // groups in each other
	for name, c := range map[string]struct{ data, want string }{
		"nothing":                 {"PAR1", "truncated"},
		"no header":               {string(headed("")), "its header ends too early"},
		"a header beyond":         {"PAR1\xff\xff\xff\x7fPAR1", "truncated"},
		"encrypted":               {"PAR1aaaa\x04\x00\x00\x00PARE", "is encrypted"},
		"deep structures":         {string(headed(deep)), "nested more than"},
		"a list of a billion":     {string(headed("\x29\xf5\x80\x94\xeb\xdc\x03")), "its header ends too early"},
		"a text of a billion":     {string(headed("\x28\x80\x94\xeb\xdc\x03")), "its header ends too early"},
		"a map of a billion":      {string(headed("\x1b\x80\x94\xeb\xdc\x03\x55")), "its header ends too early"},
		"an unknown type":         {string(headed("\x1f\x00")), "type 15 in its header is unknown"},
		"no schema":               {string(headed("\x15\x02\x00")), "has no schema"},
		"deep groups":             {string(headed(groups + "\x00")), "nested more than"},
		"columns of no row group": {string(headed("\x15\x02\x19\x1c\x48\x01a\x15\x02\x00\x00")), "its schema ends too early"},
	} {
		if err := bounded(t, []byte(c.data)); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "a.parquet") {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// Runs, differences and blocks that state more than they have.
func TestHostileValues(t *testing.T) {
	t.Parallel()
	if err := hybrid(make([]byte, 10), 1, []byte{0xfe, 0xff, 0xff, 0xff, 0x0f, 1}); err != nil { // a run of a billion
		t.Error(err)
	}
	for name, src := range map[string][]byte{
		"nothing": {}, "a level above": {20, 7}, "no value": {20}, "no packed ones": {3}, "a long number": bytes.Repeat([]byte{0xff}, 12),
	} {
		if err := hybrid(make([]byte, 10), 1, src); err == nil {
			t.Errorf("runs: %s: no error", name)
		}
	}
	for name, src := range map[string][]byte{
		"nothing": {}, "no blocks": {0, 0, 1, 0}, "odd blocks": {100, 1, 1, 0}, "more values": {0x80, 1, 4, 0xff, 0xff, 0xff, 0x7f, 0},
		"wide numbers": {0x80, 1, 4, 2, 0, 0, 65, 0, 0, 0}, "no widths": {0x80, 1, 4, 2, 0, 0}, "no numbers": {0x80, 1, 4, 2, 0, 0, 8, 0, 0, 0},
		"huge blocks": {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40, 4, 2, 0},
	} {
		if _, _, err := deltas(10, src); err == nil {
			t.Errorf("differences: %s: no error", name)
		}
	}
	if list, rest, err := deltas(10, []byte{0x80, 1, 4, 1, 6, 99}); err != nil || !slices.Equal(list, []int64{3}) || len(rest) != 1 {
		t.Error(list, rest, err)
	}
}

func FuzzParquet(f *testing.F) {
	f.Add(example())
	paths, _ := filepath.Glob("testdata/*.parquet")
	for _, path := range paths {
		if data, err := os.ReadFile(path); err == nil && len(data) < 8000 {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) { _ = bounded(t, data) })
}

// Rows that a few bytes cannot stand for are refused before memory is taken for them.
func TestSize(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.parquet")
	if err := os.WriteFile(path, example(), 0o600); err != nil {
		t.Fatal(err)
	}
	f := readtest.Open(t, path, func(m *mmap.File) (*File, error) { return Read(m) })
	c := f.Columns[0]
	if err := c.Prepare(); err != nil {
		t.Fatal(err)
	}
	for rows, want := range map[int]bool{1 << 20: true, 1 << 23: true, 1 << 24: false, 1 << 31: false, 1 << 62: false} {
		c.Rows = rows
		if err := c.checkSize(); (err == nil) != want || err != nil && !strings.Contains(err.Error(), "more than a file of") {
			t.Errorf("%d rows of 2 numbers of 4 bytes in %d bytes: %v", rows, len(example()), err)
		}
	}
}
