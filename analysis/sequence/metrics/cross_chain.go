// Attention that passes between the chains.

package metrics

import (
	"context"
	"fmt"
	"math"

	"repscope/analysis/sequence"
	"repscope/measure/contact"
	"repscope/report"
	"repscope/shard"
	"repscope/stat"
)

// crossChain is the share of the attention among residues that crosses the chains.
var crossChain = sequence.Kind{
	Name:  "cross_chain",
	About: "share of attention between the chains, and between the end of the first and the beginning of the second",
	Needs: sequence.NeedAttentions | sequence.NeedChains,
	Keys: []sequence.Key{
		{Name: "cross_chain/cross_frac", About: "share of the attention among residues that crosses the chains",
			Direction: report.Neither, High: 1, Compared: true},
		{Name: "cross_chain/interface_frac",
			About:     "share of the attention between the end of the first chain and the beginning of the second",
			Direction: report.Neither, High: 1, Compared: true},
		{Name: "cross_chain/cross_expected",
			About:     "share of attention that crosses the chains if attention is spread evenly",
			Direction: report.Neither, High: 1},
		{Name: "cross_chain/interface_expected",
			About:     "share between the end of the first chain and the beginning of the second if attention is spread evenly",
			Direction: report.Neither, High: 1},
		{Name: "cross_chain/heavy_to_light",
			About:     "share of the attention of the heavy chain that goes to the light chain",
			Direction: report.Neither, High: 1},
		{Name: "cross_chain/light_to_heavy",
			About:     "share of the attention of the light chain that goes to the heavy chain",
			Direction: report.Neither, High: 1},
	},
	Options: []sequence.Option{
		{Name: "num_layers", About: "number of last layers to average over, with all heads; null: " +
			"all", Check: atLeastOrNull(1)},
		{Name: "interface", Default: contact.Interface, Check: atLeast(1),
			About: "number of residues at the end of the heavy chain and at the beginning of the light chain"},
	},
	Files: []sequence.CSVFile{{Name: "sequence_attention.csv",
		Columns: []string{"layer", "head", "cross_frac", "interface_frac", "cross_expected", "interface_expected"}}},
	New: func(s *sequence.Setting) sequence.Metric {
		o := s.Options["cross_chain"]
		m := &crossingMetric{joint: o["interface"].(int), sequences: sequence.NewSequenceSums(crossingSums)}
		m.layers, _ = o["num_layers"].(int)
		return m
	},
}

// The columns of a sequence: masses of the mean over heads.
const (
	massTotal = iota
	massHeavy
	massHeavyToLight
	massLightToHeavy
	massJoint
	massExpected
	massExpectedJoint
	crossingSums
)

// crossingMetric adds up attention.
type crossingMetric struct {
	layers, joint int
	sequences     sequence.Sums
	heads         HeadSums
}

// HeadSums are the shares of every head, summed over sequences in units of 2⁻⁴⁰, so that sums do not depend on
// their order. They hold 8 million sequences.
type HeadSums struct {
	Layers, Heads int
	Sequences     int64
	Sums          []int64 // [Layers, Heads, 4]: cross, joint and the expected values of both
}

const headUnit = 1 << 40

// Update adds the sequences of a batch.
func (m *crossingMetric) Update(_ context.Context, b *sequence.Batch) error {
	for _, it := range b.Items {
		if err := m.add(it); err != nil {
			return fmt.Errorf("sequence %s: %w", it.ID, err)
		}
	}
	return nil
}

// add adds one sequence; one that has a single chain counts nothing.
func (m *crossingMetric) add(it *sequence.Item) error {
	var chains [2][]int
	for _, i := range it.Residues() {
		chains[it.Chains[i]] = append(chains[it.Chains[i]], i)
	}
	out, n := it.Clean, len(it.Tokens)
	if out == nil || len(out.Attentions) == 0 {
		return fmt.Errorf("no attention")
	}
	if len(chains[0]) == 0 || len(chains[1]) == 0 {
		m.sequences.Add(make([]float64, crossingSums)...)
		return nil
	}
	if m.layers > out.Layers {
		return fmt.Errorf("cross_chain.num_layers is %d, but the attention has %d layers", m.layers, out.Layers)
	}
	first := 0
	if m.layers > 0 {
		first = out.Layers - m.layers
	}
	if err := m.heads.fit(out.Layers, out.Heads); err != nil {
		return err
	}
	var sum contact.Attention
	for h := range out.Layers * out.Heads {
		a, err := contact.Crossing(out.Attentions[h*n*n:(h+1)*n*n], n, chains[0], chains[1], m.joint)
		if err != nil {
			return fmt.Errorf("layer %d, head %d: %w", h/out.Heads, h%out.Heads, err)
		}
		m.heads.add(h, a)
		if h/out.Heads >= first {
			sum.Add(a)
		}
	}
	m.heads.Sequences++
	scale := 1 / float64((out.Layers-first)*out.Heads)
	m.sequences.Add(sum.Total*scale, sum.First*scale, sum.FirstToSecond*scale, sum.SecondToFirst*scale, sum.Joint*scale,
		sum.Expected*scale,
		sum.ExpectedJoint*scale)
	return nil
}

