// Files of scores per sample: written and read back, and what is wrong with others.

package report

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// sameSamples says how two tables differ, empty if they do not.
func sameSamples(a, b *SampleTable) string {
	if fmt.Sprint(a.Metrics) != fmt.Sprint(b.Metrics) || len(a.Models) != len(b.Models) {
		return fmt.Sprintf("%v of %d models, %v of %d", a.Metrics, len(a.Models), b.Metrics, len(b.Models))
	}
	for i, m := range a.Models {
		n := b.Models[i]
		if m.Model != n.Model || fmt.Sprintf("%q", m.Sample) != fmt.Sprintf("%q", n.Sample) || fmt.Sprintf("%q", m.Group) != fmt.Sprintf("%q", n.Group) {
			return fmt.Sprintf("%+v\n%+v", m, n)
		}
		for k := range m.Scores {
			for j, v := range m.Scores[k] {
				if w := n.Scores[k][j]; math.Float64bits(v) != math.Float64bits(w) && !(math.IsNaN(v) && math.IsNaN(w)) {
					return fmt.Sprintf("%s, %s, sample %s: %v and %v", m.Model, a.Metrics[k], m.Sample[j], v, w)
				}
			}
		}
	}
	return ""
}

func TestSamplesAreReadBack(t *testing.T) {
	t.Parallel()
	name := rapid.StringOf(rapid.RuneFrom([]rune("ab,\"\n é;=[]")))
	rapid.Check(t, func(t *rapid.T) {
		table := &SampleTable{Metrics: rapid.SliceOfNDistinct(name.Filter(func(s string) bool { return s != "" }), 1, 4, rapid.ID).Draw(t, "metrics")}
		for _, model := range rapid.SliceOfNDistinct(name, 0, 3, rapid.ID).Draw(t, "models") {
			m := ModelSamples{Model: model, Sample: rapid.SliceOfNDistinct(name, 1, 5, rapid.ID).Draw(t, "samples")}
			for range m.Sample {
				m.Group = append(m.Group, name.Draw(t, "group"))
			}
			for range table.Metrics {
				float := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 5e-324, math.NaN(), math.Inf(1), math.Inf(-1)}))
				m.Scores = append(m.Scores, rapid.SliceOfN(float, len(m.Sample), len(m.Sample)).Draw(t, "scores"))
			}
			table.Models = append(table.Models, m)
		}
		var b bytes.Buffer
		if err := WriteSamples(&b, table); err != nil {
			t.Fatal(err)
		}
		read, err := ReadSamplesFrom("s.csv", &b)
		if err != nil {
			t.Fatal(err)
		}
		if diff := sameSamples(table, read); diff != "" {
			t.Fatal(diff)
		}
	})
}

// What the result file says of the file is true of it.
func TestTransactionSamples(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files, err := Begin(dir)
	if err != nil {
		t.Fatal(err)
	}
	table := &SampleTable{Metrics: []string{"mse"}, Models: []ModelSamples{{Model: "a", Sample: []string{"0", "1"}, Group: []string{"7", "7"}, Scores: [][]float64{{1, math.NaN()}}}}}
	r := NewResult("reconstruction")
	said, err := files.Samples("reconstruction_samples.csv", table)
	if err != nil {
		t.Fatal(err)
	}
	said.Sample, said.Group = "state", "episode"
	r.Samples = &said
	if err := files.JSON("reconstruction.json", r); err != nil {
		t.Fatal(err)
	}
	if err := files.Commit(); err != nil {
		t.Fatal(err)
	}
	back, err := Read(filepath.Join(dir, "reconstruction.json"))
	if err != nil {
		t.Fatal(err)
	}
	read, err := ReadSamples(filepath.Join(dir, back.Samples.File))
	if err != nil {
		t.Fatal(err)
	}
	if back.Samples.Rows != 2 || back.Samples.Sample != "state" || back.Samples.Group != "episode" || back.Samples.SHA256 != read.SHA256 || len(read.SHA256) != 64 {
		t.Errorf("%+v of a file with digest %s", back.Samples, read.SHA256)
	}
	text, err := os.ReadFile(filepath.Join(dir, "reconstruction_samples.csv"))
	if err != nil || string(text) != "model,sample,group,mse\na,0,7,1\na,1,7,\n" {
		t.Errorf("%q, %v", text, err)
	}
	if read.Model("a") == nil || read.Model("b") != nil || read.Rows() != 2 {
		t.Errorf("%+v", read)
	}
}

