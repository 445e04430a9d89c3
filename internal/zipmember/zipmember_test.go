// Tests of zip files that are more than one.

package zipmember

import (
	"archive/zip"
	"bytes"
	"slices"
	"strings"
	"testing"
)

// archive is a zip file with one member.
func archive(t *testing.T, comment string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	m, err := w.Create("a")
	if err == nil {
		_, err = m.Write([]byte("abc"))
	}
	if err == nil {
		err = w.SetComment(comment)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestWhole(t *testing.T) {
	t.Parallel()
	plain, other := archive(t, ""), archive(t, "a comment")
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"plain", plain, ""}, {"with a comment", other, ""},
		{"bytes behind", append(slices.Clone(plain), "x"...), "1 bytes follow the end"},
		{"bytes behind a comment", append(slices.Clone(other), "xyz"...), "3 bytes follow the end"},
		{"bytes before", append([]byte("PK\x03\x04"), plain...), "begins at byte 4"},
		{"two in one", append(slices.Clone(plain), other...), "begins at byte"},
		{"two in one, the other way", append(slices.Clone(other), plain...), "begins at byte"},
		{"cut", plain[:len(plain)-30], "no zip directory"},
	} {
		err := Whole(bytes.NewReader(c.data), int64(len(c.data)))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if _, taken := zip.NewReader(bytes.NewReader(c.data), int64(len(c.data))); c.want != "" && taken != nil && c.name != "cut" {
			t.Logf("%s: package zip refuses it, too: %v", c.name, taken)
		}
	}
}
