// Large files of a run are compressed, and read as others are.

package report

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"repscope/internal/gunzip"
)

// zipped is data compressed by gzip.
func zipped(tb testing.TB, data []byte) []byte {
	tb.Helper()
	var b bytes.Buffer
	z := gunzip.NewWriter(&b, 0)
	if _, err := z.Write(data); err != nil {
		tb.Fatal(err)
	}
	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// writeRun commits a run with a table, a picture and a result, as package run does.
func writeRun(t *testing.T, dir string, limit int, table string) *Transaction {
	t.Helper()
	files := begin(t, dir)
	files.CompressOver = limit
	name, result, err := files.Packed("r.json", []byte(head+`"models":{"a":{"x":1}}}`))
	if err != nil {
		t.Fatal(err)
	}
	samples, err := files.Samples("r_samples.csv", &SampleTable{Metrics: []string{"x"},
		Models: []ModelSamples{{Model: "a", Sample: []string{"0"}, Group: []string{"0"}, Scores: [][]float64{{1}}}}})
	if err != nil || samples.File != "r_samples.csv" {
		t.Fatal(samples, err)
	}
	for _, f := range []struct{ name, content string }{
		{"t.csv", table}, {"t.svg", table}, {"r" + SumsEnding, ""}, {name, string(result)},
	} {
		if f.content == "" {
			var sums strings.Builder
			if err := WriteSums(&sums, files.Sums()); err != nil {
				t.Fatal(err)
			}
			f.content = sums.String()
		}
		if err := files.File(f.name, filled(f.content)); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func TestTransaction_CompressOver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	table := strings.Repeat("a,1\n", 100)
	plain := map[string]bool{"t.csv": true, "t.svg": true, "r.json": true, "r_samples.csv": true, "r.sha256": true}
	large := map[string]bool{"t.csv.gz": true, "t.svg": true, "r.json.gz": true, "r_samples.csv.gz": true,
		"r.sha256": true}
	check := func(step string, want map[string]bool) {
		t.Helper()
		got := tree(t, dir)
		for name := range got {
			if !want[name] {
				t.Errorf("%s: there is %s", step, name)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: %d files, want %d", step, len(got), len(want))
		}
		r, err := Read(filepath.Join(dir, "r.json"))
		if err != nil || r.Models.Len() != 1 {
			t.Errorf("%s: %v", step, err)
		}
		samples, err := ReadSamples(filepath.Join(dir, "r_samples.csv"))
		if err != nil || samples.Rows() != 1 {
			t.Errorf("%s: %v", step, err)
		}
		for _, name := range []string{"t.csv", "t.csv.gz"} {
			if content, err := gunzip.Bytes([]byte(got[name])); want[name] && (err != nil || string(content) != table) {
				t.Errorf("%s: %s is %q, %v", step, name, content, err)
			}
		}
		sums, err := ReadSums(filepath.Join(dir, "r.sha256"))
		if err != nil || len(sums) != 3 {
			t.Fatalf("%s: %v, %v", step, sums, err)
		}
		for _, s := range sums {
			if sum, err := FileSum(filepath.Join(dir, s.Name)); err != nil || sum != s.SHA256 {
				t.Errorf("%s: %s has the digest %s, %v, listed is %s", step, s.Name, sum, err, s.SHA256)
			}
		}
	}
	for _, c := range []struct {
		step  string
		limit int
		want  map[string]bool
	}{{"never", 0, plain}, {"smaller", 1000, plain}, {"larger", 20, large}, {"again", 20, large},
		{"smaller again", 1000, plain}} {
		files := writeRun(t, dir, c.limit, table)
		if c.step == "again" && !files.Unchanged() {
			t.Error("the same content gives other bytes")
		}
		if err := files.Commit(); err != nil {
			t.Fatal(c.step, err)
		}
		check(c.step, c.want)
	}
}

// A large table of comparisons is in the result alone, and one of an earlier run is removed.
func TestTidy_LargeComparisons(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := NewResult("r")
	for i := range 50 {
		r.Comparisons = append(r.Comparisons, Comparison{A: "a", B: "b", Metric: strings.Repeat("x", i)})
	}
	for _, c := range []struct {
		limit   int
		earlier string
		there   bool
	}{{0, "", true}, {100, "", false}, {1 << 20, "", true}, {100, "r_comparisons.csv.gz", false}} {
		if c.earlier != "" {
			if err := os.WriteFile(filepath.Join(dir, c.earlier), []byte("earlier"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		files := begin(t, dir)
		files.CompressOver = c.limit
		if err := r.Tidy(files); err != nil {
			t.Fatal(err)
		}
		if !c.there && files.Unchanged() {
			t.Errorf("%+v: nothing changes", c)
		}
		if err := files.Commit(); err != nil {
			t.Fatal(err)
		}
		_, err := os.Stat(filepath.Join(dir, "r_comparisons.csv"))
		_, other := os.Stat(filepath.Join(dir, "r_comparisons.csv.gz"))
		if (err == nil) != c.there || other == nil {
			t.Errorf("%+v: %v, %v", c, err, other)
		}
	}
}

// What a name becomes is forbidden as the name itself.
func TestTransaction_CompressOverGuard(t *testing.T) {
	t.Parallel()
	files := begin(t, t.TempDir())
	defer files.Abort()
	files.CompressOver = 1
	if err := files.File("t.csv.gz", filled("mine")); err != nil {
		t.Fatal(err)
	}
	if err := files.File("t.csv", filled("long")); err == nil || !strings.Contains(err.Error(), "written twice") {
		t.Errorf("two files of one name: %v", err)
	}
	forbidden := errors.New("forbidden")
	files.Guard = func(path string) error {
		if strings.HasSuffix(path, "u.csv.gz") {
			return forbidden
		}
		return nil
	}
	if err := files.File("u.csv", filled("long")); !errors.Is(err, forbidden) {
		t.Errorf("an input is written over: %v", err)
	}
	if got := files.Names(); len(got) != 1 {
		t.Errorf("the files are %v", got)
	}
}

func TestOpen_Compressed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "r.json")
	if _, err := Read(path); !errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), ".gz") {
		t.Errorf("a missing file: %v", err)
	}
	result := []byte(head + `"models":{"a":{"x":1}}}`)
	whole := zipped(t, result)
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	for range 120 {
		_, _ = z.Write(make([]byte, 1<<20))
	}
	_ = z.Close()
	damaged := bytes.Clone(whole)
	damaged[len(damaged)-6] ^= 1
	for _, c := range []struct {
		name, want string
		data       []byte
	}{{"whole", "", whole}, {"truncated", "truncated", whole[:len(whole)/2]}, {"damaged", "damaged", damaged},
		{"bomb", "expands too much", bomb.Bytes()}, {"twice", "r.json.gz", zipped(t, whole)},
		{"empty", "r.json.gz", zipped(t, []byte("{}"))}} {
		if err := os.WriteFile(path+gunzip.Ending, c.data, 0o666); err != nil {
			t.Fatal(err)
		}
		switch _, err := Read(path); {
		case (err == nil) != (c.want == ""):
			t.Errorf("%s: %v", c.name, err)
		case err != nil && (!strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "r.json.gz")):
			t.Errorf("%s: %v, want %s and the name", c.name, err, c.want)
		}
	}
	if err := os.WriteFile(path, result, 0o666); err != nil {
		t.Fatal(err)
	}
	if f, err := Open(path); err != nil || f.Name() != path {
		t.Errorf("a file that is there as it is: %v", err)
	} else {
		f.Close()
	}
}
