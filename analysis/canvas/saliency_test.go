// Flags of saliency, the files that they name, and inputs that are missing or wrong.

package canvas

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/dataset"
	"repscope/internal/run"
)

// parseSaliency are the values of a command line, and what it prints where it is wrong.
func parseSaliency(t *testing.T, args ...string) (*saliencyFlags, string) {
	t.Helper()
	o := saliencyFlags{SaliencySettings: &SaliencySettings{}}
	command := run.Command{Name: "maps", Summary: "nothing", Out: filepath.Join(t.TempDir(), "out"), Setup: func(flags *run.Flags) run.Job {
		o.register(flags)
		return run.Job{Check: func(*run.Options) error { return o.check() }, Run: func(context.Context, *run.Env) error { return nil }}
	}}
	var out, errs bytes.Buffer
	if code := run.Run(t.Context(), command, args, &out, &errs); code == 0 {
		return &o, ""
	}
	return nil, errs.String()
}

func TestSaliencyFlags(t *testing.T) {
	t.Parallel()
	o, text := parseSaliency(t, strings.Fields("--fixations top:5.5 --borji-splits 100 --saliency-model m.onnx --saliency-size 240x320 "+
		"--saliency-mean 103.9,116.7,123.6 --saliency-std 2 --saliency-channels bgr --saliency-scale raw --saliency-plots")...)
	if text != "" {
		t.Fatal(text)
	}
	m := &o.Model
	if o.Top != 5.5 || o.Splits != 100 || !o.plots || m.Path != "m.onnx" || m.Height != 240 || m.Width != 320 || !m.BGR || !m.Raw ||
		!slices.Equal(m.Mean, []float64{103.9, 116.7, 123.6}) || !slices.Equal(m.Std, []float64{2}) {
		t.Errorf("%+v", o)
	}
	for _, c := range []struct{ args, want string }{
		{"--fixations top:0", "want a number above 0 and below 100 after top:"},
		{"--fixations top:100", "want a number above 0 and below 100"},
		{"--fixations top:", "want a number above 0 and below 100"},
		{"--fixations f-{case}.csv", "--fixations f-{case}.csv: the reference is that of a sample; want {sample} or {variant}"},
		{"--saliency-reference {model}.png", "the reference is that of a sample"},
		{"--saliency-generated {id}.png", "{id} stands for nothing; want {sample}, {case}, {model}, {variant}, {snapshot}"},
		{"--borji-splits -1", "borji-splits"},
		{"--saliency-kl none", "none"},
		{"--saliency-size 3x", `"3x" is not a size such as 240x320`},
		{"--saliency-size 9000x2", `"9000x2" is not a size such as 240x320`},
		{"--saliency-size 32x32", "are those of --saliency-model, which is not given"},
		{"--saliency-channels bgr", "are those of --saliency-model, which is not given"},
		{"--saliency-channels gray", "gray"},
		{"--saliency-mean 1,2", "2 numbers, want one or one per channel"},
		{"--saliency-mean a", `"a" is not a number`},
		{"--saliency-model m.onnx --saliency-mean 103.9", "--saliency-mean 103.9 is beyond pixels of 0..1"},
		{"--saliency-model m.onnx --saliency-std 1,0,1", "--saliency-std 0, want numbers above 0"},
	} {
		if _, text := parseSaliency(t, strings.Fields(c.args)...); !strings.Contains(text, c.want) {
			t.Errorf("%s: %q, want %q", c.args, text, c.want)
		}
	}
}

