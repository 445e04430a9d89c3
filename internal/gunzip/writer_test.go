// Compressed and plain content of a writer.

package gunzip

import (
	"bytes"
	"slices"
	"testing"
)

func TestWriter(t *testing.T) {
	t.Parallel()
	data := bytes.Repeat([]byte("0.123456,"), 1000)
	var want []byte // of compressed files
	for _, c := range []struct{ limit, step int }{{9000, 1}, {9000, 9000}, {8999, 1}, {8999, 7}, {8999, 9000}, {0, 9000}} {
		var b bytes.Buffer
		z := NewWriter(&b, c.limit)
		for part := range slices.Chunk(data, c.step) {
			if n, err := z.Write(part); n != len(part) || err != nil {
				t.Fatalf("%+v: %d, %v", c, n, err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		if compressed := c.limit < len(data); z.Compressed() != compressed || Is(b.Bytes()) != compressed {
			t.Errorf("%+v: compressed %v, want %v", c, z.Compressed(), compressed)
		}
		if got, err := Bytes(b.Bytes()); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%+v: read back %d bytes, %v", c, len(got), err)
		}
		if !z.Compressed() {
			continue
		}
		if want == nil {
			want = b.Bytes()
		}
		if !bytes.Equal(b.Bytes(), want) {
			t.Errorf("%+v: other bytes than of another division into writes", c)
		}
	}
	var b bytes.Buffer
	if err := NewWriter(&b, 0).Close(); err != nil || b.Len() != 0 {
		t.Errorf("nothing written: %d bytes, %v", b.Len(), err)
	}
}