// fit makes room for the heads of a model, which are as many for every sequence.
func (h *HeadSums) fit(layers, heads int) error {
	if h.Sums == nil {
		h.Layers, h.Heads, h.Sums = layers, heads, make([]int64, 4*layers*heads)
	}
	if h.Layers != layers || h.Heads != heads {
		return fmt.Errorf("the attention has %d layers with %d heads, but earlier sequences have %d with "+
			"%d", layers, heads, h.Layers, h.Heads)
	}
	return nil
}

// add adds the shares of a head.
func (h *HeadSums) add(head int, a *contact.Attention) {
	if a.Total == 0 {
		return
	}
	for k, mass := range []float64{a.Cross(), a.Joint, a.Expected, a.ExpectedJoint} {
		h.Sums[4*head+k] += int64(math.Round(mass / a.Total * headUnit))
	}
}

// Merge adds what another accumulated over sequences that follow.
func (m *crossingMetric) Merge(other sequence.Metric) error {
	o, ok := other.(*crossingMetric)
	if !ok {
		return fmt.Errorf("cannot merge: the metrics are of different kinds")
	}
	if err := m.sequences.Append(&o.sequences); err != nil {
		return err
	}
	if o.heads.Sums == nil {
		return nil
	}
	if err := m.heads.fit(o.heads.Layers, o.heads.Heads); err != nil {
		return err
	}
	m.heads.Sequences += o.heads.Sequences
	for k, v := range o.heads.Sums {
		m.heads.Sums[k] += v
	}
	return nil
}

// Reset forgets all sequences.
func (m *crossingMetric) Reset() {
	m.sequences.Reset()
	m.heads = HeadSums{}
}

// crossingState is what shards write.
type crossingState struct {
	Sequences []byte
	Heads     HeadSums
}

// MarshalBinary is the state that shards write.
func (m *crossingMetric) MarshalBinary() ([]byte, error) {
	data, err := m.sequences.MarshalBinary()
	if err != nil {
		return nil, err
	}
	return shard.Encode(crossingState{data, m.heads})
}

// UnmarshalBinary reads what MarshalBinary wrote.
func (m *crossingMetric) UnmarshalBinary(data []byte) error {
	var s crossingState
	if err := shard.Decode(data, &s); err != nil {
		return err
	}
	if len(s.Heads.Sums) != 4*s.Heads.Layers*s.Heads.Heads {
		return fmt.Errorf(
			"the state has %d sums for %d layers with %d heads", len(s.Heads.Sums), s.Heads.Layers, s.Heads.Heads)
	}
	m.heads = s.Heads
	return m.sequences.UnmarshalBinary(s.Sequences)
}

// Result enters the shares.
func (m *crossingMetric) Result(_ context.Context, s *sequence.Summary) error {
	c := m.sequences.Column
	total := c(massTotal)
	if stat.Sum(total) == 0 {
		return sequence.Skip("no sequence has two chains with attention among their residues")
	}
	cross := columnSum(c(massHeavyToLight), c(massLightToHeavy))
	heavy := c(massHeavy)
	light := make([]float64, len(total))
	for i := range light {
		light[i] = total[i] - heavy[i]
	}
	for _, direction := range []struct {
		key     string
		masses  []float64
		through []float64
	}{
		{"cross_frac", cross, total}, {"interface_frac", c(massJoint), total},
		{"cross_expected", c(massExpected), total}, {"interface_expected", c(massExpectedJoint), total},
		{"heavy_to_light", c(massHeavyToLight), heavy}, {"light_to_heavy", c(massLightToHeavy), light},
	} {
		if err := s.Ratio("cross_chain/"+direction.key, direction.masses, direction.through); err != nil {
			return err
		}
	}
	s.SequenceRatio("cross_chain/cross_frac", cross, total)
	s.SequenceRatio("cross_chain/interface_frac", c(massJoint), total)
	s.Keep("attention", &m.heads)
	table := s.Table("sequence_attention.csv")
	for h := range m.heads.Layers * m.heads.Heads {
		row := []any{h / m.heads.Heads, h % m.heads.Heads}
		for k := range 4 {
			row = append(row, report.Number(m.heads.Share(h, k)))
		}
		table.Row(row...)
	}
	return nil
}

// Share is the mean over sequences of a share of a head.
func (h *HeadSums) Share(head, k int) float64 {
	return float64(h.Sums[4*head+k]) / headUnit / float64(h.Sequences)
}

// columnSum is the sum of two columns.
func columnSum(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range out {
		out[i] = a[i] + b[i]
	}
	return out
}
