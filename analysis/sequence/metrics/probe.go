// Probes: what can be read out of hidden states by logistic regressions that have not seen the sequence.

package metrics

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/analysis/sequence"
	"repscope/internal/text"
	"repscope/measure/probe"
	"repscope/measure/token"
	"repscope/points"
	"repscope/report"
	"repscope/shard"
	"repscope/stat"
)

// chainProbe tells the chains apart by their mean hidden states.
var chainProbe = probeTask{
	name: "chain_probe", about: "probe of the mean hidden state of a chain: which chain it is", most: 2,
	needs: sequence.NeedChains, classes: func(*probeMetric) int { return 2 }, rows: (*probeMetric).chains,
}.kind()

// positionProbe finds the third of the chain that a residue lies in.
var positionProbe = probeTask{
	name: "position_probe", about: "probe of the hidden state of a residue: in which third of its chain it lies", most: 10,
	sampled: true, classes: func(m *probeMetric) int { return m.bins }, rows: (*probeMetric).positions,
	options: []sequence.Option{{Name: "n_bins", Default: 3, About: "number of parts of a chain", Check: atLeast(2)}},
}.kind()

// cdrProbe tells residues of CDRs from others.
var cdrProbe = probeTask{
	name: "cdr_probe", about: "probe of the hidden state of a residue: whether it lies in a CDR", most: 20,
	sampled: true, needs: sequence.NeedRegions, classes: func(*probeMetric) int { return 2 },
	rows: func(m *probeMetric, it *sequence.Item) { m.cdrs(it, func(cdr int8) int { return min(int(cdr), 1) }) },
}.kind()

// cdrClassProbe tells the CDRs apart, too.
var cdrClassProbe = probeTask{
	name: "cdr_probe_class", about: "probe of the hidden state of a residue: in which CDR it lies, if any", most: 20,
	sampled: true, needs: sequence.NeedRegions, classes: func(*probeMetric) int { return 4 },
	rows: func(m *probeMetric, it *sequence.Item) { m.cdrs(it, func(cdr int8) int { return int(cdr) }) },
}.kind()

// probeTask is what a probe reads.
type probeTask struct {
	name, about string
	most        int  // rows of a sequence
	sampled     bool // most is an option
	needs       sequence.Needs
	options     []sequence.Option
	classes     func(m *probeMetric) int
	rows        func(m *probeMetric, it *sequence.Item) // adds the rows of a sequence
}

// The numbers of a probe, after its name.
const (
	ofBalanced    = "_balanced"
	ofBaseline    = "_baseline"
	ofControl     = "_control"
	ofSelectivity = "_selectivity"
)

// kind is the row of the registry.
func (t probeTask) kind() sequence.Kind {
	share := func(suffix, score string, direction report.Direction) sequence.Key {
		return sequence.Key{Name: t.name + suffix, About: t.about + " (" + score + ")", Direction: direction, High: 1,
			Compared: direction == report.Higher}
	}
	k := sequence.Kind{Name: t.name, About: t.about, Needs: sequence.NeedHidden | t.needs, Holds: true,
		Keys: []sequence.Key{share("", "accuracy", report.Higher),
			share(ofBalanced, "mean accuracy over classes", report.Higher),
			share(ofBaseline, "share of the most common class", report.Neither),
			share(ofControl, "accuracy with shuffled training labels", report.Neither),
			{Name: t.name + ofSelectivity, About: t.about + " (accuracy minus accuracy with shuffled training labels)",
				Direction: report.Higher, Low: -1, High: 1}},
		Options: []sequence.Option{
			{Name: "n_train", Default: 0, About: "number of training sequences per fold; 0: all sequences of the " +
				"other folds", Check: atLeast(0)},
			{Name: "regularization", Default: 1.0, About: "strength of the L2 penalty; 1/C in " +
				"scikit-learn", Check: positive},
			{Name: "max_rows", Default: 100_000, About: "approximate limit of rows, in whole sequences drawn with " +
				"--seed; 0: all", Check: atLeast(0)},
		},
		New: func(s *sequence.Setting) sequence.Metric { return newProbe(&t, s) },
	}
	k.Options = append(k.Options, t.options...)
	if t.sampled {
		k.Options = append(k.Options, sequence.Option{Name: "sample_per_seq", Default: t.most, About: "number of " +
			"residues per sequence, drawn with --seed", Check: atLeast(1)})
	}
	return k
}

// probeMetric collects rows of hidden states.
type probeMetric struct {
	task                   *probeTask
	set                    *sequence.Setting
	bins, samples, largest int
	state                  probeState
	free                   []float32 // of the last piece of memory
}

