// Tables of substitutions in the room: what is found, scored and refused.

package metrics

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/analysis/sequence"
	"repscope/analysis/sequence/internal/sequencetest"
	"repscope/analysis/sequence/source"
	"repscope/measure/measuretest"
	"repscope/measure/token"
	"repscope/measure/variant"
	"repscope/shard"
	"repscope/shard/shardtest"
	"repscope/stat"
)

// Scores of variants are differences of log probabilities of the model's answers, and the numbers those of
// package variant, averaged over functions.
func TestSubstitutionScores(t *testing.T) {
	t.Parallel()
	s := sequencetest.NewSequences(7, 1)
	source := sequencetest.NewSource(3, 1)
	in := sequence.Input{Registry: All(), Datasets: []sequence.Dataset{{Name: "fake", Models: []sequence.Model{sequencetest.Model("a", s, source)},
		Choice: sequence.Choice{Metrics: []string{"substitutions"}, Mask: sequencetest.Mask, Substitutions: sequencetest.Variants(t, s, 6, 40)}}}}
	r := sequencetest.Analyze(t, in)
	m := &r.Datasets[0].Models[0]
	given := in.Datasets[0].Choice.Substitutions
	if len(given.Assays) != 6 || given.Assays[1].Name != "made/s1" || given.Assays[1].Function != "stability" {
		t.Fatalf("%+v", given.Assays)
	}
	var assays []variant.Assay
	for k, a := range given.Assays {
		record := &s.Records[k]
		var scores []float64
		for _, v := range a.Variants {
			sum := 0.0
			for _, of := range v.Mutations {
				position := record.Residues()[of.Position-1]
				logits := source.Respond(&sequence.Pass{Record: record, Kind: sequence.SinglePass, Hidden: []int{position}}, sequence.Logits).Logits[32*position : 32*position+32]
				to := slices.Index(token.Antibody().Names, string(of.To))
				p, err := token.Predict(logits, to)
				if err != nil {
					t.Fatal(err)
				}
				q, err := token.Predict(logits, int(record.Tokens[position]))
				if err != nil {
					t.Fatal(err)
				}
				sum += math.Log(p.Prob) - math.Log(q.Prob)
			}
			scores = append(scores, sum)
		}
		rho, err := stat.Spearman(a.Measured, scores)
		if err != nil {
			t.Fatal(err)
		}
		assays = append(assays, variant.Assay{Protein: record.ID, Function: a.Function, Value: rho.Coefficient})
		for i, row := range fileRows(m, "sequence_variants.csv")[40*k : 40*k+40] {
			measuretest.Near(t, fmt.Sprint(row[:3]), row[4].(interface{ Float() float64 }).Float(), scores[i], 1e-9)
		}
	}
	l := variant.Aggregate(assays)
	for suffix, want := range map[string]float64{"": l.FunctionMean, "_protein_mean": l.ProteinMean, "_assay_mean": l.AssayMean} {
		v, ci, ok := m.Number("substitutions/masked_marginal/spearman" + suffix)
		if !ok || !ci.Defined() || ci.Low > v.Float() || v.Float() > ci.High {
			t.Errorf("%v with interval %v (%s)", v, ci, ci.Reason)
		}
		measuretest.Near(t, "Spearman"+suffix, v.Float(), want, 1e-12)
	}
	if _, ok := m.Object.Get("substitutions/delta_pll/spearman"); ok {
		t.Error("there is a change of the pseudo-likelihood of variants that are no sequences")
	}
	if v, _, _ := m.Number("substitutions/blosum62/auc"); !(v.Float() > 0.6) {
		t.Errorf("AUC %v of BLOSUM62, by which effects were made", v)
	}
}

// fileRows are the rows of a file of a metric.
func fileRows(m *sequence.ModelResult, file string) [][]any {
	for _, table := range m.Tables {
		if table.File == file {
			return table.Rows
		}
	}
	return nil
}

