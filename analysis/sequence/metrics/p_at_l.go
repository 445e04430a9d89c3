// Contact precision: whether the pairs of residues that attention, or scores of the model's
// own, rank first touch in the structure.

package metrics

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"repscope/analysis/internal/results"
	"repscope/analysis/sequence"
	"repscope/analysis/sequence/internal/groups"
	"repscope/measure/contact"
	"repscope/report"
	"repscope/shard"
	"repscope/stat"
)

// contactPrecision is P@L and its like.
var contactPrecision = sequence.Kind{
	Name: "p_at_l", Aliases: []string{"contact_precision"},
	About: "precision of contact prediction: share of contacts among the L residue pairs ranked first by attention",
	Needs: sequence.NeedCoordinates, Either: sequence.NeedAttentions | sequence.NeedContactScores,
	Keys: contactKeys(),
	Options: []sequence.Option{
		{Name: "contact_threshold", Alias: "threshold", Default: contact.Threshold, Check: positive,
			About: "contact distance in ångström between the given atoms (Cα or Cβ)"},
		{Name: "min_seq_sep", Default: 6, About: "smallest separation |i − j| of pairs, without special " +
			"tokens", Check: atLeast(1)},
		{Name: "num_layers", Check: atLeastOrNull(1),
			About: "number of last layers to average over, with all heads; null: a tenth of the layers, at least one"},
		{Name: "scores", Default: scoresAuto, About: "attention, given (contact scores of a dump), or auto: given " +
			"if available",
			Check: oneOf(scoresAuto, scoresAttention, ScoresGiven)},
		{Name: "logistic", Default: false, About: "also fit logistic regressions on the heads of all layers, " +
			"tested on other sequences"},
		{Name: "logistic_sequences", Default: 20, About: "number of sequences to fit and test the regressions " +
			"on", Check: atLeast(2)},
		{Name: "logistic_penalty", Default: string(contact.L1), About: "l1 or l2", Check: oneOf(string(contact.L1), string(contact.L2))},
		{Name: "logistic_c", Default: contact.DefaultC, About: "inverse penalty C, as in scikit-learn", Check: positive},
		{Name: "logistic_folds", Default: 5, About: "number of folds; clusters are not split", Check: atLeast(2)},
	},
	Files: []sequence.CSVFile{{Name: "sequence_contacts.csv", Columns: []string{"scores", "range", "depth", "precision", "low", "high", "chance"}}},
	New:   newContactMetric,
}

// The values of the option scores.
const (
	scoresAuto      = "auto"
	scoresAttention = "attention"
	ScoresGiven     = "given"
)

// contactSums are the columns of one range of pairs: hits and depths of every step, then these.
const (
	sumPairs = 2*contact.Steps + iota
	sumContacts
	sumAUC
	sumPrecision
	sumDefined // sequences with pairs of the range
	contactSums
)

// contactScore is a score of a range by its sums.
type contactScore struct {
	name   string
	about  string
	of     func(sums []float64) float64
	chance bool // it is no score of the model
}

// contactScores are the scores of every range.
var contactScores = []contactScore{
	{name: "p_at_l", about: "share of contacts among the first L pairs", of: pooled(contact.Steps)},
	{name: "p_at_l_macro", about: "mean over sequences of the share of contacts among the first L pairs",
		of: func(s []float64) float64 { return s[sumPrecision] / s[sumDefined] }},
	{name: "p_at_l2", about: "share of contacts among the first L/2 pairs", of: pooled(contact.Steps / 2)},
	{name: "p_at_l5", about: "share of contacts among the first L/5 pairs", of: pooled(contact.Steps / 5)},
	{name: "auc", about: "mean over sequences of the area under the precision by depth of pairs",
		of: func(s []float64) float64 { return s[sumAUC] / s[sumDefined] }},
	{name: "chance", about: "share of contacts among all pairs", chance: true,
		of: func(s []float64) float64 { return s[sumContacts] / s[sumPairs] }},
}

// pooled is the precision among the first k·L/10 pairs of all sequences together.
func pooled(k int) func(sums []float64) float64 {
	return func(s []float64) float64 { return s[k-1] / s[contact.Steps+k-1] }
}

// ContactKey is the key of a score of a range.
func ContactKey(logistic bool, pairs, score string) string {
	prefix := ""
	if logistic {
		prefix = "_logistic"
	}
	if pairs == "all" && score == "p_at_l" {
		return "p_at_l" + prefix
	}
	return "contacts" + prefix + "/" + pairs + "/" + score
}

