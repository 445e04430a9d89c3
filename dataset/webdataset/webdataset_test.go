// Archives of every kind of header, and archives that are damaged or malicious.

package webdataset

import (
	"archive/tar"
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"repscope/internal/format"
)

// inMemory is an archive in memory.
type inMemory struct{ *bytes.Reader }

func (inMemory) Path() string { return "a.tar" }

func parse(data []byte) ([]Sample, error) { return Read(inMemory{bytes.NewReader(data)}) }

// archive writes members in a format of headers.
func archive(t testing.TB, f tar.Format, members ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range members {
		h.Format, h.Mode = f, 0o600
		if h.Typeflag == 0 || h.Typeflag == tar.TypeReg {
			h.Size = int64(len(h.Name))
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			if _, err := w.Write([]byte(h.Name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func files(names ...string) (members []tar.Header) {
	for _, name := range names {
		members = append(members, tar.Header{Name: name})
	}
	return members
}

func TestRead(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("d/", 60) + "x.JPG"
	for _, f := range []tar.Format{tar.FormatUSTAR, tar.FormatPAX, tar.FormatGNU} {
		data := archive(t, f, append([]tar.Header{{Name: "d/", Typeflag: tar.TypeDir}},
			files("d/000.jpg", "d/000.cls", "d/001.seg.png", "d/001.cls", long, ".hidden", "v1.2/a.jpg")...)...)
		if !Is(bytes.NewReader(data)) {
			t.Errorf("%v is not recognized", f)
		}
		samples, err := parse(data)
		if err != nil {
			t.Error(f, err)
			continue
		}
		var got []string
		for _, s := range samples {
			got = append(got, s.Key+" "+strings.Join(s.Endings, ","))
			for ending, p := range s.Parts {
				name := string(data[p.Offset : p.Offset+p.Size])
				if !strings.EqualFold(name, s.Key+"."+ending) {
					t.Errorf("%v: %s.%s has the bytes of %s", f, s.Key, ending, name)
				}
			}
		}
		want := []string{"d/000 jpg,cls", "d/001 seg.png,cls", strings.TrimSuffix(long, ".JPG") + " jpg", "v1.2/a jpg"}
		if !slices.Equal(got, want) {
			t.Errorf("%v: %q, want %q", f, got, want)
		}
	}
}

func TestReadErrors(t *testing.T) {
	t.Parallel()
	good := archive(t, tar.FormatUSTAR, files("000.jpg", "001.jpg")...)
	huge := bytes.Clone(good)
	copy(huge[124:], "77777777777\x00") // 8 GiB
	sum(huge[:512])
	negative := bytes.Clone(good)
	copy(negative[124:], "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00")
	sum(negative[:512])
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"nothing":          {nil, "truncated"},
		"no samples":       {archive(t, tar.FormatUSTAR), "has no samples"},
		"a symbolic link":  {archive(t, tar.FormatUSTAR, tar.Header{Name: "a.jpg", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}), `is a link to "/etc/passwd"`},
		"a hard link":      {archive(t, tar.FormatUSTAR, tar.Header{Name: "a.jpg", Typeflag: tar.TypeLink, Linkname: "b.jpg"}), "is a link"},
		"a device":         {archive(t, tar.FormatUSTAR, tar.Header{Name: "a.jpg", Typeflag: tar.TypeChar}), "is of type"},
		"two of one name":  {archive(t, tar.FormatUSTAR, files("a.jpg", "a.jpg")...), `has two members "a.jpg"`},
		"keys apart":       {archive(t, tar.FormatUSTAR, files("a.jpg", "b.jpg", "a.cls")...), `the members of key "a" are not consecutive`},
		"no ending":        {archive(t, tar.FormatUSTAR, files("README")...), `member "README" has no ending`},
		"8 GiB in 3 kB":    {huge, "truncated"},
		"a negative size":  {negative, "corrupt tar file"},
		"half":             {good[:len(good)/2], "truncated"},
		"no end":           {good[:len(good)-1024], "truncated: the archive has no empty blocks"},
		"a damaged header": {append([]byte("x"), good[1:]...), "corrupt tar file"},
	} {
		samples, err := parse(c.data)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "a.tar: ") {
			t.Errorf("%s: %v, %v, want %q", name, samples, err, c.want)
		}
		if strings.HasPrefix(c.want, "truncated") && !errors.Is(err, format.ErrTruncated) {
			t.Errorf("%s: %v is not told from a truncated file", name, err)
		}
	}
	sparse := archive(t, tar.FormatPAX, tar.Header{Name: "a.jpg", PAXRecords: map[string]string{"COMMENT.x": "1"}})
	sparse = bytes.ReplaceAll(sparse, []byte("COMMENT.x=1"), []byte("COMMENT.y=1"))
	if _, err := parse(sparse); err != nil {
		t.Error(err) // other records mean nothing
	}
}

// sum writes the checksum of a header.
func sum(header []byte) {
	copy(header[148:], "        ")
	total := 0
	for _, b := range header {
		total += int(b)
	}
	for i := range 6 {
		header[148+5-i] = byte('0' + total>>(3*i)&7)
	}
	header[154], header[155] = 0, ' '
}

func FuzzRead(f *testing.F) {
	for _, kind := range []tar.Format{tar.FormatUSTAR, tar.FormatPAX, tar.FormatGNU} {
		f.Add(archive(f, kind, files("d/000.jpg", "d/000.cls", strings.Repeat("d/", 60)+"x.jpg")...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		samples, err := parse(data)
		if err != nil && !strings.HasPrefix(err.Error(), "a.tar: ") {
			t.Error(err)
		}
		for _, s := range samples {
			for ending, p := range s.Parts {
				if p.Offset < 0 || p.Size < 0 || p.Offset+p.Size > int64(len(data)) || !slices.Contains(s.Endings, ending) {
					t.Errorf("%+v", s)
				}
			}
		}
	})
}
