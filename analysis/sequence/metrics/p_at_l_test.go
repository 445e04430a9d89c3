// Tests of the precision of contacts, and of regressions on the heads.

package metrics

import (
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/analysis/sequence"
	"repscope/analysis/sequence/internal/sequencetest"
	"repscope/measure/contact"
	"repscope/measure/measuretest"
	"repscope/report"
)

// number is a number of a model.
func number(t *testing.T, m *sequence.ModelResult, key string) float64 {
	t.Helper()
	v, ok := m.Object.Get(key)
	value, is := v.(report.Estimate)
	if !ok || !is {
		t.Fatalf("%s is %v", key, v)
	}
	return value.Float()
}

// set are options of one metric.
func set(metric string, options map[string]any) map[string]map[string]any {
	return map[string]map[string]any{metric: options}
}

// ranked are the precisions of an item by its own scores or by the heads of the last layer,
// computed apart from the metric.
func ranked(t *testing.T, it *sequence.Item, given bool) []contact.Precision {
	t.Helper()
	residues := it.Residues()
	var xyz []float32
	var chains []int8
	for _, i := range residues {
		xyz, chains = append(xyz, it.Coordinates[3*i:3*i+3]...), append(chains, it.Chains[i])
	}
	truth, err := contact.Truth(xyz, 8)
	if err != nil {
		t.Fatal(err)
	}
	truth.Chains = chains
	n := len(it.Tokens)
	scores, err := contact.Heads(it.Clean.Attentions[(sequencetest.Layers-1)*sequencetest.Heads*n*n:], sequencetest.Heads, n, residues)
	if given {
		scores, err = contact.Given(it.Clean.ContactScores, n, residues)
	}
	if err != nil {
		t.Fatal(err)
	}
	all, err := contact.Precisions(scores, truth, contact.Standard(6))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestContactPrecision(t *testing.T) {
	t.Parallel()
	s, source := sequencetest.NewSequences(9, 2), sequencetest.NewSource(1, 2)
	items := sequencetest.Items(t, s, source, sequence.RegionStandard)
	for _, of := range []struct {
		scores string
		given  bool
	}{{scoresAuto, true}, {ScoresGiven, true}, {scoresAttention, false}} {
		in := sequencetest.Input(All(), 9, 2, "p_at_l")
		in.Datasets[0].Choice.Set = set("p_at_l", map[string]any{"scores": of.scores})
		m := &sequencetest.Analyze(t, in).Datasets[0].Models[0]
		for k, r := range contact.Standard(6) {
			var hits, depth, macro, area, pairs, contacts, n float64
			for _, it := range items {
				p := ranked(t, it, of.given)[k]
				hits, depth = hits+p.Hits[9], depth+float64(p.Depth[9])
				pairs, contacts = pairs+float64(p.Pairs), contacts+float64(p.Contacts)
				macro, area, n = macro+p.At(10), area+p.AUC(), n+1
			}
			for score, want := range map[string]float64{"p_at_l": hits / depth, "p_at_l_macro": macro / n,
				"auc": area / n, "chance": contacts / pairs} {
				measuretest.Near(t, r.Name+" "+score, number(t, m, ContactKey(false, r.Name, score)), want, 1e-14)
			}
		}
		if got, _ := m.Object.Get("contacts_scores"); (got == ScoresGiven) != of.given {
			t.Errorf("scores=%s took %v", of.scores, got)
		}
		for i, v := range m.Scores[0].Values {
			measuretest.Near(t, "of a sequence", v, ranked(t, items[i], of.given)[0].At(10), 1e-15)
		}
		if shown := m.Kept["contacts"].(*ContactMap); shown.Index != 0 || shown.First != countChain(items[0], 0) {
			t.Errorf("sequence %d is shown, with a first chain of %d", shown.Index, shown.First)
		}
	}
}

// countChain is the number of residues of a chain.
func countChain(it *sequence.Item, chain int8) int {
	n := 0
	for _, i := range it.Residues() {
		if it.Chains[i] == chain {
			n++
		}
	}
	return n
}

// unresolved leaves out the coordinates of sequences from one on.
func unresolved(s *sequencetest.Sequences, from int) {
	for i := from; i < len(s.Records); i++ {
		s.Records[i].Coordinates = nil
	}
}

// TestContactsOfFew: intervals rest on the sequences that have coordinates.
func TestContactsOfFew(t *testing.T) {
	t.Parallel()
	all, few := sequencetest.Input(All(), 5, 1, "p_at_l"), sequencetest.Input(All(), 30, 1, "p_at_l")
	unresolved(few.Datasets[0].Models[0].Sequences.(*sequencetest.Sequences), 5)
	a, b := &sequencetest.Analyze(t, all).Datasets[0].Models[0], &sequencetest.Analyze(t, few).Datasets[0].Models[0]
	if string(sequencetest.Encoded(t, a.Tables[0].Rows)) != string(sequencetest.Encoded(t, b.Tables[0].Rows)) {
		t.Error("25 sequences without coordinates change the intervals of 5")
	}
	if n, _ := b.Object.Get("contacts_sequences"); n != 5 {
		t.Errorf("%v sequences, want 5", n)
	}
	if !math.IsNaN(b.Scores[0].Values[7]) {
		t.Error("a sequence without coordinates has a score")
	}
}

// TestContactsOfOthers: models that have contacts of other sequences are not compared on them.
func TestContactsOfOthers(t *testing.T) {
	t.Parallel()
	in := sequencetest.Input(All(), 9, 1, "p_at_l", "cross_chain")
	other := sequencetest.NewSequences(9, 1)
	other.Records[3].Coordinates = nil
	in.Datasets[0].Models[1].Sequences = other
	r := sequencetest.Analyze(t, in)
	if got := r.Datasets[0].Comparisons; len(got) != 2 || got[0].Metric != "cross_chain/cross_frac" {
		t.Errorf("%d comparisons", len(got))
	}
	if want := "a and b are not compared on p_at_l, because they were scored on different " +
		"sequences"; !slices.Contains(r.Warnings, want) {
		t.Errorf("%q lack %q", r.Warnings, want)
	}
}

func TestContactsSkipped(t *testing.T) {
	t.Parallel()
	skipped := func(in sequence.Input) any {
		why, _ := sequencetest.Analyze(t, in).Datasets[0].Models[0].Skipped.Get("p_at_l")
		return why
	}
	in := sequencetest.Input(All(), 4, 1, "p_at_l", "masked_accuracy")
	unresolved(in.Datasets[0].Models[0].Sequences.(*sequencetest.Sequences), 0)
	if why := skipped(in); why != "no sequence has two residues with coordinates at least 6 apart" {
		t.Error(why)
	}
	in = sequencetest.Input(All(), 4, 1, "p_at_l", "masked_accuracy")
	in.Datasets[0].Models[0].Source.(*sequencetest.Source).Outputs[sequence.CleanPass] = sequence.ContactScores
	in.Datasets[0].Choice.Set = set("p_at_l", map[string]any{"scores": "attention"})
	if why := skipped(in); why != "p_at_l.scores is attention, but 4 sequences lack it" {
		t.Error(why)
	}
}

func TestContactErrors(t *testing.T) {
	t.Parallel()
	in := sequencetest.Input(All(), 4, 1, "p_at_l")
	in.Datasets[0].Choice.Set = set("p_at_l", map[string]any{"num_layers": 3, "scores": "attention"})
	_, err := sequence.Analyze(t.Context(), in, sequence.Options{})
	if err == nil || !strings.Contains(err.Error(),
		"sequence s0: p_at_l.num_layers is 3, but the attention has 2 layers") {
		t.Error(err)
	}
	in = sequencetest.Input(All(), 4, 1, "p_at_l")
	in.Datasets[0].Models[0].Sequences.(*sequencetest.Sequences).Records[2].Coordinates[4] = float32(math.Inf(1))
	_, err = sequence.Analyze(t.Context(), in, sequence.Options{})
	if err == nil || !strings.Contains(err.Error(), "sequence s2: coordinate 1 of residue 0 is +Inf") {
		t.Error(err)
	}
	for option, value := range map[string]any{"contact_threshold": 0, "min_seq_sep": 0, "num_layers": 0, "scores": "best", "logistic": 1,
		"logistic_c":       -1.0,
		"logistic_penalty": "l3", "logistic_sequences": 1, "logistic_folds": 1, "treshold": 8} {
		in := sequencetest.Input(All(), 4, 1, "p_at_l")
		in.Datasets[0].Choice.Set = set("p_at_l", map[string]any{option: value})
		if _, err := sequence.Analyze(t.Context(), in, sequence.Options{}); err == nil || !strings.Contains(err.Error(), option) {
			t.Errorf("%s=%v: %v", option, value, err)
		}
	}
}

// TestContactRegression: every sequence is ranked by the regression on those of other folds.
func TestContactRegression(t *testing.T) {
	t.Parallel()
	s, source := sequencetest.NewSequences(12, 2), sequencetest.NewSource(1, 2)
	in := sequencetest.Input(All(), 12, 2, "p_at_l")
	in.Datasets[0].Choice.Set = set("p_at_l", map[string]any{"logistic": true, "logistic_c": 1000.0, "logistic_folds": 3})
	m := &sequencetest.Analyze(t, in).Datasets[0].Models[0]
	var all []*contact.Pairs
	for _, it := range sequencetest.Items(t, s, source, sequence.RegionStandard) {
		metric := &contactMetric{contactOptions: contactOptions{threshold: 8}}
		residues := it.Residues()
		truth, err := metric.structureOf(it.Record, residues)
		if err != nil {
			t.Fatal(err)
		}
		pairs, err := contact.HeadPairs(it.Clean.Attentions, sequencetest.Layers*sequencetest.Heads, len(it.Tokens), residues, truth, 3)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, pairs)
	}
	// Six clusters of two sequences: the last cluster is in the first fold, and so on.
	hits, depth := 0.0, 0.0
	for f := range 3 {
		var train, test []*contact.Pairs
		for i, p := range all {
			if (5-i/2)%3 == f {
				test = append(test, p)
			} else {
				train = append(train, p)
			}
		}
		head, err := contact.FitLogistic(t.Context(), train, contact.LogisticOptions{C: 1000, Least: 6})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range test {
			of, err := p.Precisions(head, contact.Standard(6))
			if err != nil {
				t.Fatal(err)
			}
			hits, depth = hits+of[0].Hits[9], depth+float64(of[0].Depth[9])
		}
	}
	measuretest.Near(t, "P@L", number(t, m, "p_at_l_logistic"), hits/depth, 1e-15)
	if n, _ := m.Object.Get("contacts_logistic_sequences"); n != 12 {
		t.Errorf("%v sequences, want 12", n)
	}
}

