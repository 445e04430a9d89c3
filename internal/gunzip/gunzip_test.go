// Tests of expansion and errors.

package gunzip

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
)

func zipped(t testing.TB, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, part := range parts {
		z := gzip.NewWriter(&b)
		if _, err := z.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func TestBytes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		data []byte
		want string
	}{{nil, ""}, {[]byte("a,b\n"), "a,b\n"}, {[]byte("\x1f"), "\x1f"}, {zipped(t, "a,b\n"), "a,b\n"}, {zipped(t, "a,b\n", "1,2\n"), "a,b\n1,2\n"}, {zipped(t, ""), ""}} {
		if got, err := Bytes(c.data); err != nil || string(got) != c.want {
			t.Errorf("%q: %q, %v, want %q", c.data, got, err, c.want)
		}
	}
	whole := zipped(t, "a,b\n1,2\n")
	for cut := 2; cut < len(whole); cut++ {
		if _, err := Bytes(whole[:cut]); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d bytes: %v", cut, err)
		}
	}
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-6] ^= 1 // the checksum
	if _, err := Bytes(flipped); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("another checksum: %v", err)
	}
	if _, err := upTo(whole, 7); !errors.Is(err, ErrTooLarge) {
		t.Errorf("8 bytes of at most 7: %v", err)
	}
	if got, err := upTo(whole, 8); err != nil || len(got) != 8 {
		t.Errorf("8 bytes of at most 8: %q, %v", got, err)
	}
	for path, want := range map[string]string{"a.csv.gz": "a.csv", "a.CSV.GZ": "a.CSV", ".gz": ".gz", "a": "a"} {
		if got := Name(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
