// Tables of substitutions whose effects were measured.

package protein

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"repscope/dataset"
	"repscope/internal/regular"
	"repscope/internal/tabular"
	"repscope/internal/text"
)

// Substitution is a row of a table of variants. Texts are empty where the table has no such
// column, or nothing in it.
type Substitution struct {
	Row, Line int    // from 0, and in the file from 1
	Mutant    string // "A23C:D45E": substitutions of the wild type
	Mutated   string // the residues of the variant
	// Measured is its effect; by default higher is better. NaN if it was not measured: an empty cell, or nan.
	Measured float64
	// Fit is the assay's class of the variant; Classed says that there is one.
	Fit, Classed bool
	// SequenceID and WildType identify the sequence of the variant, by id and by residues.
	SequenceID, WildType string
	Chain                int    // 0 heavy, 1 light: where positions are counted; −1: over all residues
	Assay                string // groups variants that were measured together
	Protein, Function    string
	Cluster              string // variants of one cluster are not independent of each other
	Germline             string // the residues of the germline
	// GermlineDistance is the number of residues that differ from it; NaN where it is not known.
	GermlineDistance float64
}

// substitutionRole is a possible content of a column, with its names and the parser of a cell.
type substitutionRole struct {
	name  string
	found []string
	read  func(s *Substitution, cell string) error
}

// textRole is a column of texts.
func textRole(name string, field func(s *Substitution) *string, names ...string) substitutionRole {
	return substitutionRole{name, names, func(s *Substitution, cell string) error {
		*field(s) = cell
		return nil
	}}
}

var substitutionRoles = []substitutionRole{
	{"measured", []string{"measured", "DMS_score", "score", "fitness"}, readMeasured},
	textRole("mutant", func(s *Substitution) *string { return &s.Mutant }, "mutant", "mutations"),
	textRole("mutated_sequence", func(s *Substitution) *string { return &s.Mutated }, "mutated_sequence"),
	{"fit", []string{"fit", "DMS_score_bin"}, readFit},
	textRole("sequence_id", func(s *Substitution) *string { return &s.SequenceID }, "sequence_id", "wild_type_id"),
	textRole("wild_type", func(s *Substitution) *string { return &s.WildType }, "wild_type", "target_seq"),
	{"chain", []string{"chain"}, readChain},
	textRole("assay", func(s *Substitution) *string { return &s.Assay }, "assay", "DMS_id"),
	textRole("protein", func(s *Substitution) *string { return &s.Protein }, "protein", "UniProt_ID"),
	textRole("function", func(s *Substitution) *string { return &s.Function }, "function", "coarse_selection_type"),
	textRole("cluster", func(s *Substitution) *string { return &s.Cluster }, "cluster"),
	textRole("germline", func(s *Substitution) *string { return &s.Germline }, "germline"),
	{"germline_distance", []string{"germline_distance"}, readDistance},
}

// Indices in substitutionRoles of columns that are needed individually.
const (
	roleMeasured = iota
	roleMutant
	roleMutated
)