// Variants that are sequences of the dataset are scored by the change of their pseudo-likelihood, by the same
// number from a table of sequences.
func TestDeltaPLL(t *testing.T) {
	t.Parallel()
	s := sequencetest.NewSequences(1, 1)
	wildType := s.Records[0]
	letters := sequencetest.Letters(&wildType)
	lines := []string{"mutated_sequence,DMS_score"}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 12 {
		r := wildType
		r.Tokens = slices.Clone(r.Tokens)
		position := r.Residues()[i]
		letter := sequencetest.OtherLetter(random, letters[i])
		r.Tokens[position] = int32(slices.Index(token.Antibody().Names, string(letter)))
		r.Index, r.ID, r.Cluster, r.Coordinates = i+1, fmt.Sprint("mutant", i), i+1, wildType.Coordinates
		s.Records = append(s.Records, r)
		lines = append(lines, fmt.Sprintf("%s,%d", sequencetest.Letters(&r), i*i%7))
	}
	given, err := source.OpenSubstitutions([]source.SubstitutionFile{{Assay: "s0", Spec: sequencetest.Table(t, lines...)}}, s, token.Antibody())
	if err != nil {
		t.Fatal(err)
	}
	source := sequencetest.NewSource(3, 1)
	r := sequencetest.Analyze(t, sequence.Input{Registry: All(), Datasets: []sequence.Dataset{{Name: "fake", Models: []sequence.Model{sequencetest.Model("a", s, source)},
		Choice: sequence.Choice{Metrics: []string{"substitutions"}, Mask: sequencetest.Mask, Substitutions: given}}}})
	pll := func(r *sequence.Record) float64 {
		sum := 0.0
		for _, position := range r.Residues() {
			p, err := token.Predict(source.Respond(&sequence.Pass{Record: r, Kind: sequence.SinglePass, Hidden: []int{position}}, sequence.Logits).Logits[32*position:32*position+32], int(r.Tokens[position]))
			if err != nil {
				t.Fatal(err)
			}
			sum -= p.NLL
		}
		return sum
	}
	rows := fileRows(&r.Datasets[0].Models[0], "sequence_variants.csv")
	if len(rows) != 12 {
		t.Fatalf("%d rows", len(rows))
	}
	for i, row := range rows {
		measuretest.Near(t, fmt.Sprint(row[:3]), row[6].(interface{ Float() float64 }).Float(), pll(&s.Records[i+1])-pll(&s.Records[0]), 1e-9)
	}
}

// Any split of the sequences gives the bytes of one pass, with variants too.
func TestSubstitutionsSplit(t *testing.T) {
	t.Parallel()
	open := func(seed uint64) func() shard.Work[*sequence.Part, *sequence.Result] {
		return func() shard.Work[*sequence.Part, *sequence.Result] {
			s := sequencetest.NewSequences(9, 2)
			in := sequence.Input{Registry: All(), Datasets: []sequence.Dataset{{Name: "fake", Models: []sequence.Model{sequencetest.Model("a", s, sequencetest.NewSource(1, 2)), sequencetest.Model("b", s, sequencetest.NewSource(2, 1))},
				Choice: sequence.Choice{Metrics: []string{"substitutions"}, Mask: sequencetest.Mask, Substitutions: sequencetest.Variants(t, s, 5, 12)}}}}
			w, err := sequencetest.Work(in, sequence.Options{Settings: analysis.Settings{Intervals: true, Family: "metric", Seed: seed}})
			if err != nil {
				t.Fatal(err)
			}
			return w
		}
	}
	shardtest.Check(t, open(42), sequencetest.Text(t), open(43))
}

// Only the wild types are shown to the model.
func TestOnlyWildTypesAreAsked(t *testing.T) {
	t.Parallel()
	s := sequencetest.NewSequences(20, 1)
	source := &countingSource{Source: sequencetest.NewSource(1, 2)}
	in := sequence.Input{Registry: All(), Datasets: []sequence.Dataset{{Name: "fake", Models: []sequence.Model{sequencetest.Model("a", s, source)},
		Choice: sequence.Choice{Metrics: []string{"substitutions"}, Mask: sequencetest.Mask, Substitutions: sequencetest.Variants(t, s, 3, 12)}}}}
	sequencetest.Analyze(t, in)
	if want := []string{"s0", "s1", "s2"}; !slices.Equal(slices.Sorted(maps.Keys(source.asked)), want) {
		t.Errorf("asked of %v, want %v", slices.Sorted(maps.Keys(source.asked)), want)
	}
}

// countingSource keeps of which sequences it was asked.
type countingSource struct {
	*sequencetest.Source
	asked map[string]bool
}

func (c *countingSource) Answer(ctx context.Context, passes []sequence.Pass, want sequence.Outputs, visit func(pass int, out *sequence.Output) error) error {
	for _, p := range passes {
		if c.asked == nil {
			c.asked = map[string]bool{}
		}
		c.asked[p.Record.ID] = true
	}
	return c.Source.Answer(ctx, passes, want, visit)
}

