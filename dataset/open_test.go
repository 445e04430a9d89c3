// Tests of what says of every row what it belongs to: times, texts, columns of tables.

package dataset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/internal/dtype"
)

// npyFile is a .npy file of a type of NumPy, as numpy.save writes it.
func npyFile(descr, shape string, data []byte) []byte {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape)
	header += strings.Repeat(" ", (64-(11+len(header))%64)%64) + "\n"
	return slices.Concat([]byte(npyMagic+"\x01\x00"), binary.LittleEndian.AppendUint16(nil, uint16(len(header))),
		[]byte(header), data)
}

// characters are texts as NumPy has them: characters of four bytes.
func characters(width int, texts ...string) []byte {
	var out []byte
	for _, text := range texts {
		letters := []rune(text)
		for i := range width {
			c := rune(0)
			if i < len(letters) {
				c = letters[i]
			}
			out = binary.BigEndian.AppendUint32(out, uint32(c))
		}
	}
	return out
}

func TestOpenColumn(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	files := map[string][]byte{
		"numbers.npy": npyFile("<i4", "(2,)", binary.LittleEndian.AppendUint64(nil, 7<<32|3)),
		"dates.npy":   npyFile("<M8[ns]", "(3,)", dtype.Bytes([]int64{1577836800000000000, 1577750400000000000, 0})),
		"leads.npy":   npyFile("<m8[h]", "(2,)", dtype.Bytes([]int64{6, 24})),
		"nat.npy":     npyFile("<M8[D]", "(2,)", dtype.Bytes([]int64{4, math.MinInt64})),
		"names.npy":   npyFile(">U3", "(3,)", characters(3, "été", "b", "a")),
		"bytes.npy":   npyFile("|S2", "(2,)", []byte("zza\x00")),
		"hole.npy":    npyFile(">U1", "(2,)", characters(1, "a", "")),
		"t.csv":       []byte(",time,lead,flag,name\n0,2020-01-02,6,True,x\n1,2020-01-01,,False,\n"),
		"one.csv":     []byte("k\n4\n2\n"),
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ spec, values, time, classes, opens string }{
		{"numbers.npy", "[3 7]", "", "[]", ""},
		{"dates.npy", "[1577836800000000000 1577750400000000000 " +
			"0]", "M8[ns]", "[]", `type "M8[ns]": times are not supported here`},
		{"leads.npy", "[6 24]", "m8[h]", "[]", `type "m8[h]": times are not supported here`},
		{"nat.npy", "element 1 is NaT, want a time", "M8[D]", "[]", `type "M8[D]"`},
		{"names.npy", "[2 1 0]", "", "[a b été]", `type "U3": text is not supported here`},
		{"bytes.npy", "[1 0]", "", "[a zz]", `type "S2": text is not supported here`},
		{"hole.npy", "element 1 is an empty string", "", "", `type "U1"`},
		{"t.csv:time", "[1 0]", "", "[2020-01-01 2020-01-02]", `column "time" has texts, want numbers`},
		{"t.csv:flag", "[1 0]", "", "[]", ""},
		{"t.csv:lead", "element 1 is NaN, not a whole number", "", "[]", ""},
		{"t.csv:name", "element 1 is NaN, not a whole number", "", "[x]", `column "name" has texts, want numbers`},
		{"one.csv", "[4 2]", "", "[]", ""},
		{"t.csv", "contains 4 columns; name one as", "", "", ""},
		{"t.csv:tim", `no column "tim" (there are time, lead, flag, name); did you mean "time"?`, "", "", ""},
		{"none.csv:a", "no such file or directory", "", "", ""},
	} {
		spec := filepath.Join(folder, c.spec)
		got, err := "", error(nil)
		a, err := OpenColumn(spec)
		if err == nil {
			values := make([]int64, a.Len())
			err = a.ReadInt64(values, 0, a.Len())
			if got = fmt.Sprint(values); a.Time() != c.time || fmt.Sprint(a.Classes()) != c.classes {
				t.Errorf("%s: %q, %v", c.spec, a.Time(), a.Classes())
			}
			path, _ := SplitSpec(spec)
			want, e := FileSHA256(path)
			if sum, e2 := a.SHA256(); e != nil || e2 != nil || sum != want {
				t.Errorf("%s: digest %s, want %s, errors %v, %v", c.spec, sum, want, e, e2)
			}
			if e := a.Close(); e != nil {
				t.Error(e)
			}
		}
		if err != nil {
			got = err.Error()
		}
		if !strings.HasSuffix(got, c.values) && (err == nil || !strings.Contains(got, c.values)) {
			t.Errorf("%s: %s, want %s", c.spec, got, c.values)
		}
		if _, err := Open(spec); c.opens != "" && (err == nil || !strings.Contains(err.Error(), c.opens)) {
			t.Errorf("%s: error %v of Open, want %s", c.spec, err, c.opens)
		}
		if _, err := OpenRecording(spec, ImageOptions{}); c.opens != "" &&
			(err == nil || !strings.Contains(err.Error(), c.opens)) {
			t.Errorf("%s: error %v of OpenRecording, want %s", c.spec, err, c.opens)
		}
	}
	_, err := Open(filepath.Join(folder, "leads.npy"))
	var hints interface{ Hints() []string }
	if !errors.As(err, &hints) || !strings.Contains(fmt.Sprint(hints.Hints()), `np.timedelta64(1, "h")`) {
		t.Errorf("error %v without how it is converted", err)
	}
}

// Episodes may be told apart by times and texts, and flags be True and False of a table.
func TestOpenColumn_Episodes(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, data := range map[string][]byte{
		"days.npy": npyFile("<M8[D]", "(4,)", dtype.Bytes([]int64{-3, -3, 5, 5})),
		"runs.npy": npyFile(">U1", "(4,)", characters(1, "b", "b", "a", "a")),
		"t.csv":    []byte("run,done\nx,False\nx,True\ny,False\ny,True\n"),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for spec, want := range map[string]string{
		"days.npy": "{[-3 -3 5 5] [] numbers []}", "runs.npy": "{[1 1 0 0] [] numbers []}",
		"t.csv:run": "{[0 0 1 1] [] numbers []}", "t.csv:done": "{[] [false true false true] ends []}",
	} {
		a, err := OpenColumn(filepath.Join(folder, spec))
		if err != nil {
			t.Fatal(err)
		}
		e, err := ReadEpisodes(a, EpisodesAuto)
		if err != nil || fmt.Sprint(*e) != want {
			t.Errorf("%s: %+v, error %v, want %s", spec, e, err, want)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
}