// ReadSubstitutions reads a table of variants (.csv; .tsv has tabs) whose first line names the columns, and visits its
// rows in their order; the row is valid during the visit. Columns are found by these names: the first is ours and
// others are ProteinGym's. Only the measured one and one that identifies the variant are required:
//
//	measured, DMS_score, score, fitness    the measured effect; FILE:COLUMN names another
//	mutant, mutations                      substitutions: A23C:D45E
//	mutated_sequence                       the residues of the variant
//	fit, DMS_score_bin                     1, 0, true or false
//	sequence_id, wild_type_id              the id of the wild type among the sequences
//	wild_type, target_seq                  the residues of the wild type
//	chain                                  heavy or light, H or L, 0 or 1
//	assay, DMS_id · protein, UniProt_ID · function, coarse_selection_type · cluster
//	germline, germline_distance            its residues; the number of residues that differ
//
// Errors name the file, the row from 0 with its line, and the column: no rows, no such column, two columns of one
// meaning, cells that are no number, no class or no chain, an infinite measurement. An error of visit stops the reading
// and gets the file and the row.
func ReadSubstitutions(spec string, visit func(s *Substitution) error) error {
	path, measured := dataset.SplitSpec(spec)
	f, err := dataset.OpenText(path)
	if err != nil {
		return regular.PathError(err)
	}
	defer f.Close()
	if err := readSubstitutions(io.NewSectionReader(f, 0, f.Size()), path, measured, visit); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func readSubstitutions(r io.Reader, name, measured string, visit func(s *Substitution) error) error {
	reader, names, err := tabular.Open(name, r, tabular.Options{})
	if err != nil {
		return err
	}
	columns, err := chooseSubstitutionColumns(names, measured)
	if err != nil {
		return err
	}
	for row := 0; ; row++ {
		record, err := reader.Read()
		switch {
		case errors.Is(err, io.EOF) && row == 0:
			return errors.New("the table has column names but no rows")
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return tabular.Error(err)
		}
		line, _ := reader.FieldPos(0)
		s := Substitution{Row: row, Line: line, Chain: -1, GermlineDistance: math.NaN()}
		for role, column := range columns {
			if column < 0 {
				continue
			}
			if err := substitutionRoles[role].read(&s, strings.TrimSpace(record[column])); err != nil {
				return fmt.Errorf("row %d (line %d), column %s: %w", row, line, names[column], err)
			}
		}
		if err := visit(&s); err != nil {
			return fmt.Errorf("row %d (line %d): %w", row, line, err)
		}
	}
}

// chooseSubstitutionColumns finds the column of every content, −1 for none.
func chooseSubstitutionColumns(names []string, measured string) ([]int, error) {
	columns := make([]int, len(substitutionRoles))
	for role, r := range substitutionRoles {
		columns[role] = -1
		if role == roleMeasured && measured != "" {
			if columns[role] = slices.Index(names, measured); columns[role] < 0 {
				return nil, tabular.Missing(measured, names)
			}
			continue
		}
		for i, name := range names {
			if !slices.Contains(r.found, name) {
				continue
			}
			if first := columns[role]; first >= 0 {
				err := fmt.Errorf("the columns %s and %s both contain %s; want one of them", names[first], name, r.name)
				if role == roleMeasured {
					return nil, text.WithHint(err, "name the measured column: FILE:"+name)
				}
				return nil, err
			}
			columns[role] = i
		}
	}
	switch {
	case columns[roleMeasured] < 0:
		return nil, text.WithHint(fmt.Errorf("no column contains measurements (%s); the columns are %s",
			strings.Join(substitutionRoles[roleMeasured].found, ", "), strings.Join(names, ", ")), "name it: FILE:COLUMN")
	case columns[roleMutant] < 0 && columns[roleMutated] < 0:
		return nil, fmt.Errorf("no column contains the variant: want mutant (A23C:D45E) or mutated_sequence; the columns are %s",
			strings.Join(names, ", "))
	}
	return columns, nil
}

func readMeasured(s *Substitution, cell string) error {
	if cell == "" {
		s.Measured = math.NaN()
		return nil
	}
	v, err := strconv.ParseFloat(cell, 64)
	if err != nil || math.IsInf(v, 0) {
		return fmt.Errorf("%.40q is not a finite number", cell)
	}
	s.Measured = v
	return nil
}

func readFit(s *Substitution, cell string) error {
	switch strings.ToLower(cell) {
	case "":
		return nil
	case "1", "1.0", "true":
		s.Fit = true
	case "0", "0.0", "false":
	default:
		return fmt.Errorf("%.40q is not a class; want 1 (fit) or 0", cell)
	}
	s.Classed = true
	return nil
}

func readChain(s *Substitution, cell string) error {
	switch strings.ToLower(cell) {
	case "":
	case "heavy", "h", "0":
		s.Chain = 0
	case "light", "l", "1":
		s.Chain = 1
	default:
		return fmt.Errorf("%.40q is not a chain; want heavy or light", cell)
	}
	return nil
}

func readDistance(s *Substitution, cell string) error {
	if cell == "" {
		return nil
	}
	v, err := strconv.ParseFloat(cell, 64)
	if err != nil || !(v >= 0) || math.IsInf(v, 0) {
		return fmt.Errorf("%.40q is not a distance; want a number from 0", cell)
	}
	s.GermlineDistance = v
	return nil
}