// touch makes files in a folder.
func touch(t *testing.T, folder string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSaliencyPlace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	touch(t, dir, "maps/a.npy", "maps/a.png", "maps/b-fixations.csv", "maps/b.npy", "maps/b.csv", "generated/a-m1.png",
		"generated/a-m1-snapshot-2.png", "all.csv", "all.png", "a/m1/a-m1.npy", "points/a-fixations.npy", "points/a.png")
	at := func(name string) string { return filepath.Join(dir, name) }
	cases := []Case{{ID: "a-m1", Sample: "a", Model: "m1", Snapshot: -1, GeneratedSaliency: "found"},
		{ID: "a-m1", Sample: "a", Model: "m1", Snapshot: 2},
		{ID: "b-m2", Sample: "b", Model: "m2", Snapshot: -1}}
	for _, c := range []struct {
		o             SaliencySettings
		maps, others  []string
		fixations     []string
		notes, failed string
	}{
		{o: SaliencySettings{Reference: at("maps"), Generated: at("generated"), Fixations: at("all.csv")},
			maps:      []string{at("maps/a.png"), at("maps/a.png"), at("maps/b.npy")},
			others:    []string{at("generated/a-m1.png"), at("generated/a-m1-snapshot-2.png"), ""},
			fixations: []string{at("all.csv"), at("all.csv"), at("all.csv")}, notes: "no file for 1 of 3 cases"},
		{o: SaliencySettings{Generated: at("{sample}/{model}/{case}.npy"), Fixations: at("maps")}, maps: []string{"", "", ""},
			others: []string{at("a/m1/a-m1.npy"), "", ""}, fixations: []string{at("maps/a.png"), at("maps/a.png"), at("maps/b-fixations.csv")},
			notes: "no file for 2 of 3 cases"},
		{o: SaliencySettings{Fixations: at("points")}, maps: []string{"", "", ""}, others: []string{"found", "", ""},
			fixations: []string{at("points/a-fixations.npy"), at("points/a-fixations.npy"), ""}, notes: "no file for 1 of 3 cases"},
		{o: SaliencySettings{Top: 5, Fixations: "top:5"}, maps: []string{"", "", ""}, others: []string{"found", "", ""},
			fixations: []string{"", "", ""}},
		{o: SaliencySettings{Reference: at("{sample}.jpg")}, failed: "no file for any of 3 cases, such as " + at("a.jpg")},
		{o: SaliencySettings{Reference: at("all.png")}, failed: "all.png: one file for a and b; want a name with {sample} or {case}"},
		{o: SaliencySettings{Generated: at("gone.png")}, failed: "--saliency-generated " + at("gone.png") + ": no such file or directory"},
	} {
		of := slices.Clone(cases)
		notes, err := c.o.place(of)
		if c.failed != "" {
			if err == nil || !strings.Contains(err.Error(), c.failed) {
				t.Errorf("%+v: %v, want %q", c.o, err, c.failed)
			}
			continue
		}
		if err != nil || !strings.Contains(strings.Join(notes, "\n"), c.notes) || (c.notes == "") != (len(notes) == 0) {
			t.Errorf("%+v: %v, %v", c.o, notes, err)
		}
		for i := range of {
			if of[i].ReferenceSaliency != c.maps[i] || of[i].GeneratedSaliency != c.others[i] || of[i].Fixations != c.fixations[i] {
				t.Errorf("%+v: case %d is %+v", c.o, i, of[i])
			}
		}
	}
}

// grayPNG is a picture of the given numbers, row by row.
func grayPNG(t testing.TB, width int, values ...uint8) []byte {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, width, len(values)/width))
	copy(img.Pix, values)
	return pngOf(t, img)
}