// aboutPairs says which pairs are in a range; least is the least separation of any pair.
func aboutPairs(r contact.Range, least int) string {
	switch {
	case r.Chains == contact.SameChain:
		return "pairs inside a chain"
	case r.Chains == contact.TwoChains:
		return "pairs between the chains"
	case r.Max > 0:
		return fmt.Sprintf("pairs %d to %d residues apart", r.Min, r.Max-1)
	case r.Min > least:
		return fmt.Sprintf("pairs %d or more residues apart", r.Min)
	}
	return "pairs"
}

// aboutContacts says what a score of such pairs measures.
func (s *contactScore) aboutContacts(pairs string, logistic bool) string {
	about := strings.Replace(s.about, "pairs", pairs, 1)
	switch {
	case s.chance:
		return about
	case logistic:
		return about + ", ranked by a regression on the heads of all layers"
	}
	return about + ", ranked by attention"
}

// contactKeys are the keys of all ranges and of both kinds of scores.
func contactKeys() []sequence.Key {
	var keys []sequence.Key
	const least = 1
	for _, logistic := range []bool{false, true} {
		for _, r := range contact.Standard(least) {
			for _, score := range contactScores {
				k := sequence.Key{Name: ContactKey(logistic, r.Name, score.name),
					About:     score.aboutContacts(aboutPairs(r, least), logistic),
					Direction: report.Higher, High: 1}
				if score.chance {
					k.Direction = report.Neither
				}
				k.Compared = !logistic && score.name == "p_at_l" && (r.Name == "all" || r.Name == "long")
				keys = append(keys, k)
			}
		}
	}
	return keys
}

// contactOptions are the values of the options.
type contactOptions struct {
	threshold        float64
	least, layers    int
	scores           string
	logistic         bool
	sequences, folds int
	regression       contact.LogisticOptions
}

// contactMetric adds up the hits of every range.
type contactMetric struct {
	setting *sequence.Setting
	contactOptions
	ranges []contact.Range
	chosen map[int]bool // sequences of the regression

	byGroup    sequence.Sums // contactSums of every range
	bySequence sequence.Sums // hits and depth of the first L pairs
	missing    int           // sequences without the scores that the options ask for
	given      int           // sequences with scores of the model's own
	shown      *ContactMap
	sample     contactSample
}

func newContactMetric(s *sequence.Setting) sequence.Metric {
	o := s.Options["p_at_l"]
	m := &contactMetric{setting: s, bySequence: sequence.NewSequenceSums(2)}
	m.threshold, m.least = o["contact_threshold"].(float64), o["min_seq_sep"].(int)
	m.layers, _ = o["num_layers"].(int)
	m.scores = o["scores"].(string)
	m.logistic, m.sequences, m.folds = o["logistic"].(bool), o["logistic_sequences"].(int), o["logistic_folds"].(int)
	m.regression = contact.LogisticOptions{Penalty: contact.Penalty(o["logistic_penalty"].(string)), C: o["logistic_c"].(float64),
		Least: m.least, Threads: s.Threads}
	m.ranges = contact.Standard(m.least)
	m.byGroup = sequence.NewSums(contactSums * len(m.ranges))
	if m.logistic {
		m.chosen = chooseContacts(s, m.sequences)
	}
	return m
}

// structureOf are the contacts of the residues of a sequence.
func (m *contactMetric) structureOf(r *sequence.Record, residues []int) (*contact.Contacts, error) {
	xyz := make([]float32, 0, 3*len(residues))
	chains := make([]int8, 0, len(residues))
	for _, i := range residues {
		chains = append(chains, r.Chains[i])
		if r.Coordinates == nil {
			nan := float32(math.NaN())
			xyz = append(xyz, nan, nan, nan)
		} else {
			xyz = append(xyz, r.Coordinates[3*i:3*i+3]...)
		}
	}
	truth, err := contact.Truth(xyz, m.threshold)
	if err != nil {
		return nil, err
	}
	truth.Chains = chains
	return truth, nil
}

// Update adds the sequences of a batch.
func (m *contactMetric) Update(_ context.Context, b *sequence.Batch) error {
	for _, it := range b.Items {
		if err := m.add(it); err != nil {
			return fmt.Errorf("sequence %s: %w", it.ID, err)
		}
	}
	return nil
}

// add adds one sequence.
func (m *contactMetric) add(it *sequence.Item) error {
	residues := it.Residues()
	truth, err := m.structureOf(it.Record, residues)
	if err != nil {
		return err
	}
	row := make([]float64, m.byGroup.Width)
	var scores *contact.Scores
	if truth.Resolved > 0 {
		if scores, err = m.scored(it, residues); err != nil {
			return err
		}
	}
	if scores == nil {
		m.byGroup.Add(row...)
		m.bySequence.Add(0, 0)
		return nil
	}
	ranked, err := contact.Precisions(scores, truth, m.ranges)
	if err != nil {
		return err
	}
	contactRow(row, ranked)
	m.byGroup.Add(row...)
	m.bySequence.Add(row[contact.Steps-1], row[2*contact.Steps-1])
	m.show(it, truth, scores)
	if m.chosen[it.Index] && len(it.Clean.Attentions) > 0 {
		return m.sample.add(it, residues, truth, m.setting.Memory/2)
	}
	return nil
}

