// Tests of the built-in example: every score falls as damage grows.

package canvas

import (
	"context"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
	"testing"

	"repscope/analysis/canvas/internal/benchmark"
	"repscope/analysis/canvas/internal/design"
	"repscope/analysis/canvas/internal/screenshot"
	"repscope/internal/example/screens"
	"repscope/internal/parallel"
	"repscope/internal/runtest"
	"repscope/report"
)

// exampleInput are the cases of a task of made screens.
func exampleInput(t *testing.T, set *screens.Set, task, variant string) ([]Case, Reader) {
	t.Helper()
	of := &benchmark.Tree{Files: set, Folder: "example", Task: task, Variant: variant}
	found, err := of.Find(false)
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Odd) > 0 {
		t.Errorf("names that are no cases: %v", found.Odd)
	}
	return found.Cases, func(name string) ([]byte, error) { return set.ReadFile(strings.TrimPrefix(name, of.Folder+"/")) }
}

// exampleSettings are those of a run without flags.
func exampleSettings(t *testing.T, cases []Case, read Reader) *Setting {
	t.Helper()
	o := &Setting{Definition: DefinitionDefault}
	o.Layout.Tolerance = 0.02
	o.Images.SSIM, o.Images.Alpha = "uniform", "white"
	o.Semantic.Scores = path.Join("example/eval_outputs", screens.Task, screens.Variant, "precomputed_blip_scores.json")
	if _, err := o.Saliency.Open(cases, read, 0, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Semantic.Open(cases, read, 0); err != nil {
		t.Fatal(err)
	}
	return o
}

// exampleRows scores cases.
func exampleRows(t *testing.T, cases []Case, read Reader, kinds []Kind) []*Row {
	t.Helper()
	o := exampleSettings(t, cases, read)
	rows := make([]*Row, len(cases))
	err := parallel.Try(t.Context(), 0, len(cases), func(_, i int) (err error) {
		rows[i], err = exampleRow(t.Context(), &cases[i], read, o, kinds)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func exampleRow(ctx context.Context, c *Case, read Reader, o *Setting, kinds []Kind) (*Row, error) {
	return scoreKinds(ctx, kinds, NewPair(ctx, c, o, read, design.NewView(c.Reference, "reference", read)))
}

// withoutInput are the keys for which the example has no input.
var withoutInput = []string{"image_similarity", "perceptual_distance"}

// levelMeans are the means of a key by level of damage; NaN where a case has no number.
func levelMeans(cases []Case, rows []*Row, key string) (means []float64) {
	for _, l := range screens.Levels() {
		sum, n := 0.0, 0
		for i := range cases {
			if cases[i].Model == l.Model {
				sum += rows[i].Values[key].V
				n++
			}
		}
		means = append(means, sum/float64(n))
	}
	return means
}

// fallsWithDamage holds that every number by which models are compared becomes worse in the
// mean from each level of damage to the next, and any other with a direction never better.
func fallsWithDamage(t *testing.T, cases []Case, rows []*Row, kinds []Kind) {
	t.Helper()
	for _, k := range kinds {
		for _, key := range k.Keys {
			means := levelMeans(cases, rows, key.Name)
			from := 0
			switch {
			case key.Direction == report.Neither:
				continue
			case slices.Contains(withoutInput, key.Name):
				if !math.IsNaN(means[0]) {
					t.Errorf("%s: %v, want no number", key.Name, means)
				}
				continue
			case key.Name == "psnr": // of equal images it has no number
				from = 1
			}
			for l := from + 1; l < len(means); l++ {
				worse := means[l] - means[l-1]
				if key.Direction == report.Higher {
					worse = -worse
				}
				if key.Compared && !(worse > 0) || worse < 0 {
					t.Errorf("%s: %.5g by level of damage, want worse from each to the next", key.Name, means)
					break
				}
			}
		}
	}
}

func TestExampleFallsWithDamage(t *testing.T) {
	runtest.Long(t, "it runs the whole example")
	t.Parallel()
	cases, read := exampleInput(t, screens.Example(), screens.Task, screens.Variant)
	rows := exampleRows(t, cases, read, Usual())
	for i, row := range rows {
		if len(row.Failures) > 0 {
			t.Errorf("%s: %v", cases[i].ID, row.Failures)
		}
	}
	fallsWithDamage(t, cases, rows, Usual())
}

// Metrics that take long are held on few smaller screens.
func TestExampleFallsWithDamageByOptionalMetrics(t *testing.T) {
	runtest.Long(t, "it runs the whole example")
	t.Parallel()
	set, err := screens.New(screens.Config{Seed: 1, Samples: 3, Scale: 0.25})
	if err != nil {
		t.Fatal(err)
	}
	optional := slices.DeleteFunc(Kinds(), func(k Kind) bool { return !k.Optional })
	cases, read := exampleInput(t, set, screens.Task, screens.Variant)
	fallsWithDamage(t, cases, exampleRows(t, cases, read, optional), optional)
}

// The model that copies has the numbers of the reference against itself.
func TestExampleCopyIsPerfect(t *testing.T) {
	t.Parallel()
	all, read := exampleInput(t, screens.Example(), screens.Task, screens.Variant)
	o := exampleSettings(t, all, read)
	copies := slices.DeleteFunc(all, func(c Case) bool { return c.Model != screens.Levels()[0].Model })
	for _, c := range copies[:5] { // one of each kind
		got, err := exampleRow(t.Context(), &c, read, o, Usual())
		if err != nil {
			t.Fatal(err)
		}
		c.Generated, c.GeneratedSaliency = c.Reference, c.ReferenceSaliency
		want, err := exampleRow(t.Context(), &c, read, o, Usual())
		if err != nil {
			t.Fatal(err)
		}
		for key, v := range want.Values {
			if g := got.Values[key]; g.Defined() != v.Defined() || math.Abs(g.V-v.V) > 1e-12 || g.Reason != v.Reason {
				t.Errorf("%s: %s is %v, of the reference itself %v", c.ID, key, g, v)
			}
		}
	}
}

// An edit that is done well is nearer to what was asked for than the design before it, and the
// worse it is done, the less.
func TestExampleModification(t *testing.T) {
	runtest.Long(t, "it runs the whole example")
	t.Parallel()
	cases, read := exampleInput(t, screens.Example(), screens.ModificationTask, screens.ModificationVariant)
	kinds := []Kind{screenPixels, layoutOverlap, blocks}
	rows := exampleRows(t, cases, read, kinds)
	for _, key := range []string{"ssim", "layout_iou", "text_f1"} {
		means := levelMeans(cases, rows, key)
		if !slices.IsSortedFunc(means, func(a, b float64) int { return int(math.Copysign(1, b-a)) }) {
			t.Errorf("%s: %.4g by level of damage", key, means)
		}
		base := 0.0
		for _, c := range cases {
			c.Generated = c.Base
			row, err := exampleRow(t.Context(), &c, read, &Setting{Images: screenshot.Options{SSIM: "uniform", Alpha: "white"}, Layout: LayoutSettings{Tolerance: 0.02}}, kinds)
			if err != nil {
				t.Fatal(err)
			}
			base += row.Values[key].V / float64(len(cases))
		}
		if base >= means[0] {
			t.Errorf("%s: %.4g of the design before the edit, %.4g of the edit", key, base, means[0])
		}
	}
}

// Steps of a case have numbers, and rise in the mean to the end.
func TestExampleSnapshots(t *testing.T) {
	t.Parallel()
	of := &benchmark.Tree{Files: screens.Example(), Folder: "example", Task: screens.Task, Variant: screens.Variant}
	found, err := of.Find(true)
	if err != nil {
		t.Fatal(err)
	}
	var last Case
	mean := make([]float64, screens.Steps+1)
	kinds := []Kind{elementCount, layoutOverlap}
	for _, c := range found.Cases {
		if c.Model != screens.Levels()[0].Model || c.Snapshot < 0 {
			continue
		}
		read := func(name string) ([]byte, error) {
			return fs.ReadFile(of.Files, strings.TrimPrefix(name, of.Folder+"/"))
		}
		row, err := exampleRow(t.Context(), &c, read, &Setting{Layout: LayoutSettings{Tolerance: 0.02}}, kinds)
		if err != nil || len(row.Failures) > 0 {
			t.Fatalf("%v %v", err, row.Failures)
		}
		if last.ID == c.ID && last.Snapshot >= c.Snapshot {
			t.Errorf("%s: step %d after step %d", c.ID, c.Snapshot, last.Snapshot)
		}
		last = c
		mean[c.Snapshot] += row.Values["layout_iou"].V
	}
	if !slices.IsSorted(mean) || mean[screens.Steps] != float64(len(screens.Example().Samples())) {
		t.Errorf("sums of layout_iou by step are %.4g", mean)
	}
}

// scoreKinds computes the kinds of a case. Only the end of the context is an error: what is wrong with
// a case is in its row.
func scoreKinds(ctx context.Context, kinds []Kind, p *Pair) (*Row, error) {
	row := NewRow()
	for i := range kinds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		scoreKind(&kinds[i], p, row)
	}
	return row, ctx.Err()
}