func pngOf(t testing.TB, img image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func npyOf[T dataset.Element](t testing.TB, shape []int, data ...T) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := dataset.EncodeNPY(&out, shape, data); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestSaliencyInputs: what is missing is null with a reason, what is wrong fails the case, and a
// design compared with itself is perfect.
func TestSaliencyInputs(t *testing.T) {
	t.Parallel()
	good := grayPNG(t, 3, 9, 1, 2, 3, 4, 5)
	nan := npyOf(t, []int{2, 3}, 1, 2, math.NaN(), 4, 5, 6)
	flat, zero := npyOf(t, []int{2, 3}, 2., 2, 2, 2, 2, 2), npyOf(t, []int{2, 3}, 0., 0, 0, 0, 0, 0)
	negative := npyOf(t, []int{2, 3}, -1., 0, 3, 1, 2, 0)
	color := pngOf(t, image.NewNRGBA(image.Rect(0, 0, 3, 2)))
	one := npyOf(t, []int{1, 1}, 3.)
	for name, c := range map[string]struct {
		files   memoryReader
		defined map[string]float64
		null    map[string]string
		failed  string
	}{
		"itself": {memoryReader{"p": good, "q": good, "f": []byte("x,y\n0.5,0.5\n9,9\n")},
			map[string]float64{"saliency_cc": 1, "saliency_sim": 1, "saliency_kl": 0, "saliency_auc_judd": 1},
			map[string]string{"saliency_auc_shuffled": "there are no fixations of other samples",
				"center_prior_auc_shuffled": "there are no fixations of other samples"}, ""},
		"nothing": {memoryReader{}, nil,
			map[string]string{"saliency_cc": "no saliency map of the reference is given",
				"center_prior_nss": "no saliency map of the reference is given"}, ""},
		"one map": {memoryReader{"p": good}, nil,
			map[string]string{"saliency_cc": "no saliency map of the generated design is given"}, ""},
		"no fixations": {memoryReader{"p": good, "q": good}, map[string]float64{"saliency_cc": 1},
			map[string]string{"saliency_nss": "no fixations are given (--fixations FILE", "center_prior_auc_judd": "no fixations are given",
				"uniform_information_gain": "no fixations are given"}, ""},
		"header alone": {memoryReader{"p": good, "q": good, "f": []byte("x,y\n")}, map[string]float64{"saliency_cc": 1},
			map[string]string{"saliency_nss": "no fixations", "saliency_information_gain": "no fixations"}, ""},
		"all outside": {memoryReader{"p": good, "q": good, "f": []byte("-1,0\n3,0\n")}, nil,
			map[string]string{"saliency_nss": "no fixations: all 2 are outside", "saliency_auc_borji": "no fixations: all 2 are outside"}, ""},
		"other sample": {memoryReader{"p": good, "q": good, "f": []byte("sample,x,y\nb,1,1\n")}, nil,
			map[string]string{"saliency_nss": "f has no fixations of a"}, ""},
		"constant": {memoryReader{"p": good, "q": flat, "f": []byte("1,1\n")}, nil,
			map[string]string{"saliency_cc": "the map is constant (2)", "saliency_nss": "the map is constant (2)",
				"saliency_auc_judd": "the map is constant (2)"}, ""},
		"zero": {memoryReader{"p": good, "q": zero}, nil,
			map[string]string{"saliency_sim": "a map that is 0 everywhere is no distribution", "saliency_kl": "a map that is 0 everywhere"}, ""},
		"negative": {memoryReader{"p": good, "q": negative, "f": []byte("1,1\n")}, nil,
			map[string]string{"saliency_sim": "a map with the value -1 is no distribution",
				"saliency_information_gain": "a map with the value -1"}, ""},
		"one pixel": {memoryReader{"p": one, "q": one, "f": []byte("0,0\n")},
			map[string]float64{"saliency_sim": 1, "saliency_kl": 0, "saliency_information_gain": 0},
			map[string]string{"saliency_cc": "the map is constant (3)"}, ""},
		"NaN": {memoryReader{"p": good, "q": nan}, nil, map[string]string{"saliency_cc": "NaN"}, "q: saliency map: NaN at x 2, y 0"},
		"transparent": {memoryReader{"p": color, "q": good}, nil,
			map[string]string{"saliency_cc": "transparent"}, "p: the pixel at column 0, row 0 is transparent"},
		"truncated": {memoryReader{"p": good[:50], "q": good}, nil, map[string]string{"saliency_cc": "truncated"}, "p: "},
		"wrong numbers": {memoryReader{"p": good, "q": good, "f": []byte("x,y\n1,a\n")}, map[string]float64{"saliency_cc": 1},
			map[string]string{"saliency_nss": `"a" is not a number`}, "f: line 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, definition := range []string{DefinitionDefault, DefinitionDocumented} {
				c0 := Case{ID: "a-m", Sample: "a", Model: "m", Snapshot: -1, ReferenceSaliency: c.files.path("p"),
					GeneratedSaliency: c.files.path("q"), Fixations: c.files.path("f")}
				row, _ := scoreSaliency(t, &Settings{Definition: definition}, c.files, []Case{c0})
				for key, want := range c.defined {
					if v := row.Values[key]; !v.Defined() || v.V != want {
						t.Errorf("%s: %s is %+v, want %v", definition, key, v, want)
					}
				}
				for key, want := range c.null {
					if name == "negative" && definition == DefinitionDocumented {
						continue // rescaled maps have no negative numbers
					}
					if v, ok := row.Values[key]; !ok || v.Defined() || !strings.Contains(v.Reason, want) {
						t.Errorf("%s: %s is %+v, want null: %s", definition, key, v, want)
					}
				}
				if text := strings.Join(row.Failures, "\n"); (c.failed == "") != (text == "") || !strings.Contains(text, c.failed) {
					t.Errorf("%s: failures %q, want %q", definition, text, c.failed)
				}
			}
		})
	}
}