func TestUnequalSamples(t *testing.T) {
	t.Parallel()
	for want, m := range map[string]ModelSamples{
		"0 lists of scores for 1 metrics": {Model: "a", Sample: []string{"0"}, Group: []string{"0"}},
		"0 groups for 1 samples":          {Model: "a", Sample: []string{"0"}, Scores: [][]float64{{1}}},
		"2 scores for 1 samples":          {Model: "a", Sample: []string{"0"}, Group: []string{"0"}, Scores: [][]float64{{1, 2}}},
	} {
		err := WriteSamples(&bytes.Buffer{}, &SampleTable{Metrics: []string{"mse"}, Models: []ModelSamples{m}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// The order of the columns is free: the same scores.
func TestSamplesInAnyOrder(t *testing.T) {
	t.Parallel()
	a, err := ReadSamplesFrom("a.csv", strings.NewReader("model,sample,group,mse,mae\nx,0,7,1,2\nx,1,8,3,4\n"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := ReadSamplesFrom("b.csv", strings.NewReader("mse,group,mae,model,sample\n1,7,2,x,0\n3,8,4,x,1\n"))
	if err != nil {
		t.Fatal(err)
	}
	if b.SHA256 = a.SHA256; !reflect.DeepEqual(a, b) {
		t.Errorf("%+v, want %+v", b, a)
	}
}

// Tables of other programs have other separators; a file of ours has commas, whatever names its metrics have.
func TestSamplesOfOtherPrograms(t *testing.T) {
	t.Parallel()
	want := ModelSamples{Model: "x", Sample: []string{"0", "1"}, Group: []string{"7", "8"}, Scores: [][]float64{{0.5, 3}, {-2.25, 1e6}}}
	for text, metric := range map[string]string{
		"model;sample;group;a;b\nx;0;7;0,5;-2,25\nx;1;8;3;1e6\n":                        "a",
		"model;sample;group;a;b\r\nx;0;7;0.5;-2.25\r\nx;1;8;3;1000000":                  "a",
		"\ufeffmodel\tsample\tgroup\ta\tb\nx\t0\t7\t0.5\t-2.25\nx\t1\t8\t3\t1e6\n":      "a",
		"model|sample|group|a|b\nx|0|7|0.5|-2.25\nx|1|8|3|1e6\n":                        "a",
		"model,sample,group,f[q=0.9;w=3;a=1;c=2;d=3],b\nx,0,7,0.5,-2.25\nx,1,8,3,1e6\n": "f[q=0.9;w=3;a=1;c=2;d=3]",
	} {
		got, err := ReadSamplesFrom("s.csv", strings.NewReader(text))
		if err != nil || !reflect.DeepEqual(got.Models, []ModelSamples{want}) || got.Metrics[0] != metric {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
		if !IsSamples("s.csv", []byte(text)) {
			t.Errorf("%q is no table of samples", text)
		}
	}
	for text, want := range map[string]string{
		"model;sample;group;a\nx;0;7;0,5,1\n":     `s.csv:2: a of x, sample 0: "0,5,1" is not a number`,
		"model\tsample\tgroup\ta\nx\t0\t7\t0,5\n": `"0,5" is not a number`,
		"model;sample;a\nx;0;1\n":                 `s.csv:1: there is no column "group"; the columns are model, sample, a`,
	} {
		if _, err := ReadSamplesFrom("s.csv", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestBadSamples(t *testing.T) {
	t.Parallel()
	const head = "model,sample,group,mse\n"
	for text, want := range map[string]string{
		"":                           "s.csv: truncated: the file is empty",
		head + "a,0,1,0.5":           "s.csv: truncated: its last line does not end",
		"model,sample,mse\na,0,1\n":  `s.csv:1: there is no column "group"; the columns are model, sample, mse`,
		"model,sample,group,\n":      "s.csv:1: column 4 has no name",
		"model,sample,group,m,k,m\n": `s.csv:1: two columns are named "m"`,
		head + "a,0,1\n":             "s.csv:2: the number of cells differs from the 4 columns",
		head + "a,0,1,2\nb,0,1,x\n":  `s.csv:3: mse of b, sample 0: "x" is not a number`,
		head + "a,0,1,1e999\n":       `s.csv:2: mse of a, sample 0: "1e999" is not a number`,
		head + "a,0,1,2\na,0,1,2\n":  `s.csv:3: a has the sample "0" twice`,
		head + "a,\"0,1,2\n":         "not CSV",
	} {
		_, err := ReadSamplesFrom("s.csv", strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := ReadSamplesFrom("s.csv", strings.NewReader(head+"a,0,1,2")); !errors.Is(err, ErrTruncated) {
		t.Errorf("truncated: %v", err)
	}
	// Names that are equal without the apostrophe of a spreadsheet.
	_, err := ReadSamplesFrom("s.csv", strings.NewReader("model,sample,group,=1,'=1\na,0,1,0.5,1\n"))
	if err == nil || err.Error() != `s.csv:1: two columns are named "=1"` {
		t.Errorf("equal names: %v", err)
	}
	// The index of pandas is no metric.
	indexed, err := ReadSamplesFrom("s.csv", strings.NewReader(",model,sample,group,mse\n0,a,0,1,0.5\n1,a,1,1,0.25\n"))
	if err != nil || !slices.Equal(indexed.Metrics, []string{"mse"}) || !slices.Equal(indexed.Models[0].Scores[0], []float64{0.5, 0.25}) {
		t.Errorf("index of pandas: %+v, %v", indexed, err)
	}
	// A run none of whose numbers is a mean over samples writes its samples all the same.
	bare, err := ReadSamplesFrom("s.csv", strings.NewReader("model,sample,group\na,0,1\na,1,1\n"))
	if err != nil || len(bare.Metrics) != 0 || bare.Rows() != 2 {
		t.Errorf("no metric: %+v, %v", bare, err)
	}
	truths, err := ReadGraded("s.csv", strings.NewReader(head+"a,0,1,True\na,1,1,false\na,2,1,timeout\n"))
	if err != nil || !slices.Equal(truths.Models[0].Scores[0][:2], []float64{1, 0}) || !math.IsNaN(truths.Models[0].Scores[0][2]) {
		t.Errorf("truth values: %+v, %v", truths, err)
	}
	read, err := ReadSamplesFrom("s.csv", strings.NewReader("\ufeff"+head+"a,0,1,nan\na,1,1,\nb,0,1,inf\n"))
	if err != nil || len(read.Models) != 2 || !math.IsNaN(read.Models[0].Scores[0][0]) || !math.IsNaN(read.Models[0].Scores[0][1]) || !math.IsInf(read.Models[1].Scores[0][0], 1) {
		t.Errorf("%+v, %v", read, err)
	}
}

// Whatever the bytes, scores of judges are read with their reasons, or an error names the file; without reasons the
// table is the same.
func FuzzReadGraded(f *testing.F) {
	f.Add([]byte("model,sample,group,m\na,0,1,0.5\na,1,1,timeout\nb,0,1,refused\n"))
	f.Add([]byte("model;sample;group;m;n\na;0;1;0,5;judge failed\n"))
	f.Add([]byte("sample,model,m,group\n0,a,nan,x\n1,a,é,x\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		graded, err := ReadGraded("g.csv", bytes.NewReader(data))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "g.csv") {
				t.Errorf("%v does not name the file", err)
			}
			return
		}
		unsaid := 0
		for _, m := range graded.Models {
			for k, reasons := range m.Reasons {
				n := 0
				for reason, count := range reasons {
					if reason == "" || count < 1 {
						t.Errorf("model %q: the reason %q has %d samples", m.Model, reason, count)
					}
					n += count
				}
				for _, score := range m.Scores[k] {
					if math.IsNaN(score) {
						n--
					}
				}
				if n > 0 {
					t.Errorf("model %q: %d reasons more than undefined scores", m.Model, n)
				}
			}
			unsaid += len(m.Reasons)
		}
		plain, err := ReadSamplesFrom("g.csv", bytes.NewReader(data))
		switch {
		case err != nil && unsaid == 0:
			t.Errorf("no reason, and without reasons: %v", err)
		case err == nil && (plain.Rows() != graded.Rows() || unsaid > 0):
			t.Errorf("%d rows, %d without reasons; %d lists of reasons", graded.Rows(), plain.Rows(), unsaid)
		}
	})
}

// Whatever the bytes, there is an error or a table that is written and read back.
func FuzzReadSamples(f *testing.F) {
	f.Add([]byte("model,sample,group,mse\na,0,1,0.5\nb,0,1,\n"))
	f.Add([]byte("model,sample,group,by_k[k=10].trustworthiness,psnr\r\n\"a,b\",x,y,1e-300,inf\r\n"))
	f.Add([]byte("model,sample,group,m\na,0,1,0.5"))
	f.Add([]byte("model;sample;group;m\na;0;1;0,5"))
	f.Add([]byte(";model;sample;group"))
	f.Add([]byte("model,sample,group,=1,'=1\na,0,1,0.5,1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := ReadSamplesFrom("s.csv", bytes.NewReader(data))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "s.csv") {
				t.Errorf("%v does not name the file", err)
			}
			return
		}
		var b bytes.Buffer
		if err := WriteSamples(&b, table); err != nil {
			t.Fatal(err)
		}
		again, err := ReadSamplesFrom("s.csv", &b)
		if err != nil {
			t.Fatal(err)
		}
		if len(again.Models) == 0 && len(table.Models) == 0 {
			return
		}
		if table.Rows() != again.Rows() || len(table.Metrics) != len(again.Metrics) {
			t.Errorf("%d rows of %v, then %d of %v", table.Rows(), table.Metrics, again.Rows(), again.Metrics)
		}
	})
}