// contactRow fills the sums of every range.
func contactRow(row []float64, ranked []contact.Precision) {
	for k := range ranked {
		p, sums := &ranked[k], row[k*contactSums:(k+1)*contactSums]
		if p.Pairs == 0 {
			continue
		}
		for step := range contact.Steps {
			sums[step], sums[contact.Steps+step] = p.Hits[step], float64(p.Depth[step])
		}
		sums[sumPairs], sums[sumContacts] = float64(p.Pairs), float64(p.Contacts)
		sums[sumAUC], sums[sumPrecision], sums[sumDefined] = p.AUC(), p.At(contact.Steps), 1
	}
}

// scored are the scores of the pairs of a sequence; nil where there are not those that the options
// ask for, which is counted.
func (m *contactMetric) scored(it *sequence.Item, residues []int) (*contact.Scores, error) {
	out := it.Clean
	n := len(it.Tokens)
	switch {
	case out != nil && m.scores != scoresAttention && len(out.ContactScores) > 0:
		m.given++
		return contact.Given(out.ContactScores, n, residues)
	case out == nil || m.scores == ScoresGiven || len(out.Attentions) == 0:
		m.missing++
		return nil, nil
	}
	last := m.layers
	if last == 0 {
		last = max(1, (out.Layers+9)/10)
	}
	if last > out.Layers {
		return nil, fmt.Errorf("p_at_l.num_layers is %d, but the attention has %d layers", last, out.Layers)
	}
	return contact.Heads(out.Attentions[(out.Layers-last)*out.Heads*n*n:], last*out.Heads, n, residues)
}

// ContactMap are the contacts of a sequence that figures show.
type ContactMap struct {
	Index  int
	ID     string
	N      int
	First  int // residues of the first chain
	Least  int // separation of pairs
	Scores []float32
	Pairs  []int8
}

// shownAmong is the number of sequences at the beginning of a dataset among which the first with contacts is
// shown: a bound, so that states of parts of the work stay small.
const shownAmong = 16

// show keeps a sequence for figures if it is the first one with contacts.
func (m *contactMetric) show(it *sequence.Item, truth *contact.Contacts, scores *contact.Scores) {
	if it.Index >= shownAmong || m.shown != nil && m.shown.Index < it.Index || m.byGroupLast(sumContacts) == 0 {
		return
	}
	s := &ContactMap{Index: it.Index, ID: it.ID, N: truth.N, Least: m.least, Pairs: truth.Pairs,
		Scores: make([]float32, len(scores.Values))}
	for k, v := range scores.Values {
		s.Scores[k] = float32(v)
	}
	for _, chain := range truth.Chains {
		if chain == truth.Chains[0] {
			s.First++
		}
	}
	m.shown = s
}

// byGroupLast is a sum of all pairs of the sequence that was added last.
func (m *contactMetric) byGroupLast(k int) float64 {
	return m.byGroup.Rows[len(m.byGroup.Rows)-m.byGroup.Width+k]
}

func (m *contactMetric) EndGroup() { m.byGroup.EndGroup() }

// Merge adds what another accumulated over sequences that follow.
func (m *contactMetric) Merge(other sequence.Metric) error {
	o, ok := other.(*contactMetric)
	if !ok {
		return fmt.Errorf("cannot merge: the metrics are of different kinds")
	}
	if err := m.byGroup.Append(&o.byGroup); err != nil {
		return err
	}
	if err := m.bySequence.Append(&o.bySequence); err != nil {
		return err
	}
	m.missing += o.missing
	m.given += o.given
	if o.shown != nil && (m.shown == nil || o.shown.Index < m.shown.Index) {
		m.shown = o.shown
	}
	m.sample.merge(&o.sample, m.setting.Memory/2)
	return nil
}

// Reset forgets all sequences.
func (m *contactMetric) Reset() {
	m.byGroup.Reset()
	m.bySequence.Reset()
	m.missing, m.given, m.shown, m.sample = 0, 0, nil, contactSample{}
}

// contactState is what shards write.
type contactState struct {
	ByGroup, BySequence []byte
	Missing, Given      int
	Shown               *ContactMap
	Sample              contactSample
}

// MarshalBinary is the state that shards write.
func (m *contactMetric) MarshalBinary() ([]byte, error) {
	s := contactState{Missing: m.missing, Given: m.given, Shown: m.shown, Sample: m.sample}
	var err error
	if s.ByGroup, err = m.byGroup.MarshalBinary(); err != nil {
		return nil, err
	}
	if s.BySequence, err = m.bySequence.MarshalBinary(); err != nil {
		return nil, err
	}
	return shard.Encode(s)
}

