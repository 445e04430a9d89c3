// Effects of substitutions: what a model says of variants, against measurements.

package metrics

import (
	"context"
	"errors"
	"fmt"
	"math"

	"repscope/analysis/sequence"
	"repscope/measure/variant"
	"repscope/report"
	"repscope/shard"
	"repscope/stat"
)

// The scores of variants: scores of the model, then scores without one.
const (
	maskedMarginal = iota
	wildTypeMarginal
	deltaPLL
	blosum62Score
	frequencyScore
	germlineScore
	ScoreCount
)

var scoreNames = [ScoreCount]string{"masked_marginal", "wild_type_marginal", "delta_pll", "blosum62", "position_frequency", "germline_identity"}

// aboutScores describes the scores.
var aboutScores = [ScoreCount]string{"masked marginals", "wild-type marginals", "changes of the pseudo-log-likelihood",
	"BLOSUM62 scores", "position frequencies", "identity with the germline"}

// ModelScore reports whether a score is one of the model.
func ModelScore(score int) bool { return score < blosum62Score }

// scoreLevels are the means besides the one over functions, which has no suffix.
var scoreLevels = []struct {
	suffix, over string
	of           func(l *variant.Levels) float64
}{
	{"", "functions", func(l *variant.Levels) float64 { return l.FunctionMean }},
	{"_protein_mean", "proteins", func(l *variant.Levels) float64 { return l.ProteinMean }},
	{"_assay_mean", "assays", func(l *variant.Levels) float64 { return l.AssayMean }},
}

// substitutions is the agreement of scores of variants with measurements.
var substitutions = sequence.Kind{
	Name: "substitutions", Aliases: []string{"zero_shot", "mutation_effect"},
	About: "zero-shot scores of measured variants (--substitutions): masked and wild-type marginals, change of " +
		"pseudo-likelihood; rank correlation, NDCG, AUC, MCC, top recall",
	OwnGroups: true,
	Either:    sequence.NeedSingleLogits | sequence.NeedCleanLogits | sequence.NeedSingle,
	Keys:      substitutionKeys(),
	Options: []sequence.Option{
		{Name: "delta_pll", Default: true, About: "also score variants among the dataset's sequences by the change " +
			"of pseudo-log-likelihood"},
		{Name: "lower_is_fitter", Default: false, About: "smaller measurements are better, as for dissociation " +
			"constants"},
		{Name: "cutoff", About: "threshold above which a variant counts as fit, if the table has no column of " +
			"classes: a number or median (default: none)", Check: checkCutoff},
	},
	Files: []sequence.CSVFile{
		{Name: "sequence_substitutions.csv",
			Columns: []string{"assay", "protein", "function", "sequence", "score", "measure", "value", "low", "high", "variants", "reason"}},
		{Name: "sequence_variants.csv", Columns: append([]string{"assay", "sequence", "variant", "measured"}, scoreNames[:]...)},
	},
	Lacks: func(s *sequence.Setting) string {
		if s.Substitutions == nil {
			return "needs --substitutions"
		}
		return ""
	},
	Wants: func(s *sequence.Setting, sequence int) bool {
		_, wildType := s.Substitutions.At[sequence]
		return wildType || s.Substitutions.Wanted[sequence] && s.Options["substitutions"]["delta_pll"] == true
	},
	New: func(s *sequence.Setting) sequence.Metric { return &substitutionsMetric{setting: s} },
}

// SubstitutionKey is the name of a number in the result.
func SubstitutionKey(score int, measure, suffix string) string {
	return "substitutions/" + scoreNames[score] + "/" + measure + suffix
}

// overBLOSUM is the suffix of the Spearman correlation less the correlation of BLOSUM62.
const overBLOSUM = "_over_blosum62"

func substitutionKeys() []sequence.Key {
	var keys []sequence.Key
	for score := range ScoreCount {
		for _, m := range variant.Measures() {
			low, high := m.Range()
			for _, level := range scoreLevels {
				keys = append(keys, sequence.Key{Name: SubstitutionKey(score, m.String(), level.suffix), Direction: report.Higher, Low: low, High: high,
					About:    aboutScores[score] + " of variants: " + m.About() + ", mean over " + level.over,
					Compared: ModelScore(score) && level.suffix == ""})
			}
		}
		if ModelScore(score) {
			keys = append(keys, sequence.Key{Name: SubstitutionKey(score, "spearman", overBLOSUM),
				About:     aboutScores[score] + " of variants: rank correlation with measurements, minus the correlation of BLOSUM62 scores",
				Direction: report.Higher, Low: -2, High: 2})
		}
	}
	return keys
}

func checkCutoff(value any) error {
	switch value {
	case nil, "median":
		return nil
	}
	switch value.(type) {
	case int, float64:
		return nil
	}
	return errors.New("want a number or median")
}

// substitutionsMetric keeps the scores of the variants of wild types that it has seen.
type substitutionsMetric struct {
	setting *sequence.Setting
	state   substitutionsState
}

type substitutionsState struct {
	Assays []assayScores
	PLL    []sequencePLL
	// Map holds the log ratios [residues, tokens] of the wild type of the first assay, for the figure.
	Map []float32
}

// assayScores are the scores of the variants of an assay in their order; nil where the model does not
// give them, NaN where it excludes a residue.
type assayScores struct {
	Assay            int
	Masked, WildType []float64
}

// sequencePLL is the pseudo-log-likelihood of a sequence, in nats.
type sequencePLL struct {
	Sequence int
	PLL      float64
}

