// Made sequences: what sequence prints about one draw of a design.

package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/analysis/sequence"
	"repscope/analysis/sequence/metrics"
	"repscope/measure/token"
	"repscope/report"
)

// statesOfSequence are the states that follow each other in a sequence; each is a residue for
// every dimension of a latent.
const statesOfSequence = 4

// made are the sequences of a draw, and what a model answers about them.
type made struct {
	sample   *Sample
	model    int
	first    []int // state of each sequence
	clusters []int
}

// newMade cuts episodes into sequences. Episodes are clusters; the sequences of a single one
// are taken as independent, as they are where no clusters are given.
func newMade(s *Sample, model int) *made {
	m := &made{sample: s, model: model}
	n := len(s.Episode)
	for i := 0; i+statesOfSequence <= n; {
		if last := i + statesOfSequence - 1; s.Episode[last] != s.Episode[i] {
			i++
			continue
		}
		cluster := s.Episode[i]
		if s.Episode[n-1] == 0 {
			cluster = len(m.first)
		}
		m.first, m.clusters = append(m.first, i), append(m.clusters, cluster)
		i += statesOfSequence
	}
	return m
}

func (m *made) Len() int        { return len(m.first) }
func (m *made) Clusters() []int { return m.clusters }
func (m *made) Knows() sequence.Needs {
	return sequence.NeedRegions | sequence.NeedGermline | sequence.NeedCoordinates | sequence.NeedChains
}

// common is what all models see alike of a residue, whose variance is about 1.
func (m *made) common(state, k int) float64 {
	sum := 0.0
	for model := range models {
		sum += float64(m.sample.States[state*features+model*seen+k%seen])
	}
	return sum / math.Sqrt(models)
}

// Read makes sequence i: half of its residues are of each chain, whose parts are one to three
// residues long.
func (m *made) Read(i int, r *sequence.Record) error {
	*r = sequence.Record{Index: i, ID: fmt.Sprintf("s%d", i), Cluster: m.clusters[i]}
	nan := float32(math.NaN())
	add := func(id, chain, cdr, other int, x float32, special bool) {
		r.Tokens, r.Chains, r.Special = append(r.Tokens, int32(id)), append(r.Chains, int8(chain)), append(r.Special, special)
		r.CDR, r.NonTemplated = append(r.CDR, int8(cdr)), append(r.NonTemplated, int8(other))
		r.Coordinates = append(r.Coordinates, x, 0, 0)
	}
	add(token.Antibody().CLS, 0, 0, 0, nan, true)
	cdrs := []int{0, 1, 0, 2, 2, 0, 3, 3, 3, 0}
	for residue := range statesOfSequence * latent {
		c := m.common(m.first[i]+residue/latent, residue%latent)
		class := min(max(int(math.Floor(1.2*c+2)), 0), 3)
		other := 0
		if c > 0.8 {
			other = 1
		}
		add(4+class, 2*residue/(statesOfSequence*latent), cdrs[residue%len(cdrs)], other, float32(10*c), false)
	}
	add(token.Antibody().EOS, 1, 0, 0, nan, true)
	return nil
}

func (m *made) Has(sequence.PassKind) sequence.Outputs {
	return sequence.Logits | sequence.HiddenStates | sequence.Attentions
}

// Answer follows from the model's own coordinates: it finds the class of a residue where
// they are near to the coordinates of all models.
func (m *made) Answer(_ context.Context, passes []sequence.Pass, _ sequence.Outputs,
	visit func(pass int, out *sequence.Output) error) error {
	size := token.Antibody().Size()
	for p := range passes {
		r := passes[p].Record
		n := len(r.Tokens)
		out := &sequence.Output{Layers: 1, Heads: 1, Logits: make([]float32, n*size), Hidden: make([]float32, n*seen), Attentions: make([]float32, n*n)}
		values := make([]float64, n)
		for t := 1; t < n-1; t++ {
			residue := t - 1
			z := m.sample.Latents[m.model].Row(m.first[r.Index]+residue/latent, nil)
			values[t] = z[residue%latent]
			for class := range 4 {
				d := 2*values[t] - (float64(class) - 1.5)
				out.Logits[t*size+4+class] = float32(4 - d*d)
			}
			for k := range seen {
				out.Hidden[t*seen+k] = float32(z[(residue+k)%latent])
			}
			out.Hidden[t*seen] += float32(r.Chains[t]) / 2
			out.Hidden[t*seen+1] += float32(r.CDR[t]) / 4
		}
		for a := range n {
			sum := 0.0
			for b := range n {
				sum += math.Exp(-4 * math.Abs(values[a]-values[b]))
			}
			for b := range n {
				out.Attentions[a*n+b] = float32(math.Exp(-4*math.Abs(values[a]-values[b])) / sum)
			}
		}
		if err := visit(p, out); err != nil {
			return err
		}
	}
	return nil
}

// evaluating evaluates models that answer for the sequences of a draw. Of regions it takes some of
// each kind, and leaves out the table of regions by origin: the others are the same sums over
// other positions.
func evaluating(ctx context.Context, s *Sample, seed uint64) (*report.Result, error) {
	masking := token.Masking{Rule: token.Uniform, Rate: 0.3, Seed: seed}
	d := sequence.Dataset{Name: "made", Choice: sequence.Choice{
		Metrics: slices.DeleteFunc(metrics.All().Names(), func(name string) bool { return name == "region_germline" }),
		Regions: []string{"hcdr3", "lfwr2", "all_fwr", "overall", "germline"},
		Masking: "uniform 0.3",
		Mask: func(r *sequence.Record) []int {
			return masking.Positions(token.SequenceKey(r.ID), r.Special, r.CDR, r.NonTemplated)
		},
	}}
	for m := range models {
		of := newMade(s, m)
		d.Models = append(d.Models, sequence.Model{Name: name(m), Sequences: of, Source: of})
	}
	r, err := sequence.Analyze(ctx, sequence.Input{Registry: metrics.All(), Datasets: []sequence.Dataset{d}},
		sequence.Options{Settings: settings(seed)})
	if err != nil {
		return nil, err
	}
	out := report.NewResult("sequence")
	for _, m := range r.Datasets[0].Models {
		out.Models.Set(m.Name, m.Object)
	}
	out.Comparisons = r.Datasets[0].Comparisons
	return out, nil
}