// probeState is what shards write.
type probeState struct {
	Dim int
	// Cluster, Group and Count describe the sequences that are read: Count is their number of rows.
	Cluster, Group, Count []int
	Class                 []int       // of every row
	Rows                  [][]float32 // float32, as models answer
}

func newProbe(t *probeTask, s *sequence.Setting) *probeMetric {
	m := &probeMetric{task: t, set: s, samples: t.most}
	m.largest = m.option("max_rows").(int)
	if t.sampled {
		m.samples = m.option("sample_per_seq").(int)
	}
	if slices.ContainsFunc(t.options, func(o sequence.Option) bool { return o.Name == "n_bins" }) {
		m.bins = m.option("n_bins").(int)
	}
	return m
}

func (m *probeMetric) option(name string) any { return m.set.Options[m.task.name][name] }

// share is the part of the sequences that is read.
func (m *probeMetric) share() float64 {
	if m.largest == 0 {
		return 1
	}
	return min(1, float64(m.largest)/(float64(m.set.Sequences)*float64(m.samples)))
}

// tooLarge says why the rows do not fit into memory; empty if they do.
func (m *probeMetric) tooLarge() string {
	rows := m.share() * float64(m.set.Sequences) * float64(m.samples)
	row := 4*float64(m.state.Dim) + 64
	if m.set.Memory <= 0 || rows*row <= float64(m.set.Memory) {
		return ""
	}
	return fmt.Sprintf("%.0f rows of %d numbers take %s, more than its share %s of --memory: raise --memory, or "+
		"set --set %s.max_rows=%.0f",
		rows, m.state.Dim, text.Bytes(int64(rows*row)), text.Bytes(m.set.Memory), m.task.name,
		math.Floor(float64(m.set.Memory)/row))
}

// What the stream of probes draws.
const (
	drawSequences = iota
	drawResidues
	drawFolds
	drawTraining
	drawControl
)

func (m *probeMetric) random(what int, coordinates ...uint64) *stat.Random {
	return stat.NewRandom(stat.StreamProbe.Key(m.set.Seed, append([]uint64{uint64(what)}, coordinates...)...))
}

// Update adds the rows of sequences.
func (m *probeMetric) Update(_ context.Context, b *sequence.Batch) error {
	for _, it := range b.Items {
		dim := len(it.Clean.Hidden) / len(it.Tokens)
		if m.state.Dim == 0 {
			m.state.Dim = dim
		}
		if dim != m.state.Dim || dim*len(it.Tokens) != len(it.Clean.Hidden) {
			return fmt.Errorf("sequence %s: %d hidden values for %d tokens; other sequences have %d per "+
				"token", it.ID, len(it.Clean.Hidden), len(it.Tokens), m.state.Dim)
		}
		if share := m.share(); share < 1 && m.random(drawSequences, token.SequenceKey(it.ID)).Float64() >= share || m.tooLarge() != "" {
			continue
		}
		before := len(m.state.Rows)
		m.task.rows(m, it)
		added := m.state.Rows[before:]
		if len(added) == 0 {
			continue
		}
		for _, row := range added {
			for k, v := range row {
				if v-v != 0 {
					return fmt.Errorf("sequence %s: hidden state %d of a token is %v, want finite numbers", it.ID, k, v)
				}
			}
		}
		m.state.Cluster, m.state.Group, m.state.Count = append(m.state.Cluster, it.Cluster), append(m.state.Group, it.Group), append(m.state.Count, len(added))
	}
	return nil
}

// pieceRows is the most rows that memory is taken for at a time.
const pieceRows = 1024

// add adds a row, which the caller fills.
func (m *probeMetric) add(class int) []float32 {
	dim := m.state.Dim
	if len(m.free) < dim {
		m.free = make([]float32, dim*min(pieceRows, max(16, len(m.state.Rows))))
	}
	row := m.free[:dim:dim]
	m.free = m.free[dim:]
	m.state.Rows, m.state.Class = append(m.state.Rows, row), append(m.state.Class, class)
	return row
}

// chains adds the mean hidden state of every chain.
func (m *probeMetric) chains(it *sequence.Item) {
	dim := m.state.Dim
	for chain := range int8(2) {
		mean, count := make([]float64, dim), 0.0
		for i, c := range it.Chains {
			if c != chain || it.Special[i] {
				continue
			}
			for k, v := range it.Clean.Hidden[i*dim : (i+1)*dim] {
				mean[k] += float64(v)
			}
			count++
		}
		if count == 0 {
			continue
		}
		row := m.add(int(chain))
		for k, v := range mean {
			row[k] = float32(v / count)
		}
	}
}

