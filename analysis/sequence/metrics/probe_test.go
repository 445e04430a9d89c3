// Probes on made hidden states.

package metrics

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"repscope/analysis/sequence"
	"repscope/analysis/sequence/internal/sequencetest"
	"repscope/report"
)

// probeItems are sequences of two chains of 9 residues between special tokens, with CDRs at 2, 4 and 6, whose
// hidden states [D] hidden makes of a sequence and a token.
func probeItems(n, cluster, dim int, hidden func(sequence, token int, row []float32)) []*sequence.Item {
	var items []*sequence.Item
	for i := range n {
		r := &sequence.Record{Index: i, ID: fmt.Sprintf("p%d", i), Cluster: i / cluster, Tokens: make([]int32, 20), Chains: make([]int8, 20),
			Special: make([]bool, 20), CDR: make([]int8, 20)}
		r.Special[0], r.Special[19] = true, true
		for k := 10; k < 20; k++ {
			r.Chains[k] = 1
		}
		for _, first := range []int{1, 10} {
			for cdr := range 3 {
				r.CDR[first+2*cdr+2] = int8(cdr + 1)
			}
		}
		states := make([]float32, 20*dim)
		for k := range r.Tokens {
			hidden(i, k, states[k*dim:(k+1)*dim])
		}
		items = append(items, &sequence.Item{Record: r, Group: i / cluster, Clean: &sequence.Output{Hidden: states}})
	}
	return items
}

// probeOf is a probe of a setting with options over the defaults.
func probeOf(t *testing.T, name string, n int, set map[string]any) *probeMetric {
	t.Helper()
	options, err := All().Resolve(map[string]map[string]any{name: set})
	if err != nil {
		t.Fatal(err)
	}
	return All().Find(name).New(&sequence.Setting{Options: options, Seed: 42, Sequences: n}).(*probeMetric)
}

// answered are items as sequences, and their hidden states as answers.
type answered []*sequence.Item

func (a answered) Len() int { return len(a) }

func (a answered) Knows() sequence.Needs { return sequence.NeedRegions | sequence.NeedChains }

func (a answered) Clusters() []int {
	out := make([]int, len(a))
	for i, it := range a {
		out[i] = it.Cluster
	}
	return out
}

func (a answered) Read(i int, r *sequence.Record) error {
	*r = *a[i].Record
	r.Masked = []int{}
	return nil
}

func (a answered) Has(kind sequence.PassKind) sequence.Outputs {
	return map[sequence.PassKind]sequence.Outputs{sequence.CleanPass: sequence.HiddenStates}[kind]
}

func (a answered) Answer(_ context.Context, passes []sequence.Pass, _ sequence.Outputs, visit func(pass int, out *sequence.Output) error) error {
	for i := range passes {
		if err := visit(i, a[passes[i].Record.Index].Clean); err != nil {
			return err
		}
	}
	return nil
}

// probed are the numbers of a probe of items, with intervals over clusters.
func probed(t *testing.T, name string, items answered) *sequence.ModelResult {
	t.Helper()
	in := sequence.Input{Registry: All(), Datasets: []sequence.Dataset{{Name: "made", Models: []sequence.Model{{Name: "a", Sequences: items, Source: items}},
		Choice: sequence.Choice{Metrics: []string{name}}}}}
	return &sequencetest.Analyze(t, in).Datasets[0].Models[0]
}

func noise(r *rand.Rand, row []float32) {
	for k := range row {
		row[k] = float32(r.NormFloat64())
	}
}