// TestContactRegressionUndefined: one cluster, no contacts, and more scores than memory.
func TestContactRegressionUndefined(t *testing.T) {
	t.Parallel()
	for _, of := range []struct {
		cluster int
		memory  int64
		options map[string]any
		want    string
	}{
		{12, 0, nil, "all drawn sequences belong to one cluster, so no other cluster is left for testing"},
		{2, 0, map[string]any{"contact_threshold": 0.1}, "no pair of the training sequences is in contact"},
		{2, 1 << 17, nil, "reduce p_at_l.logistic_sequences"},
	} {
		in := sequencetest.Input(All(), 12, of.cluster, "p_at_l")
		options := map[string]any{"logistic": true}
		for k, v := range of.options {
			options[k] = v
		}
		in.Datasets[0].Choice.Set = set("p_at_l", options)
		r, err := sequence.Analyze(t.Context(), in, sequence.Options{Settings: analysis.Settings{Intervals: true, Family: "metric", Memory: of.memory}})
		if err != nil {
			t.Fatal(err)
		}
		v, _ := r.Datasets[0].Models[0].Object.Get("p_at_l_logistic")
		if reason := v.(report.Estimate).Reason; !strings.Contains(reason, of.want) {
			t.Errorf("%q, want %q", reason, of.want)
		}
	}
}