// draw adds some of the residues of a list, each with its class.
func (m *probeMetric) draw(it *sequence.Item, residues, class []int) {
	drawn, _ := m.random(drawResidues, token.SequenceKey(it.ID)).SampleWithoutReplacement(len(residues), m.samples)
	for _, at := range drawn {
		i := residues[at]
		copy(m.add(class[at]), it.Clean.Hidden[i*m.state.Dim:(i+1)*m.state.Dim])
	}
}

// positions draws residues with the part of their chain.
func (m *probeMetric) positions(it *sequence.Item) {
	var length, next [2]int
	for i, c := range it.Chains {
		if !it.Special[i] {
			length[c]++
		}
	}
	var residues, class []int
	for i, c := range it.Chains {
		if it.Special[i] {
			continue
		}
		residues, class = append(residues, i), append(class, next[c]*m.bins/length[c])
		next[c]++
	}
	m.draw(it, residues, class)
}

// cdrs draws residues of chains whose CDRs are known.
func (m *probeMetric) cdrs(it *sequence.Item, classOf func(cdr int8) int) {
	if it.CDR == nil {
		return
	}
	var labeled [2]bool
	for i, c := range it.Chains {
		labeled[c] = labeled[c] || it.CDR[i] > 0 && !it.Special[i]
	}
	var residues, class []int
	for i, c := range it.Chains {
		if labeled[c] && !it.Special[i] {
			residues, class = append(residues, i), append(class, classOf(it.CDR[i]))
		}
	}
	m.draw(it, residues, class)
}

// Merge adds the rows of sequences that follow.
func (m *probeMetric) Merge(other sequence.Metric) error {
	o, ok := other.(*probeMetric)
	if !ok || o.task.name != m.task.name {
		return fmt.Errorf("cannot merge: the metrics are of different kinds")
	}
	s, with := &m.state, &o.state
	if s.Dim != with.Dim && s.Dim != 0 && with.Dim != 0 {
		return fmt.Errorf("hidden states have %d values, but others have %d", with.Dim, s.Dim)
	}
	s.Dim = max(s.Dim, with.Dim)
	s.Cluster, s.Group, s.Count = append(s.Cluster, with.Cluster...), append(s.Group, with.Group...), append(s.Count, with.Count...)
	s.Class, s.Rows = append(s.Class, with.Class...), append(s.Rows, with.Rows...)
	return nil
}

// Reset forgets all sequences.
func (m *probeMetric) Reset() { m.state, m.free = probeState{}, nil }

// MarshalBinary is the state that shards write.
func (m *probeMetric) MarshalBinary() ([]byte, error) { return shard.Encode(m.state) }

// UnmarshalBinary reads what MarshalBinary wrote.
func (m *probeMetric) UnmarshalBinary(data []byte) error {
	m.Reset()
	if err := shard.Decode(data, &m.state); err != nil {
		return err
	}
	s, rows := &m.state, 0
	for _, n := range s.Count {
		rows += n
	}
	if len(s.Cluster) != len(s.Count) || len(s.Group) != len(s.Count) || len(s.Rows) != rows || len(s.Class) != rows {
		return fmt.Errorf("%w: a probe of %d rows and %d classes for %d", shard.ErrDamaged, len(s.Rows), len(s.Class), rows)
	}
	for _, row := range s.Rows {
		if len(row) != s.Dim {
			return fmt.Errorf("%w: a row of %d numbers, want %d", shard.ErrDamaged, len(row), s.Dim)
		}
	}
	return nil
}

// Result fits the probe, and its control.
func (m *probeMetric) Result(ctx context.Context, s *sequence.Summary) error {
	if why := m.tooLarge(); why != "" {
		return sequence.Skip("%s", why)
	}
	data, group, err := m.data()
	if err != nil {
		return err
	}
	o := probe.FixedOptions{C: 1 / m.option("regularization").(float64), Effects: s.Groups() > 0, Threads: m.set.Threads}
	task, err := m.fit(ctx, data, o)
	if err != nil {
		return err
	}
	shuffled := data
	shuffled.Class = make([]int, len(data.Class))
	for i, k := range m.random(drawControl).Perm(len(data.Class)) {
		shuffled.Class[i] = data.Class[k]
	}
	control, err := m.fit(ctx, shuffled, o)
	if err != nil {
		return err
	}
	return m.enter(s, data, group, task, control)
}

