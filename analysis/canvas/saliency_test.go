// Flags of saliency, the files that they name, and inputs that are missing or wrong.

package canvas

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/analysis/canvas/internal/casetest"
	"repscope/analysis/canvas/internal/saliencymap"
)

// TestSaliencyInputs: what is missing is null with a reason, what is wrong fails the case, and a
// design compared with itself is perfect.
func TestSaliencyInputs(t *testing.T) {
	t.Parallel()
	good := casetest.GrayPNG(t, 3, 9, 1, 2, 3, 4, 5)
	nan := casetest.NPY(t, []int{2, 3}, 1, 2, math.NaN(), 4, 5, 6)
	flat, zero := casetest.NPY(t, []int{2, 3}, 2., 2, 2, 2, 2, 2), casetest.NPY(t, []int{2, 3}, 0., 0, 0, 0, 0, 0)
	negative := casetest.NPY(t, []int{2, 3}, -1., 0, 3, 1, 2, 0)
	color := casetest.PNG(t, image.NewNRGBA(image.Rect(0, 0, 3, 2)))
	one := casetest.NPY(t, []int{1, 1}, 3.)
	for name, c := range map[string]struct {
		files   casetest.Files
		defined map[string]float64
		null    map[string]string
		failed  string
	}{
		"itself": {casetest.Files{"p": good, "q": good, "f": []byte("x,y\n0.5,0.5\n9,9\n")},
			map[string]float64{"saliency_cc": 1, "saliency_sim": 1, "saliency_kl": 0, "saliency_auc_judd": 1},
			map[string]string{"saliency_auc_shuffled": "the shuffled AUC needs fixations of other samples",
				"center_prior_auc_shuffled": "the shuffled AUC needs fixations of other samples"}, ""},
		"nothing": {casetest.Files{}, nil,
			map[string]string{"saliency_cc": "no saliency map of the reference",
				"center_prior_nss": "no saliency map of the reference"}, ""},
		"one map": {casetest.Files{"p": good}, nil,
			map[string]string{"saliency_cc": "no saliency map of the generated design"}, ""},
		"no fixations": {casetest.Files{"p": good, "q": good}, map[string]float64{"saliency_cc": 1},
			map[string]string{"saliency_nss": "needs fixations (--fixations FILE", "center_prior_auc_judd": "needs fixations",
				"uniform_information_gain": "needs fixations"}, ""},
		"header alone": {casetest.Files{"p": good, "q": good, "f": []byte("x,y\n")}, map[string]float64{"saliency_cc": 1},
			map[string]string{"saliency_nss": "no fixations", "saliency_information_gain": "no fixations"}, ""},
		"all outside": {casetest.Files{"p": good, "q": good, "f": []byte("-1,0\n3,0\n")}, nil,
			map[string]string{"saliency_nss": "no fixations: all 2 are outside the map", "saliency_auc_borji": "no " +
				"fixations: all 2 are outside the map"}, ""},
		"other sample": {casetest.Files{"p": good, "q": good, "f": []byte("sample,x,y\nb,1,1\n")}, nil,
			map[string]string{"saliency_nss": "f has no fixations of a"}, ""},
		"constant": {casetest.Files{"p": good, "q": flat, "f": []byte("1,1\n")}, nil,
			map[string]string{"saliency_cc": "the map is constant (2)", "saliency_nss": "the map is constant (2)",
				"saliency_auc_judd": "the map is constant (2)"}, ""},
		"zero": {casetest.Files{"p": good, "q": zero}, nil,
			map[string]string{"saliency_sim": "a map of zeros is not a distribution", "saliency_kl": "a map of zeros"}, ""},
		"negative": {casetest.Files{"p": good, "q": negative, "f": []byte("1,1\n")}, nil,
			map[string]string{"saliency_sim": "a map with the value -1 is not a distribution",
				"saliency_information_gain": "a map with the value -1"}, ""},
		"one pixel": {casetest.Files{"p": one, "q": one, "f": []byte("0,0\n")},
			map[string]float64{"saliency_sim": 1, "saliency_kl": 0, "saliency_information_gain": 0},
			map[string]string{"saliency_cc": "the map is constant (3)"}, ""},
		"NaN": {casetest.Files{"p": good, "q": nan}, nil, map[string]string{"saliency_cc": "NaN"}, "q: saliency map: NaN at x 2, y 0"},
		"transparent": {casetest.Files{"p": color, "q": good}, nil,
			map[string]string{"saliency_cc": "transparent"}, "p: the pixel at column 0, row 0 is transparent"},
		"truncated": {casetest.Files{"p": good[:50], "q": good}, nil, map[string]string{"saliency_cc": "truncated"}, "p: "},
		"wrong numbers": {casetest.Files{"p": good, "q": good, "f": []byte("x,y\n1,a\n")}, map[string]float64{"saliency_cc": 1},
			map[string]string{"saliency_nss": `"a" is not a number`}, "f: line 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, definition := range []string{DefinitionDefault, DefinitionDocumented} {
				c0 := Case{ID: "a-m", Sample: "a", Model: "m", Snapshot: -1, ReferenceSaliency: c.files.Path("p"),
					GeneratedSaliency: c.files.Path("q"), Fixations: c.files.Path("f")}
				row, _ := scoreSaliency(t, &Setting{Definition: definition}, c.files, []Case{c0})
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
	good := casetest.GrayPNG(t, 3, 9, 1, 2, 3, 4, 5)
	files := casetest.Files{"p": good, "q": good, "f": []byte("x,y\n0.5,0.5\n9,9\n-1,0\nnan,nan\n")}
	row, _ := scoreSaliency(t, &Setting{}, files, []Case{{ID: "a", Sample: "a", Snapshot: -1, ReferenceSaliency: "p",
		GeneratedSaliency: "q", Fixations: "f"}})
	if row.Details["saliency_fixations_outside"] != 2 || row.Details["saliency_fixations_missing"] != 1 {
		t.Error(row.Details)
	}
}

// TestSaliencyKL: the forms of the divergence by name.
func TestSaliencyKL(t *testing.T) {
	t.Parallel()
	files := casetest.Files{"p": casetest.GrayPNG(t, 2, 2, 6), "q": casetest.GrayPNG(t, 2, 5, 3), "zero": casetest.GrayPNG(t, 2, 0, 3)}
	for _, c := range []struct {
		form, map2 string
		want       float64
	}{
		{saliencymap.KLAdded, "q", 0.25*math.Log(0.25/0.625) + 0.75*math.Log(0.75/0.375)},
		{saliencymap.KLRatio, "q", 0.25*math.Log(0.25/0.625) + 0.75*math.Log(0.75/0.375)},
		{saliencymap.KLExact, "q", 0.25*math.Log(0.25/0.625) + 0.75*math.Log(0.75/0.375)},
		{saliencymap.KLAdded, "zero", 0.25*math.Log(0.25/1e-8) + 0.75*math.Log(0.75)},
		{saliencymap.KLRatio, "zero", 0.25*math.Log(0.25/0x1p-52) + 0.75*math.Log(0.75)},
		{saliencymap.KLExact, "zero", math.NaN()},
	} {
		o := &Setting{Definition: DefinitionDefault}
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
	files := casetest.Files{"p": casetest.GrayPNG(t, 4, 9, 1, 2, 3, 4, 5, 7, 8, 30, 2, 3, 4), "f": []byte("x,y\n0,0\n3,1\n0,2\n")}
	of := func(splits int, seed uint64) float64 {
		o := &Setting{Seed: seed}
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
	files := casetest.Files{"p": casetest.GrayPNG(t, 4, 9, 1, 2, 3, 4, 5, 7, 8),
		"wide": casetest.GrayPNG(t, 8, 9, 1, 2, 3, 4, 5, 7, 8, 1, 2, 3, 4, 5, 7, 8, 0, 9, 1, 2, 3, 4, 5, 7, 8, 1, 2, 3, 4, 5, 7, 8, 0),
		"a":    []byte("x,y\n0,0\n3,1\n"), "b": []byte("x,y\n1,0\n"), "c": []byte("x,y\n7,3\n7.9,3.9\n100,100\n"), "broken": []byte("x,y\n?,?\n")}
	o := &Setting{}
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
	files := casetest.Files{}
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
				files[name] = casetest.PNG(t, img)
			}
		}
		cases = append(cases, Case{ID: fmt.Sprint(sample, "-", i), Sample: sample, Model: fmt.Sprint("m", i%3), Snapshot: -1,
			Reference: Side{Image: sample}, Generated: Side{Image: fmt.Sprint("g", i)}})
	}
	var first string
	for _, workers := range []int{1, 5} {
		o := &Setting{Definition: DefinitionDefault}
		o.Saliency.Top = 8
		o.Saliency.Model = saliencymap.Model{Path: "testdata/saliency.onnx", Height: 24, Width: 18}
		of := slices.Clone(cases)
		opened, err := o.Saliency.Open(of, files.Read, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Analyze(t.Context(), Input{Cases: of, Read: files.Read}, Options{Setting: o, Kinds: saliencyKinds(), Workers: workers})
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
		if n := len(o.Saliency.Identity()); n != 1 {
			t.Error(n, "files that all cases share, want the model")
		}
	}
}
