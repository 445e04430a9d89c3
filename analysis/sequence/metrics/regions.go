// Sums of scores by region and origin, from which all scores of regions are made.

package metrics

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/analysis/sequence"
	"repscope/measure/token"
)

// Cells are the pairs of a region, none among them, and an origin: not known, templated, not templated.
const (
	origins     = 3
	regionCells = (token.Regions + 1) * origins
)

// regionSums are sums over the predictions of every cell.
type regionSums struct {
	sequence.Sums
	score func(p *token.Prediction, row []float64) // adds a prediction to the sums of its cell
	width int                                      // of a cell
}

func newRegionSums(width int, score func(p *token.Prediction, row []float64)) regionSums {
	return regionSums{sequence.NewSums(regionCells * width), score, width}
}

// Update adds the sequences of a batch.
func (m *regionSums) Update(_ context.Context, b *sequence.Batch) error {
	row := make([]float64, m.Width)
	for _, it := range b.Items {
		clear(row)
		for i := range it.Regional {
			p := &it.Regional[i]
			cell := regionCell(it.Record, p.Position)
			m.score(p, row[cell*m.width:][:m.width])
		}
		m.Add(row...)
	}
	return nil
}

// regionCell is the cell of a position.
func regionCell(r *sequence.Record, position int) int {
	region, origin := token.NoRegion, 0
	if r.Regions != nil {
		region = r.Regions[position]
	}
	if r.NonTemplated != nil {
		origin = 1 + int(r.NonTemplated[position])
	}
	return int(region)*origins + origin
}

// columns are the sums of some cells together: a column for each sum of a cell.
func (m *regionSums) columns(has func(region token.Region, nonTemplated int8) bool) [][]float64 {
	rows := len(m.Rows) / m.Width
	out := make([][]float64, m.width)
	for k := range out {
		out[k] = make([]float64, rows)
	}
	for cell := range regionCells {
		if !has(token.Region(cell/origins), int8(cell%origins)-1) {
			continue
		}
		for r := range rows {
			for k, v := range m.Rows[r*m.Width+cell*m.width:][:m.width] {
				out[k][r] += v
			}
		}
	}
	return out
}

// total is a sum of a cell over all sequences.
func (m *regionSums) total(cell, k int) float64 {
	sum := 0.0
	for at := cell*m.width + k; at < len(m.Rows); at += m.Width {
		sum += m.Rows[at]
	}
	return sum
}

// each calls enter for every group that is reported, with its sums; the first is the number
// of predictions. Groups without any get null with a reason under their keys.
func (m *regionSums) each(s *sequence.Summary, keys []string,
	enter func(prefix string, columns [][]float64) error) error {
	for _, g := range token.Groups() {
		if !reports(s.Setting, g) {
			continue
		}
		prefix, columns := "region/"+g.Name+"/", m.columns(g.Has)
		n := 0.0
		for _, v := range columns[0] {
			n += v
		}
		if n > 0 {
			if err := enter(prefix, columns); err != nil {
				return err
			}
			continue
		}
		for _, key := range keys {
			s.Undefined(prefix+key, "%s", m.emptyReason(g))
		}
	}
	return nil
}

// reports says whether a group is reported.
func reports(s *sequence.Setting, g token.Group) bool {
	return s.Regions == nil || slices.Contains(s.Regions, g.Name)
}

// emptyReason says why a group has no predictions.
func (m *regionSums) emptyReason(g token.Group) string {
	masked := 0.0
	for cell := range regionCells {
		if g.ByOrigin() && cell%origins > 0 || !g.ByOrigin() && cell/origins > 0 {
			masked += m.total(cell, 0)
		}
	}
	switch {
	case masked > 0:
		return fmt.Sprintf("no residue of %s is masked", g.Name)
	case g.ByOrigin():
		return "no masked residue has a known germline origin"
	}
	return "no masked residue has a region"
}

// regionKeys are the keys of all groups.
func regionKeys(keys ...sequence.Key) []sequence.Key {
	var out []sequence.Key
	for _, g := range token.Groups() {
		for _, k := range keys {
			k.Name = "region/" + g.Name + "/" + k.Name
			// Aggregates of all residues, and the regions that models differ in most.
			k.Compared = slices.Contains(comparedGroups, g.Name)
			out = append(out, k)
		}
	}
	return out
}

// comparedGroups are the groups by which models are compared: comparing all of them would leave
// none decided after the correction for all their tests.
var comparedGroups = []string{"all_cdr", "all_fwr", "hcdr3", "lcdr3", "germline", "nongermline"}

// perPrediction is the quotient of the second sum and the first, the number of predictions.
func perPrediction(sums []float64) float64 { return sums[1] / sums[0] }

// expPerPrediction is e to that.
func expPerPrediction(sums []float64) float64 { return math.Exp(sums[1] / sums[0]) }
