// The example: every defect shows in the number that is about it, and in no other model.

package command

import (
	"context"
	"testing"

	"repscope/analysis/generation"
	"repscope/internal/example/boards"
	"repscope/internal/run"
	"repscope/report"
)

// exampleInput is the input of --example.
func exampleInput(t *testing.T) *generation.Input {
	t.Helper()
	definition, no := generation.DefinitionDefault, false
	f := &options{definition: &definition, revalidate: &no, strict: &no}
	in, err := f.loadExample(&run.Env{Result: &report.Result{}})
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func TestDefectsShow(t *testing.T) {
	t.Parallel()
	in := exampleInput(t)
	if err := in.AddReferences(1); err != nil {
		t.Fatal(err)
	}
	r, err := generation.Analyze(context.Background(), *in, generation.Options{Metrics: []string{"reconstruction", "diversity", "similarity", "clusters", "conditioning"}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	spread := func(m *generation.Model) float64 {
		for _, s := range m.Similarity.Statistics {
			if s.Name == "vertical_spread" {
				return s.Scaled
			}
		}
		return -1
	}
	for _, c := range []struct {
		what  string
		owner string
		of    func(m *generation.Model) float64
		limit float64
		above bool // the owner alone is above the limit, else below
	}{
		{"IoU below the target", boards.Blurred, func(m *generation.Model) float64 { return m.Reconstruction.Mean.Value.Float() }, 0.7, false},
		{"distinct samples below the target", boards.Collapsed, func(m *generation.Model) float64 { return m.Diversity.OverallUniqueness.Value.Float() }, 0.8, false},
		{"nothing new", boards.Copying, func(m *generation.Model) float64 { return m.Diversity.Novelty.Share.Value.Float() }, 0.5, false},
		{"invalid samples", boards.Invalid, func(m *generation.Model) float64 { return m.Diversity.Validity.Value.Float() }, 0.9, false},
		{"rows of other samples", boards.Shifted, spread, 1, true},
		{"labels that are not found", boards.Unconditioned, func(m *generation.Model) float64 { return m.Conditioning.Exact.Value.Float() }, 0.4, false},
		{"labels tangled among latents", boards.Tangled, func(m *generation.Model) float64 { return m.Clusters.Silhouette.Value.Float() }, 0.2, false},
	} {
		for i := range r.Models {
			m := &r.Models[i]
			if m.Reference {
				continue
			}
			if v := c.of(m); (v > c.limit) == (c.above != (m.Name == c.owner)) {
				t.Errorf("%s: %s has %.3g; the limit is %g and is %s's", c.what, m.Name, v, c.limit, c.owner)
			}
		}
	}
	faithful := r.Models[0].Similarity
	if v := faithful.Overall.Value.Float(); v > 1.5*faithful.Baseline {
		t.Errorf("statistics of the faithful model are %.3g from real ones, two parts of which are %.3g apart", v, faithful.Baseline)
	}
	real, shuffled := &r.Models[len(r.Models)-2], &r.Models[len(r.Models)-1]
	if real.Name != generation.RealRow || shuffled.Name != generation.ShuffledRow {
		t.Fatalf("the last rows are %s and %s", real.Name, shuffled.Name)
	}
	if a, b := real.Conditioning.Exact.Value.Float(), shuffled.Conditioning.Exact.Value.Float(); a < 0.5 || b > 0.3 {
		t.Errorf("the classifier finds %.3g of real labels, %.3g of shuffled ones", a, b)
	}
	if a, b := real.Similarity.Scaled.Value.Float(), shuffled.Similarity.Scaled.Value.Float(); a > 0.4 || b < 2*a {
		t.Errorf("real samples are %.3g from real ones, with shuffled labels %.3g", a, b)
	}
}