func TestBadSubstitutions(t *testing.T) {
	t.Parallel()
	s := sequencetest.NewSequences(3, 1)
	letters := sequencetest.Letters(&s.Records[0])
	first := fmt.Sprintf("%c1%c", letters[0], sequencetest.OtherLetter(rand.New(rand.NewPCG(1, 1)), letters[0]))
	wrong := string(sequencetest.OtherLetter(rand.New(rand.NewPCG(1, 1)), letters[0]))
	mutated := first[2:] + letters[1:]
	for _, c := range []struct {
		want  string
		lines []string
	}{
		{`row 0 (line 2): no sequence has the id "s9"`, []string{"sequence_id,mutant,score", "s9," + first + ",1"}},
		{"row 0 (line 2): column mutant: " + `"A" is not a substitution`, []string{"sequence_id,mutant,score", "s0,A,1"}},
		{"the wild type has " + letters[:1] + " at 1, sequence s0", []string{"sequence_id,mutant,score", "s0," + wrong + "1" + letters[:1] + ",1"}},
		{"outside the", []string{"sequence_id,mutant,score", "s0,A900C,1"}},
		{"row 0 (line 2): its wild type among the 3 sequences is unknown", []string{"mutant,score", first + ",1"}},
		{"row 1 (line 3): variant " + first + " of assay x is already in row 0", []string{"sequence_id,mutant,score", "s0," + first + ",1", "s0," + first + ",2"}},
		{"is not among the sequences", []string{"wild_type,mutant,score", "EVQL,E1A,1"}},
		{"mutated_sequence differs from the sequence of mutant", []string{"mutant,mutated_sequence,score", first + "," + letters + ",1"}},
		{"insertions and deletions are not supported", []string{"sequence_id,mutated_sequence,score", "s0," + letters[1:] + ",1"}},
		{"one of its letters is not in the vocabulary", []string{"sequence_id,mutant,score", "s0," + letters[:1] + "1J,1"}},
		{"the row names no variant", []string{"sequence_id,mutant,score", "s0,,1"}},
		{"has a measured variant", []string{"sequence_id,mutant,score", "s0," + first + ",nan"}},
		{`assay x has protein "q" and function "" here, but "p" and "" in an earlier row`, []string{"sequence_id,mutant,score,protein", "s0," + first + ",1,p", "s0,WT,1,q"}},
		{"have a class (fit or not) and others have none", []string{"sequence_id,mutant,score,fit", "s0," + first + ",1,1", "s0,WT,1,"}},
		{"column germline: has 2 residues", []string{"sequence_id,mutant,score,germline", "s0," + first + ",1,EV"}},
	} {
		_, err := source.OpenSubstitutions([]source.SubstitutionFile{{Assay: "x", Spec: sequencetest.Table(t, c.lines...)}}, s, token.Antibody())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.lines, err, c.want)
		}
	}
	// The wild type is what is left of a mutated sequence without its mutations; a chain is found too.
	heavy := 0
	for _, i := range s.Records[0].Residues() {
		if s.Records[0].Chains[i] == 0 {
			heavy++
		}
	}
	for _, sequence := range []string{mutated, mutated[:heavy]} {
		given, err := source.OpenSubstitutions([]source.SubstitutionFile{{Assay: "x", Spec: sequencetest.Table(t, "mutant,mutated_sequence,score", first+","+sequence+",1")}}, s, token.Antibody())
		if err != nil || given.Assays[0].WildType.ID != "s0" || given.Assays[0].Variants[0].Sites[0].Position != 1 {
			t.Errorf("%+v, %v", given, err)
		}
	}
}

// Without a table of substitutions the metric is skipped, and says what it needs.
func TestWithoutSubstitutions(t *testing.T) {
	t.Parallel()
	r := sequencetest.Analyze(t, sequencetest.Input(All(), 4, 1, "masked_accuracy", "substitutions"))
	if reason, _ := r.Datasets[0].Models[0].Skipped.Get("substitutions"); reason != "needs --substitutions" {
		t.Errorf("skipped for %v", reason)
	}
	if !bytes.Contains(sequencetest.Text(t)(r), []byte("needs --substitutions")) {
		t.Error("the result does not say it")
	}
}

// A mask plan shows the wild types alone residue by residue, unless another metric needs it of all.
func TestPlanOfSubstitutions(t *testing.T) {
	t.Parallel()
	s := sequencetest.NewSequences(5, 1)
	c := sequence.Choice{Metrics: []string{"substitutions"}, Substitutions: sequencetest.Variants(t, s, 2, 12)}
	passes := func() string {
		kinds, wants, err := sequence.NeededPasses(All(), c, s)
		if err != nil {
			t.Fatal(err)
		}
		out := ""
		for _, kind := range kinds {
			for i := range s.Records {
				if wants(kind, i) {
					out += fmt.Sprint(kind, i, " ")
				}
			}
		}
		return out
	}
	if got, want := passes(), "0 0 0 1 0 2 0 3 0 4 1 0 1 1 2 0 2 1 "; got != want {
		t.Errorf("passes %s, want %s", got, want)
	}
	c.Mode = sequence.RegionPerPosition
	if got, want := passes(), "0 0 0 1 0 2 0 3 0 4 1 0 1 1 2 0 2 1 2 2 2 3 2 4 "; got != want {
		t.Errorf("passes %s, want %s", got, want)
	}
	c.Mode, c.Substitutions = "", nil
	if got, want := passes(), "0 0 0 1 0 2 0 3 0 4 "; got != want {
		t.Errorf("passes %s, want %s", got, want)
	}
}
