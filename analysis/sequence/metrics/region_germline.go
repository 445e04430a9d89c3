// Scores by region and origin: residues of the germline, and others.

package metrics

import (
	"context"
	"math"

	"repscope/analysis/internal/results"
	"repscope/analysis/sequence"
	"repscope/measure/token"
	"repscope/report"
)

// germlineFile has a row for every region and aggregate and each origin.
const germlineFile = "sequence_region_germline.csv"

// regionGermline crosses regions with origins.
var regionGermline = sequence.Kind{
	Name: "region_germline", About: "accuracy, loss and perplexity by region, for germline and other residues " +
		"(table and CSV file)",
	Needs: sequence.NeedRegional | sequence.NeedRegions | sequence.NeedGermline,
	Keys: []sequence.Key{{Name: "region_germline.accuracy",
		About:     "accuracy by region, for germline and other residues",
		Direction: report.Higher, High: 1},
		{Name: "region_germline.loss", About: "mean of −ln p(true residue) by region, for germline and other residues",
			Unit: "nats", Direction: report.Lower, High: math.Inf(1)},
		{Name: "region_germline.ppl", About: "perplexity by region, for germline and other residues",
			Direction: report.Lower, Low: 1, High: math.Inf(1)},
		{Name: "region_germline.prob",
			About:     "mean probability of the true residue by region, for germline and other residues",
			Direction: report.Higher, High: 1}},
	Files: []sequence.CSVFile{{Name: germlineFile, Columns: []string{"region", "origin", "count", "accuracy", "accuracy_low", "accuracy_high", "loss", "loss_low", "loss_high", "ppl", "prob"}}},
	New: func(*sequence.Setting) sequence.Metric {
		return &regionGermlineMetric{newRegionSums(4, func(p *token.Prediction, row []float64) {
			row[0]++
			if p.Correct() {
				row[1]++
			}
			row[2] += p.NLL
			row[3] += p.Prob
		})}
	},
}

// regionGermlineMetric counts predictions and correct ones, and adds up NLL and probabilities, by cell.
type regionGermlineMetric struct{ regionSums }

// germlineRow is the part of a region and an origin.
type germlineRow struct {
	Region     string          `json:"region" report:"parameter"`
	Origin     string          `json:"origin" report:"parameter"`
	Count      int             `json:"count"`
	Accuracy   report.Estimate `json:"accuracy"`
	Loss       report.Estimate `json:"loss"`
	Perplexity report.Value    `json:"ppl"`
	Prob       report.Value    `json:"prob"`
}

// Result enters the rows that have predictions.
func (m *regionGermlineMetric) Result(_ context.Context, s *sequence.Summary) error {
	rows, table := []germlineRow{}, s.Table(germlineFile)
	for _, g := range token.Groups() {
		for origin, name := range []string{"germline", "nongermline"} {
			if g.ByOrigin() || !reports(s.Setting, g) {
				continue
			}
			columns := m.columns(func(region token.Region, of int8) bool { return g.Has(region, of) && of == int8(origin) })
			n, prob := 0.0, 0.0
			for i, v := range columns[0] {
				n, prob = n+v, prob+columns[3][i]
			}
			if n == 0 {
				continue
			}
			row := germlineRow{Region: g.Name, Origin: name, Count: int(n), Prob: report.Number(prob / n)}
			var err error
			if row.Accuracy, err = share(s, columns[0], columns[1], 1, NothingMasked); err != nil {
				return err
			}
			if row.Loss, err = share(s, columns[0], columns[2], math.Inf(1), NothingMasked); err != nil {
				return err
			}
			if row.Perplexity = row.Loss.Value; row.Loss.Defined() {
				row.Perplexity = report.Number(math.Exp(row.Loss.Float()))
			}
			rows = append(rows, row)
			low, high := results.Ends(row.Accuracy.CI)
			least, most := results.Ends(row.Loss.CI)
			table.Row(row.Region, row.Origin, row.Count, row.Accuracy, low, high, row.Loss, least, most, row.Perplexity,
				row.Prob)
		}
	}
	if len(rows) == 0 {
		return sequence.Skip("no masked residue has both a region and a known germline origin")
	}
	s.Object.Set("region_germline", rows)
	return nil
}