// A probe reads what is there, the control nothing, and the baseline is the commonest class.
func TestProbesReadWhatIsThere(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, test := range []struct {
		name     string
		classes  int
		baseline float64
		of       func(token int) int
	}{
		{"chain_probe", 2, 0.5, func(token int) int { return token / 10 }},
		{"position_probe", 3, 1.0 / 3, func(token int) int { return (token - 1) % 9 / 3 }},
		{"cdr_probe", 2, 2.0 / 3, func(token int) int { return min((token-1)%9%2*((token-1)%9)/2, 1) }},
	} {
		items := probeItems(60, 2, 5, func(_, token int, row []float32) {
			noise(r, row)
			if k := (token - 1) % 9; token > 0 && token < 19 {
				switch test.name {
				case "chain_probe":
					row[token/10] += 4
				case "position_probe":
					row[k/3] += 30
				default:
					if k == 2 || k == 4 || k == 6 {
						row[1] += 30
					}
				}
			}
		})
		out := probed(t, test.name, items)
		if v := number(t, out, test.name); v != 1 {
			t.Errorf("%s = %v, want 1", test.name, v)
		}
		if v := number(t, out, test.name+"_balanced"); v != 1 {
			t.Errorf("%s_balanced = %v, want 1", test.name, v)
		}
		if v := number(t, out, test.name+"_baseline"); math.Abs(v-test.baseline) > 0.06 {
			t.Errorf("%s_baseline = %v, want about %v", test.name, v, test.baseline)
		}
		control := number(t, out, test.name+"_control")
		if math.Abs(control-test.baseline) > 0.1 {
			t.Errorf("%s_control = %v, want about %v", test.name, control, test.baseline)
		}
		if v := number(t, out, test.name+"_selectivity"); v != 1-control {
			t.Errorf("%s_selectivity = %v, want %v", test.name, v, 1-control)
		}
		// All 30 clusters right: Clopper and Pearson's lower end for 30 of 30.
		e, _ := out.Object.Get(test.name)
		if got, want := e.(report.Estimate).CI, math.Pow(0.025, 1.0/30); math.Abs(got.Low-want) > 1e-9 || got.High != 1 {
			t.Errorf("%s_ci = %v, want [%v, 1]", test.name, got, want)
		}
	}
}

// Clusters are never on both sides: what is common to a cluster cannot be learned by heart.
func TestProbesKeepClustersTogether(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	type mark struct {
		at   []float32
		swap bool
	}
	const clusters, dim = 60, 80
	marks := make([]mark, clusters)
	for i := range marks {
		marks[i] = mark{make([]float32, dim), r.IntN(2) == 0}
		noise(r, marks[i].at)
	}
	hidden := func(sequence, token int, row []float32) {
		m := marks[sequence/4]
		sign := float32(1)
		if token >= 10 != m.swap {
			sign = -1
		}
		for k := range row {
			row[k] = sign * m.at[k]
		}
	}
	together := number(t, probed(t, "chain_probe", probeItems(240, 4, dim, hidden)), "chain_probe")
	apart := number(t, probed(t, "chain_probe", probeItems(240, 1, dim, func(s, token int, row []float32) { hidden(s, token, row) })), "chain_probe")
	if math.Abs(together-0.5) > 0.2 || apart < 0.95 {
		t.Errorf("accuracy %v with clusters and %v without, want about a half and about 1", together, apart)
	}
}

// Rows are those that the definition names, whatever the order of sequences.
func TestProbeRows(t *testing.T) {
	t.Parallel()
	items := probeItems(50, 1, 1, func(_, token int, row []float32) { row[0] = float32(token) })
	chains := probeOf(t, "chain_probe", 50, nil)
	positions := probeOf(t, "position_probe", 50, map[string]any{"n_bins": 2, "sample_per_seq": 4})
	classes := probeOf(t, "cdr_probe_class", 50, map[string]any{"sample_per_seq": 100})
	few := probeOf(t, "cdr_probe", 50, map[string]any{"max_rows": 200}) // of 50·20
	reversed := probeOf(t, "cdr_probe", 50, map[string]any{"max_rows": 200})
	for i := range items {
		for _, m := range []*probeMetric{chains, positions, classes, few} {
			if err := m.Update(t.Context(), &sequence.Batch{Items: items[i : i+1]}); err != nil {
				t.Fatal(err)
			}
		}
		if err := reversed.Update(t.Context(), &sequence.Batch{Items: items[len(items)-1-i : len(items)-i]}); err != nil {
			t.Fatal(err)
		}
	}
	if s := chains.state; len(s.Rows) != 100 || s.Rows[0][0] != 5 || s.Rows[1][0] != 14 || s.Class[0] != 0 || s.Class[1] != 1 {
		t.Errorf("chains: %d rows, means %v and %v of classes %v", len(s.Rows), s.Rows[0], s.Rows[1], s.Class[:2])
	}
	seen := map[float32]bool{}
	for i, row := range positions.state.Rows {
		if k := (int(row[0]) - 1) % 9; row[0] < 1 || row[0] > 18 || positions.state.Class[i] != k*2/9 {
			t.Errorf("token %v is of part %d", row[0], positions.state.Class[i])
		}
		seen[row[0]] = true
	}
	if len(positions.state.Rows) != 200 || len(seen) != 18 {
		t.Errorf("positions: %d rows of %d tokens, want 200 of 18", len(positions.state.Rows), len(seen))
	}
	if s := classes.state; !slices.Equal(s.Class[:18], []int{0, 0, 1, 0, 2, 0, 3, 0, 0, 0, 0, 1, 0, 2, 0, 3, 0, 0}) {
		t.Errorf("classes of all residues: %v", s.Class[:18])
	}
	if n := len(few.state.Count); n < 3 || n > 25 || n != len(reversed.state.Count) || few.state.Count[0] != 18 {
		t.Errorf("%d sequences of about 10 are read, %d in the reverse order, the first with %d rows", n, len(reversed.state.Count), few.state.Count[0])
	}
}

