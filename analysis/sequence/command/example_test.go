// Tests of the built-in example: which number shows which defect.

package command

import (
	"os"
	"path/filepath"
	"testing"

	"repscope/analysis"
	"repscope/analysis/sequence"
	"repscope/analysis/sequence/internal/sequencetest"
	"repscope/analysis/sequence/metrics"
	"repscope/analysis/sequence/source"
	"repscope/dataset/protein"
	"repscope/internal/example/sequences"
	"repscope/internal/runtest"
	"repscope/measure/token"
)

// exampleInput is what --example evaluates.
func exampleInput(t *testing.T, names ...string) sequence.Input {
	t.Helper()
	folder := t.TempDir()
	f, err := putExample(func(name string, content []byte) (string, error) {
		path := filepath.Join(folder, name)
		return path, os.WriteFile(path, content, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	all, err := source.OpenSequences(f.sequences, protein.Options{}, token.Antibody())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { all.Close() })
	assays, err := source.OpenSubstitutions([]source.SubstitutionFile{{Assay: "made", Spec: f.substitutions}}, all, token.Antibody())
	if err != nil {
		t.Fatal(err)
	}
	d := sequence.Dataset{Name: exampleDataset, Choice: sequence.Choice{Metrics: names, Mask: sequencetest.Mask, Masking: "fake", Substitutions: assays}}
	for _, m := range f.models {
		source, err := source.OpenModel(t.Context(), m.Path, source.ModelOptions{Alphabet: token.Antibody()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { source.Close() })
		d.Models = append(d.Models, sequencetest.Model(m.Name, all, source))
	}
	return sequence.Input{Registry: metrics.All(), Datasets: []sequence.Dataset{d}}
}

// The model that is trained well is best, knows which residues touch and how sure it may be; each of the
// others shows what it lacks in the number that is about it.
func TestExampleDefects(t *testing.T) {
	runtest.Long(t, "it runs the whole example")
	t.Parallel()
	r, err := sequence.Analyze(t.Context(), exampleInput(t, "masked_accuracy", "loss", "perplexity", "region_accuracy", "calibration", "p_at_l", "cross_chain", "substitutions", "chain_probe"), sequence.Options{Settings: analysis.Settings{Seed: 42}})
	if err != nil {
		t.Fatal(err)
	}
	const trained, under, over, frequencies = sequences.Trained, sequences.Undertrained, sequences.Overfitted, sequences.Frequencies
	value := map[string]func(key string) float64{}
	for i := range r.Datasets[0].Models {
		m := &r.Datasets[0].Models[i]
		value[m.Name] = func(key string) float64 {
			v := scoreOf(m, key)
			return v.Float()
		}
	}
	for _, c := range []struct {
		model, key string
		low, high  float64
	}{
		// Trained: four of five residues, also of those that are not of the germline; sure as often as right.
		{trained, "mask_acc", 0.8, 0.9}, {trained, "region/all_cdr/accuracy", 0.65, 0.8}, {trained, "region/nongermline/accuracy", 0.5, 0.7},
		{trained, "ece", 0, 0.025}, {trained, "overconfidence", -0.02, 0.02},
		{trained, "contacts/all/p_at_l5", 0.8, 0.95}, {trained, "contacts/between/p_at_l5", 0.15, 0.3}, {trained, "contacts/all/chance", 0.03, 0.06},
		{trained, "substitutions/masked_marginal/spearman", 0.5, 0.8}, {trained, "chain_probe", 0.95, 1},
		// Undertrained: knows the genes but not which residues touch, which nothing else than the partner says.
		{under, "mask_acc", 0.45, 0.55}, {under, "region/germline/accuracy", 0.6, 0.75}, {under, "region/nongermline/accuracy", 0, 0.1},
		{under, "contacts/all/p_at_l5", 0.05, 0.25}, {under, "overconfidence", -0.05, -0.015},
		// Overfitted: right more often than frequencies, but so much too sure that its perplexity is worse.
		{over, "mask_acc", 0.5, 0.6}, {over, "overconfidence", 0.1, 0.2}, {over, "ece", 0.1, 0.2}, {over, "contacts/all/p_at_l5", 0.05, 0.25},
		// Frequencies: worst where families differ, in CDRs, but nearly calibrated.
		{frequencies, "region/all_cdr/accuracy", 0.2, 0.35}, {frequencies, "overconfidence", -0.03, 0.03},
	} {
		if v := value[c.model](c.key); !(v >= c.low && v <= c.high) {
			t.Errorf("%s: %s is %.4g, want %g to %g", c.model, c.key, v, c.low, c.high)
		}
	}
	for _, name := range []string{under, over, frequencies} {
		for _, key := range []string{"mask_acc", "region/all_cdr/accuracy", "region/nongermline/accuracy", "substitutions/masked_marginal/spearman"} {
			if value[name](key) > value[trained](key)-0.1 {
				t.Errorf("%s: %s has %.3g, trained %.3g", key, name, value[name](key), value[trained](key))
			}
		}
	}
	if a, b := value[over]("ppl"), value[frequencies]("ppl"); a <= b {
		t.Errorf("the perplexity of the overfitted model is %.3g, that of frequencies %.3g", a, b)
	}
	if a, b := value[over]("mask_acc"), value[frequencies]("mask_acc"); a <= b {
		t.Errorf("the accuracy of the overfitted model is %.3g, that of frequencies %.3g", a, b)
	}
	last := &r.Datasets[0].Models[3]
	for _, metric := range []string{"p_at_l", "cross_chain", "chain_probe"} {
		if reason, ok := last.Skipped.Get(metric); !ok {
			t.Errorf("%s of frequencies is not skipped: %v", metric, reason)
		}
	}
}
