// Tests of telling files apart.

package format

import (
	"encoding/binary"
	"strings"
	"testing"
)

// header is the beginning of a safetensors file with a header of n bytes.
func header(n uint64, first string) string {
	return string(binary.LittleEndian.AppendUint64(nil, n)) + first
}

func TestOf(t *testing.T) {
	t.Parallel()
	for head, want := range map[string]Kind{
		"":                                  Empty,
		"x":                                 Unknown,
		"\x93NUMPY\x01\x00":                 NPY,
		"PK\x03\x04\x14":                    Zip,
		"PK\x05\x06":                        Zip,
		"PK\x01\x02":                        Unknown,
		header(64, `{"a":`):                 Safetensors,
		header(MaxSafetensorsHeader, "{"):   Safetensors,
		header(MaxSafetensorsHeader+1, "{"): Unknown,
		header(64, "["):                     Unknown,
		header(64, ""):                      Unknown,
		"\x80\x02\x8a\x0al\xfc":             Pickle,
		"\x80\x04\x95":                      Pickle,
		"\x80\x01":                          Unknown,
		"\x80":                              Unknown,
		"\x89PNG\r\n":                       Image,
		"\xff\xd8\xff\xe0":                  Image,
		"\x89HDF\r\n":                       HDF5,
		"version https://git-lfs.github":    LFSPointer,
		"\x08\x07\x12\x07pytorch":           Unknown, // ONNX has no beginning of its own
	} {
		if got := Of([]byte(head)); got != want {
			t.Errorf("%q: %d, want %d", head, got, want)
		}
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	for head, want := range map[string]string{
		"": "empty", "abcdefghijk": `begins with "abcdefgh"`, "\x89PNG": "folder with the images", "\x89HDF": "HDF5", "version https://git-lfs": "git lfs pull",
	} {
		if got := Describe([]byte(head)); !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q in it", head, got, want)
		}
	}
}

func FuzzOf(f *testing.F) {
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, head []byte) {
		if Describe(head) == "" || (Of(head) == Empty) != (len(head) == 0) {
			t.Errorf("%q", head)
		}
	})
}