// Heads are fitted on as many sequences as asked for, none of their own fold.
func TestProbeTraining(t *testing.T) {
	t.Parallel()
	items := probeItems(40, 2, 2, func(sequence, token int, row []float32) { row[0], row[1] = float32(sequence), float32(token) })
	m := probeOf(t, "chain_probe", 40, map[string]any{"n_train": 7})
	for _, it := range items {
		if err := m.Update(t.Context(), &sequence.Batch{Items: []*sequence.Item{it}}); err != nil {
			t.Fatal(err)
		}
	}
	data, group, err := m.data()
	if err != nil {
		t.Fatal(err)
	}
	for f, rows := range data.Train {
		if len(rows) != 14 {
			t.Errorf("fold %d: %d rows of two chains, want 14", f, len(rows))
		}
		for _, i := range rows {
			if data.Folds[i] == f {
				t.Errorf("fold %d: row %d is its own", f, i)
			}
		}
	}
	for i := range group {
		if group[i] != i/4 || data.Folds[i] != data.Folds[i/4*4] {
			t.Errorf("row %d: group %d, fold %d beside %d", i, group[i], data.Folds[i], data.Folds[i/4*4])
		}
	}
}

func TestProbeRefusals(t *testing.T) {
	t.Parallel()
	items := probeItems(6, 1, 3, func(_, _ int, row []float32) { row[0] = 1 })
	skips := func(m *probeMetric, items []*sequence.Item, want string) {
		t.Helper()
		for _, it := range items {
			if err := m.Update(t.Context(), &sequence.Batch{Items: []*sequence.Item{it}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := m.Result(t.Context(), &sequence.Summary{Setting: m.set, Object: &report.Object{}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	skips(probeOf(t, "chain_probe", 6, nil), nil, "0 rows do not contain two classes")
	skips(probeOf(t, "chain_probe", 6, nil), items[:1], "two sequences of different clusters")
	small := probeOf(t, "cdr_probe", 6, nil)
	small.set.Memory = 1000
	skips(small, items, "120 rows of 3 numbers take 9 kB, more than its share 1 kB of --memory: raise --memory, or "+
		"set --set cdr_probe.max_rows=13")
	if len(small.state.Rows) != 0 {
		t.Errorf("%d rows are held", len(small.state.Rows))
	}
	bad := probeItems(1, 1, 3, func(_, token int, row []float32) { row[1] = float32(math.Inf(token)) })
	err := probeOf(t, "chain_probe", 1, nil).Update(t.Context(), &sequence.Batch{Items: bad})
	if err == nil || !strings.Contains(err.Error(), "sequence p0: hidden state 1 of a token is +Inf, want finite numbers") {
		t.Errorf("error %v", err)
	}
	for _, test := range []struct {
		name string
		set  map[string]any
		want string
	}{
		{"chain_probe", map[string]any{"n_bins": 3}, `chain_probe has no option "n_bins"`},
		{"position_probe", map[string]any{"n_bins": 1}, "position_probe.n_bins is 1: want a whole number of at least 2"},
		{"cdr_probe", map[string]any{"regularization": 0.0}, "cdr_probe.regularization is 0: want a number above 0"},
		{"cdr_probe", map[string]any{"sample_per_seq": 2.5}, "cdr_probe.sample_per_seq is 2.5, want a whole number"},
	} {
		if _, err := All().Resolve(map[string]map[string]any{test.name: test.set}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: error %v, want %q", test.set, err, test.want)
		}
	}
}