// TestSaliencyOutside counts fixations beyond the picture, and rows without a place.
func TestSaliencyOutside(t *testing.T) {
	t.Parallel()
	good := grayPNG(t, 3, 9, 1, 2, 3, 4, 5)
	files := memoryReader{"p": good, "q": good, "f": []byte("x,y\n0.5,0.5\n9,9\n-1,0\nnan,nan\n")}
	row, _ := scoreSaliency(t, &Settings{}, files, []Case{{ID: "a", Sample: "a", Snapshot: -1, ReferenceSaliency: "p",
		GeneratedSaliency: "q", Fixations: "f"}})
	if row.Details["saliency_fixations_outside"] != 2 || row.Details["saliency_fixations_missing"] != 1 {
		t.Error(row.Details)
	}
}

// TestSaliencyKL: the forms of the divergence by name.
func TestSaliencyKL(t *testing.T) {
	t.Parallel()
	files := memoryReader{"p": grayPNG(t, 2, 2, 6), "q": grayPNG(t, 2, 5, 3), "zero": grayPNG(t, 2, 0, 3)}
	for _, c := range []struct {
		form, map2 string
		want       float64
	}{
		{klAdded, "q", 0.25*math.Log(0.25/0.625) + 0.75*math.Log(0.75/0.375)},
		{klRatio, "q", 0.25*math.Log(0.25/0.625) + 0.75*math.Log(0.75/0.375)},
		{klExact, "q", 0.25*math.Log(0.25/0.625) + 0.75*math.Log(0.75/0.375)},
		{klAdded, "zero", 0.25*math.Log(0.25/1e-8) + 0.75*math.Log(0.75)},
		{klRatio, "zero", 0.25*math.Log(0.25/0x1p-52) + 0.75*math.Log(0.75)},
		{klExact, "zero", math.NaN()},
	} {
		o := &Settings{Definition: DefinitionDefault}
		o.Saliency.KL = c.form
		row, _ := scoreSaliency(t, o, files, []Case{{ID: "a", Sample: "a", Snapshot: -1, ReferenceSaliency: "p", GeneratedSaliency: c.map2}})
		v := row.Values["saliency_kl"]
		if math.IsNaN(c.want) != !v.Defined() || v.Defined() && math.Abs(v.V-c.want) > 1e-6 {
			t.Errorf("%s, %s: %+v, want %v", c.form, c.map2, v, c.want)
		}
	}
}

// TestSaliencySplits: the sampled form of AUC-Borji follows from the seed, and its mean is near the
// expectation.
func TestSaliencySplits(t *testing.T) {
	t.Parallel()
	files := memoryReader{"p": grayPNG(t, 4, 9, 1, 2, 3, 4, 5, 7, 8, 30, 2, 3, 4), "f": []byte("x,y\n0,0\n3,1\n0,2\n")}
	of := func(splits int, seed uint64) float64 {
		o := &Settings{Seed: seed}
		o.Saliency.Splits = splits
		row, _ := scoreSaliency(t, o, files, []Case{{ID: "a", Sample: "a", Snapshot: -1, ReferenceSaliency: "p",
			GeneratedSaliency: "p", Fixations: "f"}})
		return row.Values["saliency_auc_borji"].V
	}
	exact, many := of(0, 1), of(4000, 1)
	if math.Abs(exact-many) > 0.01 || of(20, 1) == of(20, 2) || of(20, 1) != of(20, 1) {
		t.Error(exact, many)
	}
}

// TestSaliencyShuffled: the fixations of the own sample never count, whichever model a case is of,
// and every other sample counts once.
func TestSaliencyShuffled(t *testing.T) {
	t.Parallel()
	files := memoryReader{"p": grayPNG(t, 4, 9, 1, 2, 3, 4, 5, 7, 8),
		"wide": grayPNG(t, 8, 9, 1, 2, 3, 4, 5, 7, 8, 1, 2, 3, 4, 5, 7, 8, 0, 9, 1, 2, 3, 4, 5, 7, 8, 1, 2, 3, 4, 5, 7, 8, 0),
		"a":    []byte("x,y\n0,0\n3,1\n"), "b": []byte("x,y\n1,0\n"), "c": []byte("x,y\n7,3\n7.9,3.9\n100,100\n"), "broken": []byte("x,y\n?,?\n")}
	o := &Settings{}
	at := func(sample, model, fixations, p string) Case {
		return Case{ID: sample + "-" + model, Sample: sample, Model: model, Snapshot: -1, ReferenceSaliency: p,
			GeneratedSaliency: p, Fixations: fixations}
	}
	cases := []Case{at("a", "m", "a", "p"), at("a", "n", "a", "p"), at("b", "m", "b", "p"), at("b", "n", "b", "p"),
		at("c", "m", "c", "wide"), at("d", "m", "broken", "p")}
	// Fixations of a have 9 and 8, those of the others (1, 0) with 1 and twice the last pixel with 8.
	row, _ := scoreSaliency(t, o, files, cases)
	if got, want := row.Values["saliency_auc_shuffled"].V, (1+1+1+1+0.5+0.5)/6; math.Abs(got-want) > 1e-15 {
		t.Errorf("shuffled AUC %v, want %v", got, want)
	}
	before := saliencyShuffledKind.Definition(o)
	files["c"] = []byte("x,y\n7,3\n")
	scoreSaliency(t, o, files, cases)
	if after := saliencyShuffledKind.Definition(o); before == after || !strings.Contains(before, "fixations of 4 samples") {
		t.Errorf("definition %q, then %q", before, after)
	}
}

