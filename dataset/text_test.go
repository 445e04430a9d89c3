// Tests of texts in .npz files.

package dataset

import (
	"archive/zip"
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// textNPZ is a file as numpy writes it: members are headers and what follows them.
func textNPZ(t testing.TB, members map[string][2]string) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		member := members[name]
		method := zip.Store // as numpy.savez does; others as savez_compressed
		if len(member[1])%2 == 0 {
			method = zip.Deflate
		}
		m, err := w.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: method})
		if err != nil {
			t.Fatal(err)
		}
		header := member[0] + strings.Repeat(" ", 128-10-len(member[0])-1) + "\n"
		if _, err := m.Write([]byte(npyMagic + "\x01\x00" + string([]byte{byte(len(header)), 0}) + header + member[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "t.npz")
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// wide is a text in four bytes per character, little or big endian.
func wide(text string, big bool) string {
	var out []byte
	for _, r := range text {
		four := []byte{byte(r), byte(r >> 8), byte(r >> 16), byte(r >> 24)}
		if big {
			slices.Reverse(four)
		}
		out = append(out, four...)
	}
	return string(out)
}

func TestReadText(t *testing.T) {
	t.Parallel()
	const content = `{"0": "6A+é"}`
	for header, body := range map[string]string{
		"{'descr': '<U13', 'fortran_order': False, 'shape': (), }":   wide(content, false),
		"{'descr': '>U14', 'fortran_order': False, 'shape': (1,), }": wide(content+"\x00", true),
		"{'descr': '|S15', 'fortran_order': False, 'shape': (), }":   content + "\x00",
	} {
		path := textNPZ(t, map[string][2]string{"label_to_grade": {header, body}, "a": {"{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }", "\x07"}})
		got, err := ReadText(path, "label_to_grade")
		if err != nil || got != content {
			t.Errorf("%s: %q, %v", header, got, err)
		}
		names, err := ArrayNames(path)
		if slices.Sort(names); err != nil || !slices.Equal(names, []string{"a", "label_to_grade"}) {
			t.Errorf("names %v, %v", names, err)
		}
	}
	for header, want := range map[string][2]string{
		"{'descr': '|O', 'fortran_order': False, 'shape': (), }":    {"x", "want one text, of type U or S"},
		"{'descr': '<U3', 'fortran_order': False, 'shape': (2,), }": {wide("abcdef", false), "want one text"},
		"{'descr': '<U3', 'fortran_order': False, 'shape': (), }":   {"abc", "3 bytes of text, want 12"},
		"{'descr': '|S2', 'fortran_order': False, 'shape': (), }":   {"\xff\xfe", "not UTF-8"},
	} {
		path := textNPZ(t, map[string][2]string{"b": {header, want[0]}})
		if _, err := ReadText(path, "b"); err == nil || !strings.Contains(err.Error(), want[1]) || !strings.Contains(err.Error(), "t.npz:b") {
			t.Errorf("%s: error %v, want one with %q", header, err, want[1])
		}
	}
	if _, err := ReadText(textNPZ(t, nil), "b"); err == nil || !strings.Contains(err.Error(), `there is no array "b"`) {
		t.Errorf("no array: %v", err)
	}
}

func FuzzReadText(f *testing.F) {
	path := textNPZ(f, map[string][2]string{"b": {"{'descr': '<U3', 'fortran_order': False, 'shape': (), }", wide("abc", false)}})
	data, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "a.npz")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadText(path, "b"); err != nil && !strings.Contains(err.Error(), "a.npz") {
			t.Errorf("the error does not name the file: %v", err)
		}
		_, _ = ArrayNames(path)
	})
}
