// The sequences as a table, for training and as an example file.

package sequences

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"repscope/stat"
)

// WriteCSV writes sequences with the columns that --sequences reads; with coordinates if requested, null if a residue
// is not resolved.
func WriteCSV(w io.Writer, s []Sequence, coordinates bool) error {
	out := csv.NewWriter(w)
	header := []string{"sequence_id", "cluster", "heavy_chain", "light_chain", "heavy_cdr_mask", "light_cdr_mask",
		"heavy_non_templated_mask", "light_non_templated_mask"}
	if coordinates {
		header = append(header, "heavy_coords", "light_coords")
	}
	if err := out.Write(header); err != nil {
		return err
	}
	for i := range s {
		q := &s[i]
		row := []string{q.ID, strconv.Itoa(q.Cluster), q.Residues[Heavy], q.Residues[Light], digits(q.CDR[Heavy]), digits(q.CDR[Light]),
			digits(q.NonTemplated[Heavy]), digits(q.NonTemplated[Light])}
		for chain := 0; coordinates && chain < Chains; chain++ {
			text, err := json.Marshal(points(q.Coordinates[chain]))
			if err != nil {
				return err
			}
			row = append(row, string(text))
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// WriteAssaysCSV writes measured variants with the columns that --substitutions reads. Positions count from 1 over
// the residues of both chains; the better half of an assay is fit.
func WriteAssaysCSV(w io.Writer, assays []Assay) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"assay", "sequence_id", "mutant", "measured", "fit"}); err != nil {
		return err
	}
	for i := range assays {
		a := &assays[i]
		scores := make([]float64, len(a.Variants))
		for k := range scores {
			scores[k] = a.Variants[k].Score
		}
		middle := stat.Median(scores)
		for k := range a.Variants {
			v, fit := &a.Variants[k], "0"
			if v.Score > middle {
				fit = "1"
			}
			if err := out.Write([]string{a.Name, a.WildType.ID, a.name(v), strconv.FormatFloat(v.Score, 'g', -1, 64), fit}); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

// name is the name of a variant, A23C:D45E.
func (a *Assay) name(v *Variant) string {
	var parts []string
	for _, m := range v.Mutations {
		number := m.Position + 1
		if m.Chain == Light {
			number += len(a.WildType.Residues[Heavy])
		}
		parts = append(parts, fmt.Sprintf("%c%d%c", m.From, number, m.To))
	}
	return strings.Join(parts, ":")
}

// digits is a mask, a digit per residue.
func digits(mask []int8) string {
	out := make([]byte, len(mask))
	for i, v := range mask {
		out[i] = '0' + byte(v)
	}
	return string(out)
}

// points are coordinates for JSON, which has no NaN.
func points(coordinates [][3]float32) [][]*float32 {
	out := make([][]*float32, len(coordinates))
	for i := range coordinates {
		out[i] = make([]*float32, 3)
		for d := range out[i] {
			if v := coordinates[i][d]; v == v {
				out[i][d] = &coordinates[i][d]
			}
		}
	}
	return out
}