// UnmarshalBinary reads what MarshalBinary wrote.
func (m *contactMetric) UnmarshalBinary(data []byte) error {
	var s contactState
	if err := shard.Decode(data, &s); err != nil {
		return err
	}
	if err := m.byGroup.UnmarshalBinary(s.ByGroup); err != nil {
		return err
	}
	if err := m.bySequence.UnmarshalBinary(s.BySequence); err != nil {
		return err
	}
	m.missing, m.given, m.shown, m.sample = s.Missing, s.Given, s.Shown, s.Sample
	return nil
}

// Result enters the precisions of every range.
func (m *contactMetric) Result(ctx context.Context, s *sequence.Summary) error {
	if m.missing > 0 {
		return sequence.Skip("p_at_l.scores is %s, but %d sequences lack it", m.scores, m.missing)
	}
	width := m.byGroup.Width
	rows := slices.Collect(slices.Chunk(m.byGroup.Rows, width))
	if rows == nil || stat.Sum(m.byGroup.Column(sumDefined)) == 0 {
		return sequence.Skip("no sequence has two residues with coordinates at least %d apart", m.least)
	}
	source := scoresAttention
	if m.given > 0 {
		source = ScoresGiven
	}
	s.Object.Set("contacts_scores", source)
	s.Object.Set("contacts_sequences", int(stat.Sum(m.byGroup.Column(sumDefined))))
	if err := m.enter(s, false, rows); err != nil {
		return err
	}
	s.SequenceRatio("p_at_l", m.bySequence.Column(0), m.bySequence.Column(1))
	if m.shown != nil {
		s.Keep("contacts", m.shown)
	}
	return m.enterLogistic(ctx, s)
}

// enter enters the scores of every range and the curves of precision: rows belong to groups.
func (m *contactMetric) enter(s *sequence.Summary, logistic bool, rows [][]float64) error {
	source := scoresAttention
	switch {
	case logistic:
		source = "logistic"
	case m.given > 0:
		source = ScoresGiven
	}
	table := s.Table("sequence_contacts.csv")
	curves := map[string]*ContactCurve{}
	for k, r := range m.ranges {
		var present [][]float64
		var which []int
		for g, row := range rows {
			if row[k*contactSums+sumDefined] > 0 {
				present, which = append(present, row[k*contactSums:(k+1)*contactSums]), append(which, g)
			}
		}
		total := make([]float64, contactSums)
		for _, row := range present {
			for i, v := range row {
				total[i] += v
			}
		}
		for _, score := range contactScores {
			key := ContactKey(logistic, r.Name, score.name)
			if len(present) == 0 {
				s.Undefined(key, "no pair of this range has coordinates")
				continue
			}
			j, err := jackknifeRows(s, present, total, score.of)
			if err != nil {
				return err
			}
			s.Estimate(key, score.of(total), j)
			s.Deleted(key, fmt.Sprint(which))
		}
		if len(present) == 0 {
			continue
		}
		curve := &ContactCurve{Chance: total[sumContacts] / total[sumPairs]}
		for step := 1; step <= contact.Steps; step++ {
			j, err := jackknifeRows(s, present, total, pooled(step))
			if err != nil {
				return err
			}
			ci := (&sequence.Key{High: 1}).Interval(j)
			curve.Precision = append(curve.Precision, report.Number(pooled(step)(total)))
			curve.Interval = append(curve.Interval, ci)
			low, high := results.Ends(ci)
			table.Row(source, r.Name, float64(step)/contact.Steps, curve.Precision[step-1], low, high, curve.Chance)
		}
		curves[r.Name] = curve
	}
	s.Keep(ContactKey(logistic, "all", "p_at_l"), curves)
	return nil
}

// ContactCurve is the precision among the first 0.1·L, 0.2·L, …, L pairs of a range.
type ContactCurve struct {
	Precision []report.Value
	Interval  []report.Interval
	Chance    float64
}

// jackknifeRows is the jackknife of a score of sums over groups with sequences that have it, of whose number
// the last sum tells: groups without structures say nothing of its error.
func jackknifeRows(s *sequence.Summary, rows [][]float64, total []float64,
	statistic func(sums []float64) float64) (*stat.Jackknifed, error) {
	if s.Groups() == 0 || len(rows) < 3 {
		return nil, nil
	}
	replicates, sizes := make([]float64, len(rows)), make([]int, len(rows))
	rest := make([]float64, len(total))
	for g, row := range rows {
		for i := range rest {
			rest[i] = total[i] - row[i]
		}
		replicates[g], sizes[g] = statistic(rest), int(row[sumDefined])
	}
	return groups.OfSizes(sizes).Jackknife(statistic(total), replicates)
}