// fit fits a head for every fold.
func (m *probeMetric) fit(ctx context.Context, data probe.FixedData,
	o probe.FixedOptions) (*probe.FixedCrossFit, error) {
	fit, err := probe.CrossFitFixed(ctx, data, o)
	if err != nil {
		return nil, err
	}
	for f, h := range fit.Heads {
		if !h.Converged {
			return nil, sequence.Skip("the probe of fold %d did not converge", f)
		}
	}
	return fit, nil
}

// data are the rows with folds that keep clusters together, and the group of every row.
func (m *probeMetric) data() (data probe.FixedData, group []int, err error) {
	st := &m.state
	data = probe.FixedData{Rows: st.Rows, Class: st.Class, Classes: m.task.classes(m)}
	if len(slices.Compact(slices.Sorted(slices.Values(st.Class)))) < 2 {
		return data, nil, sequence.Skip("%s do not contain two classes", text.Count(len(st.Rows), "row"))
	}
	clusters, count := points.Numbered(st.Cluster)
	if count < 2 {
		return data, nil, sequence.Skip("needs two sequences of different clusters")
	}
	order := m.random(drawFolds).Perm(count)
	sequence := make([]int, 0, len(st.Rows))
	for i, n := range st.Count {
		for range n {
			data.Groups, group, sequence = append(data.Groups, order[clusters[i]]), append(group, st.Group[i]), append(sequence, i)
		}
	}
	if data.Folds, err = probe.GroupFolds(data.Groups, min(probe.DefaultFolds, count)); err != nil {
		return data, nil, err
	}
	if n := m.option("n_train").(int); n > 0 {
		data.Train = m.training(data.Folds, sequence, n)
	}
	return data, group, nil
}

// training are the rows of n sequences of other folds, for every fold: those that come first in an order
// that is drawn.
func (m *probeMetric) training(folds, sequence []int, n int) [][]int {
	foldOf := make([]int, len(m.state.Count)) // fold of every sequence
	for i, q := range sequence {
		foldOf[q] = folds[i]
	}
	order := m.random(drawTraining).Perm(len(foldOf))
	out := make([][]int, slices.Max(folds)+1)
	for f := range out {
		chosen, rest := make([]bool, len(foldOf)), n
		for _, q := range order {
			if foldOf[q] != f && rest > 0 {
				chosen[q] = true
				rest--
			}
		}
		for i, q := range sequence {
			if chosen[q] {
				out[f] = append(out[f], i)
			}
		}
	}
	return out
}

// enter enters the numbers.
func (m *probeMetric) enter(s *sequence.Summary, data probe.FixedData, group []int,
	task, control *probe.FixedCrossFit) error {
	name, parts := m.task.name, max(s.Groups(), slices.Max(group)+1)
	independent := probe.Groups(data.Groups)
	one := func(suffix string, fit *probe.FixedCrossFit, statistic func(probe.FixedScores) float64) (*stat.Jackknifed, error) {
		all, without := fit.Without(group, parts)
		j, err := s.Jackknife(statistic(all), func(g int) float64 { return statistic(without[g]) })
		if err != nil {
			return nil, err
		}
		value := statistic(all)
		if math.IsNaN(value) {
			s.Undefined(name+suffix, "only one class occurs")
			return j, nil
		}
		switch {
		case j == nil:
		case j.StdError > 0 && value > 0 && value < 1:
			j.AsShare(len(group))
		default: // all or none are right: the error follows from the number of clusters alone
			j.AsShare(independent)
		}
		s.Estimate(name+suffix, value, j)
		return j, nil
	}
	accuracy := func(v probe.FixedScores) float64 { return v.Accuracy }
	right, err := one("", task, accuracy)
	if err != nil {
		return err
	}
	if _, err = one(ofBalanced, task, func(v probe.FixedScores) float64 { return v.Balanced }); err != nil {
		return err
	}
	if _, err = one(ofBaseline, task.Baseline(), accuracy); err != nil {
		return err
	}
	chance, err := one(ofControl, control, accuracy)
	if err != nil {
		return err
	}
	a, _ := task.Without(group, parts)
	b, _ := control.Without(group, parts)
	var selectivity *stat.Jackknifed
	if right != nil {
		if selectivity, err = stat.Combine(func(v []float64) float64 { return v[0] - v[1] }, right, chance); err != nil {
			return err
		}
	}
	s.Estimate(name+ofSelectivity, a.Accuracy-b.Accuracy, selectivity)
	s.Object.Set(name+"_rows", len(group))
	s.Object.Set(name+"_sequences", len(m.state.Count))
	return nil
}
