// Tests of reading written files, and of false headers.

package safetensors

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/internal/dtype"
	"repscope/internal/format"
	"repscope/internal/mmap"
)

// opened writes a file and maps it.
func opened(t testing.TB, data []byte) *mmap.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.safetensors")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := mmap.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

func TestEncodeAndRead(t *testing.T) {
	t.Parallel()
	arrays := []Data{
		{"bytes", dtype.Uint8, []int{3}, []byte{1, 2, 3}}, {"wide \"é\"", dtype.Float64, []int{1, 2}, make([]byte, 16)},
		{"scalar", dtype.Float32, nil, []byte{0, 0, 128, 63}}, {"none", dtype.Int64, []int{0, 5}, nil}, {"half", dtype.BFloat16, []int{2}, []byte{1, 2, 3, 4}},
	}
	var b bytes.Buffer
	if err := Encode(&b, arrays...); err != nil {
		t.Fatal(err)
	}
	file := opened(t, b.Bytes())
	list, err := Read(file)
	if err != nil || len(list) != len(arrays) {
		t.Fatalf("%d tensors, %v", len(list), err)
	}
	for _, a := range arrays {
		i := slices.IndexFunc(list, func(t Tensor) bool { return t.Name == a.Name })
		if i < 0 {
			t.Fatalf("%q is missing", a.Name)
		}
		got := list[i]
		if got.DType != a.DType || !slices.Equal(got.Shape, a.Shape) || got.Type != TypeName(a.DType) || got.Size != int64(len(a.Raw)) ||
			got.Size > 0 && got.Offset%int64(a.DType.Size()) != 0 {
			t.Errorf("%q: %+v", a.Name, got)
		}
		err := file.Use(got.Offset, got.Size, func(raw []byte) error {
			if !bytes.Equal(raw, a.Raw) {
				return fmt.Errorf("%v, want %v", raw, a.Raw)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%q: %v", a.Name, err)
		}
	}
	// Cut anywhere, it is truncated.
	for n := range b.Len() {
		_, err := Read(opened(t, b.Bytes()[:n]))
		if !errors.Is(err, format.ErrTruncated) {
			t.Fatalf("cut after %d of %d bytes: %v", n, b.Len(), err)
		}
	}
}

func TestEncodeErrors(t *testing.T) {
	t.Parallel()
	for name, arrays := range map[string][]Data{
		"no name": {{"", dtype.Uint8, []int{1}, []byte{1}}}, "reserved": {{"__metadata__", dtype.Uint8, []int{1}, []byte{1}}},
		"twice": {{"a", dtype.Uint8, []int{1}, []byte{1}}, {"a", dtype.Uint8, []int{1}, []byte{1}}}, "shape": {{"a", dtype.Uint8, []int{2}, []byte{1}}},
		"negative": {{"a", dtype.Uint8, []int{-1}, nil}}, "type": {{"a", dtype.Invalid, []int{0}, nil}},
	} {
		var b bytes.Buffer
		if err := Encode(&b, arrays...); err == nil || b.Len() > 0 {
			t.Errorf("%s: %v, %d bytes written", name, err, b.Len())
		}
	}
}

// content is a file with the given header and n bytes of data.
func content(header string, n int) []byte {
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), make([]byte, n)...)
}

func TestReadErrors(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		`[]`:                             "not a valid JSON object",
		`{"a":{"dtype":"U8","shape":[2]`: "not a valid JSON object",
		`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}} x`:                                                   "follows it",
		`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0]}}`:                                                       "want a start and an end",
		`{"a":{"dtype":"U8","shape":[2],"data_offsets":[2,0]}}`:                                                     "want a start and an end",
		`{"a":{"dtype":"U8","shape":[9],"data_offsets":[0,9]}}`:                                                     "truncated",
		`{"a":{"dtype":"U8","shape":[3],"data_offsets":[0,2]}}`:                                                     "takes 3 bytes",
		`{"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,2]}}`:                                                    "negative",
		`{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":[3,7]}}`: `"a" and "b" overlap`,
		`{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"a":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}}`: `"a" twice`,
		`{"a":{"dtype":"U8","shape":[2.0],"data_offsets":[0,2]}}`:                                                   `array "a": shape is the number 2.0, want a whole number`,
		`{"__metadata__":{"format":1}}`:                                                                             "not a valid JSON object",
	} {
		if _, err := Read(opened(t, content(header, 8))); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "a.safetensors: ") {
			t.Errorf("%s: got %v, want %q", header, err, want)
		}
	}
	long := binary.LittleEndian.AppendUint64(nil, 1<<40)
	if _, err := Read(opened(t, append(long, '{'))); err == nil || !strings.Contains(err.Error(), "want at most") {
		t.Errorf("got %v", err)
	}
	list, err := Read(opened(t, content(`{"a":{"dtype":"F8_E8M0","shape":[4],"data_offsets":[0,4]}}`, 4)))
	if err != nil || len(list) != 1 || list[0].DType != dtype.Invalid || list[0].Type != "F8_E8M0" {
		t.Errorf("a type that cannot be read: %+v, %v", list, err)
	}
}