// TestSaliencyWorkers: rows have the same bytes for any number of workers, with a model and fixations from maps.
func TestSaliencyWorkers(t *testing.T) {
	t.Parallel()
	files := memoryReader{}
	var cases []Case
	for i := range 12 {
		sample := fmt.Sprint("s", i/3)
		for _, name := range []string{sample, fmt.Sprint("g", i)} {
			img := image.NewNRGBA(image.Rect(0, 0, 20+i, 33))
			for k := range img.Pix {
				img.Pix[k] = uint8((k*k/7 + 31*i*len(name)) % 251)
			}
			for y := range 33 {
				img.SetNRGBA(i, y, color.NRGBA{uint8(9 * y), 20, 200, 255})
			}
			if files[name] == nil {
				files[name] = pngOf(t, img)
			}
		}
		cases = append(cases, Case{ID: fmt.Sprint(sample, "-", i), Sample: sample, Model: fmt.Sprint("m", i%3), Snapshot: -1,
			Reference: Side{Image: sample}, Generated: Side{Image: fmt.Sprint("g", i)}})
	}
	var first string
	for _, workers := range []int{1, 5} {
		o := &Settings{Definition: DefinitionDefault}
		o.Saliency.Top = 8
		o.Saliency.Model = SaliencyModel{Path: "testdata/saliency.onnx", Height: 24, Width: 18}
		of := slices.Clone(cases)
		opened, err := o.Saliency.Open(of, files.read, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Analyze(t.Context(), Input{Cases: of, Read: files.read}, Options{Settings: o, Kinds: saliencyKinds(), Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for _, row := range r.Rows {
			for _, k := range saliencyKinds() {
				for _, key := range k.Keys {
					v := row.Row.Values[key.Name]
					if !v.Defined() && !strings.Contains(v.Reason, "constant") {
						t.Errorf("%s of %s: %+v", key.Name, row.Case.ID, v)
					}
					fmt.Fprintln(&text, row.Case.ID, key.Name, math.Float64bits(v.V), v.Reason)
				}
			}
		}
		if first == "" {
			first = text.String()
		} else if text.String() != first {
			t.Error("rows differ between 1 and 5 workers")
		}
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
		if n := len(o.Saliency.identity()); n != 1 {
			t.Error(n, "files that all cases share, want the model")
		}
	}
}

// TestKept: one computation for all who wait, nothing of errors, and no more than fits.
func TestKept(t *testing.T) {
	t.Parallel()
	k := newKept[int](10)
	runs := map[string]int{}
	get := func(key string, bytes int) {
		v, err := k.get(key, func() (int, error) { runs[key]++; return bytes, nil }, func(v int) int64 { return int64(v) })
		if err != nil || v != bytes {
			t.Fatal(v, err)
		}
	}
	get("a", 4)
	get("b", 4)
	get("a", 4)
	get("c", 4) // drops b
	get("a", 4)
	get("b", 4)
	get("large", 11) // drops all, itself too
	get("a", 4)
	if runs["a"] != 2 || runs["b"] != 2 || runs["c"] != 1 || k.bytes != 4 || k.order.Len() != 1 {
		t.Error(runs, k.bytes, k.order.Len())
	}
	for range 2 {
		if _, err := k.get("bad", func() (int, error) { runs["bad"]++; return 0, fmt.Errorf("no") }, nil); err == nil {
			t.Error("no error")
		}
	}
	if runs["bad"] != 2 {
		t.Error("an error was kept")
	}
}
