// The sequences as a table, for training and for whoever wants the example as a file.

package sequences

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
)

// WriteCSV writes sequences with the columns that --sequences reads; coordinates only if asked for, null where a
// residue is not resolved.
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