// Every byte of the data belongs to one tensor. Files are refused and accepted as by the package safetensors of Hugging
// Face, 0.8.0 (deserialize), except for the space before the brace: the format allows none.
func TestRead_Gapless(t *testing.T) {
	t.Parallel()
	tensor := func(name string, length, lo, hi int) string {
		return fmt.Sprintf(`"%s":{"dtype":"U8","shape":[%d],"data_offsets":[%d,%d]}`, name, length, lo, hi)
	}
	for _, c := range []struct {
		name   string
		header string
		bytes  int
		want   string // empty: it is taken
	}{
		{"plain", tensor("a", 4, 0, 4) + "," + tensor("b", 4, 4, 8), 8, ""},
		{"in another order", tensor("a", 4, 4, 8) + "," + tensor("b", 4, 0, 4), 8, ""},
		{"a hole", tensor("a", 4, 0, 4) + "," + tensor("b", 4, 6, 10), 10, `2 bytes between arrays "a" and "b", from byte 4 of the data, belong to no array`},
		{"a hole before a type that is not read", tensor("a", 4, 0, 4) + `,"b":{"dtype":"F8_E8M0","shape":[4],"data_offsets":[5,9]}`, 9, `1 bytes between arrays`},
		{"a hole at the begin", tensor("a", 4, 2, 6), 6, `the first 2 bytes of the data, before array "a", belong to no array`},
		{"bytes behind", tensor("a", 4, 0, 4), 5, "the last 1 of 5 bytes of the data belong to no array"},
		{"an overlap", tensor("a", 4, 0, 4) + "," + tensor("b", 4, 3, 7), 7, `"a" and "b" overlap`},
		{"twice the same", tensor("a", 4, 0, 4) + "," + tensor("b", 4, 0, 4), 4, `overlap`},
		{"nothing", "", 0, ""},
		{"nothing and a byte", "", 1, "the last 1 of 1 bytes"},
		{"empty tensors", tensor("a", 0, 0, 0) + "," + tensor("b", 4, 0, 4) + "," + tensor("c", 0, 4, 4), 4, ""},
		{"an empty tensor inside another", tensor("b", 4, 0, 4) + "," + tensor("c", 0, 2, 2), 4, "overlap"},
		{"an empty tensor outside", tensor("b", 4, 0, 4) + "," + tensor("c", 0, 9, 9), 4, "truncated"},
		{"bytes between metadata", `"__metadata__":{"x":"y"},` + tensor("a", 1, 1, 2), 2, "the first 1 bytes"},
	} {
		_, err := Read(opened(t, content("{"+c.header+"}", c.bytes)))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := Read(opened(t, content(" {}", 0))); err == nil || !strings.Contains(err.Error(), "want a brace") {
		t.Errorf("a space before the brace: %v", err)
	}
	if _, err := Read(opened(t, content("{}   ", 0))); err != nil {
		t.Errorf("spaces behind the brace: %v", err)
	}
}

// Types of the format that are not read are named, with what to save in their place. The sizes are those that its own
// library writes.
func TestReadable(t *testing.T) {
	t.Parallel()
	for kind, c := range map[string]struct {
		shape string
		bytes int
		want  string
	}{
		"F8_E8M0": {"[2,2]", 4, "powers of two of 8 bits) is not supported; save x.float()"},
		"F8_E4M3": {"[4]", 4, ""}, "F8_E5M2": {"[4]", 4, ""}, "F8_E4M3FNUZ": {"[4]", 4, ""}, "F8_E5M2FNUZ": {"[4]", 4, ""},
		"F4":      {"[8]", 4, "floats of 4 bits) is not supported; save the numbers as float32"},
		"F6_E3M2": {"[4]", 3, "floats of 6 bits"},
		"C64":     {"[2]", 16, "complex numbers) is not supported; save torch.view_as_real(x)"},
		"X9":      {"[2]", 16, `type "X9" is not supported`},
		"BF16":    {"[2]", 4, ""},
	} {
		header := fmt.Sprintf(`{"a":{"dtype":%q,"shape":%s,"data_offsets":[0,%d]}}`, kind, c.shape, c.bytes)
		list, err := Read(opened(t, content(header, c.bytes)))
		if err != nil || len(list) != 1 {
			t.Errorf("%s: %v, %v", kind, list, err)
			continue
		}
		if err := list[0].Readable(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", kind, err, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(content(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"__metadata__":{"x":"y"}}`, 2))
	f.Add(content(`{}`, 0))
	f.Fuzz(func(t *testing.T, data []byte) {
		file := opened(t, data)
		list, err := Read(file)
		if err != nil {
			return
		}
		for _, tensor := range list {
			if tensor.Offset < 8 || tensor.Size < 0 || tensor.Offset+tensor.Size > int64(len(data)) {
				t.Errorf("%+v lies outside of %d bytes", tensor, len(data))
			}
		}
	})
}