// Update scores the variants of the wild types among the sequences.
func (m *substitutionsMetric) Update(_ context.Context, b *sequence.Batch) error {
	assays := m.setting.Substitutions
	for _, it := range b.Items {
		if !assays.Wanted[it.Index] {
			continue
		}
		if n := len(it.Single); n > 0 {
			sum := 0.0
			for i := range it.Single {
				sum -= it.Single[i].NLL
			}
			m.state.PLL = append(m.state.PLL, sequencePLL{it.Index, sum})
		}
		for _, k := range assays.At[it.Index] {
			if err := m.score(k, it); err != nil {
				return fmt.Errorf("sequence %s: %w", it.ID, err)
			}
		}
	}
	return nil
}

// score scores the variants of an assay by the answers to its wild type.
func (m *substitutionsMetric) score(k int, it *sequence.Item) error {
	a, v := m.setting.Substitutions.Assays[k], m.setting.Alphabet.Size()
	scores := assayScores{Assay: k}
	var err error
	if it.SingleLogits != nil {
		scores.Masked, err = marginals(a, it.SingleLogits, v, func(s sequence.Site) int { return s.Residue })
	}
	if err == nil && it.Clean != nil && it.Clean.Logits != nil {
		scores.WildType, err = marginals(a, it.Clean.Logits, v, func(s sequence.Site) int { return s.Position })
	}
	if k == 0 {
		m.state.Map = m.ratios(it, v)
	}
	m.state.Assays = append(m.state.Assays, scores)
	return err
}

// marginals are Σ ln p(to) − ln p(from) over the substitutions of every variant, by logits whose row
// for a substitution at says.
func marginals(a *sequence.Assay, logits []float32, v int, rowOf func(s sequence.Site) int) ([]float64, error) {
	out := make([]float64, len(a.Variants))
	for i := range a.Variants {
		for k, s := range a.Variants[i].Sites {
			row := rowOf(s)
			d, err := variant.LogRatio(logits[row*v:(row+1)*v], s.From, s.To)
			if err != nil {
				return nil, fmt.Errorf("variant %s: %w", a.Variants[i].Mutations[k], err)
			}
			out[i] += d
		}
		if math.IsInf(out[i], 0) {
			out[i] = math.NaN()
		}
	}
	return out, nil
}

// ratios are the log ratios [residues, v] of all tokens to the residues of a wild type, of residues that
// are masked alone where these are known.
func (m *substitutionsMetric) ratios(it *sequence.Item, v int) []float32 {
	residues := it.Residues()
	var out []float32
	for k, position := range residues {
		var row []float32
		switch {
		case it.SingleLogits != nil:
			row = it.SingleLogits[k*v : (k+1)*v]
		case it.Clean != nil && it.Clean.Logits != nil:
			row = it.Clean.Logits[position*v : (position+1)*v]
		default:
			return nil
		}
		reference := row[it.Tokens[position]]
		for _, logit := range row {
			out = append(out, logit-reference)
		}
	}
	return out
}

// Merge adds the sums of other sequences.
func (m *substitutionsMetric) Merge(other sequence.Metric) error {
	o, ok := other.(*substitutionsMetric)
	if !ok {
		return errors.New("cannot merge: the metrics are of different kinds")
	}
	m.state.Assays, m.state.PLL = append(m.state.Assays, o.state.Assays...), append(m.state.PLL, o.state.PLL...)
	if m.state.Map == nil {
		m.state.Map = o.state.Map
	}
	return nil
}

// Reset forgets everything.
func (m *substitutionsMetric) Reset() { m.state = substitutionsState{} }

// MarshalBinary is the state.
func (m *substitutionsMetric) MarshalBinary() ([]byte, error) { return shard.Encode(m.state) }

// UnmarshalBinary reads it.
func (m *substitutionsMetric) UnmarshalBinary(data []byte) error { return shard.Decode(data, &m.state) }

// scores are the scores of all variants, by assay and score; nil where a score is not known.
func (m *substitutionsMetric) scores() [][ScoreCount][]float64 {
	assays := m.setting.Substitutions
	out := make([][ScoreCount][]float64, len(assays.Assays))
	for _, of := range m.state.Assays {
		out[of.Assay][maskedMarginal], out[of.Assay][wildTypeMarginal] = of.Masked, of.WildType
	}
	pll := map[int]float64{}
	if m.setting.Options["substitutions"]["delta_pll"] == true {
		for _, of := range m.state.PLL {
			pll[of.Sequence] = of.PLL
		}
	}
	for k, a := range assays.Assays {
		wild, present := pll[a.WildType.Index]
		var delta []float64
		scored := false
		for _, v := range a.Variants {
			d := math.NaN()
			if with, ok := pll[v.Sequence]; ok && present {
				d, scored = with-wild, scored || len(v.Sites) > 0
			}
			delta = append(delta, d)
		}
		if scored {
			out[k][deltaPLL] = delta
		}
		blosum := make([]float64, len(a.Variants))
		for i, v := range a.Variants {
			blosum[i] = variant.Similarity(v.Mutations)
		}
		out[k][blosum62Score], out[k][frequencyScore] = blosum, a.Frequencies
		if a.Germline != nil {
			identity := make([]float64, len(a.Germline))
			for i, d := range a.Germline {
				identity[i] = -d
			}
			out[k][germlineScore] = identity
		}
	}
	return out
}

// classes are which variants are fit: as the table says, else by the cutoff; nil where neither does. The
// measurements are oriented, larger ones better; lower says that their signs were turned.
func classes(a *sequence.Assay, measured []float64, cutoff any, lower bool) []bool {
	if a.Fit != nil {
		return a.Fit
	}
	var from float64
	switch v := cutoff.(type) {
	case int:
		from = float64(v)
	case float64:
		from = v
	case string:
		from = stat.Median(measured)
	default:
		return nil
	}
	if _, median := cutoff.(string); lower && !median {
		from = -from
	}
	out := make([]bool, len(measured))
	for i, v := range measured {
		out[i] = v >= from
	}
	return out
}
