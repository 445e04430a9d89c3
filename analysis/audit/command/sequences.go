// Sequences: FASTA files and tables.

package command

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"repscope/dataset"
	"repscope/dataset/protein"
	"repscope/internal/run"
	"repscope/report"
)

// isSequences says whether a file holds sequences, by its name.
func isSequences(path string) bool {
	name := strings.TrimSuffix(strings.ToLower(path), ".gz")
	if i := strings.LastIndexByte(name, ':'); i > 0 && dataset.IsTable(name[:i]) {
		if strings.ContainsAny(name[i:], ",*?") {
			return false // a matrix of numbers
		}
		name = name[:i]
	}
	return slices.Contains([]string{".fasta", ".fa", ".faa", ".fna", ".csv", ".tsv"}, filepath.Ext(name))
}

// loadSequences reads the sequences of one file, or of a file of training and one of test sequences. The chains of a
// sequence are joined.
func (f *options) loadSequences(env *run.Env) (*loaded, error) {
	l := &loaded{}
	read := func(role, path, part string) error {
		file, column, err := openSequences(path)
		if err != nil && column == "" {
			return run.Hint(fmt.Errorf("%s: %v", role, err), "name the column of sequences: --"+role+
				" FILE.csv:COLUMN; for columns of numbers: --"+role+" FILE.csv:A,B or FILE.csv:'*'")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", role, err)
		}
		env.CloseLater(file)
		for _, note := range file.Notes() {
			env.Note("note: %s %s: %s", role, path, note)
		}
		sum, err := file.SHA256()
		if err != nil {
			return fmt.Errorf("%s: %w", role, err)
		}
		var s protein.Sequence
		for i := range file.Len() {
			if err := file.Read(i, &s); err != nil {
				return fmt.Errorf("%s: %w", role, err)
			}
			letters := s.Chains[0] + s.Chains[1]
			if letters == "" {
				return fmt.Errorf("%s: %s: sequence %s is empty", role, path, s.ID)
			}
			l.Sequences = append(l.Sequences, []byte(letters))
			l.rows = append(l.rows, len(l.rows))
			if part != "" {
				l.Split = append(l.Split, part)
			}
		}
		env.Result.Inputs = append(env.Result.Inputs, report.Input{Role: role, Path: path, SHA256: sum,
			Kind: "sequences", States: file.Len(), Shape: []int{file.Len()}})
		return nil
	}
	if f.sequences != "" {
		if err := read("sequences", f.sequences, ""); err != nil {
			return nil, err
		}
	} else {
		if err := read("train", f.trainFile, "train"); err != nil {
			return nil, err
		}
		l.second = len(l.rows)
		if err := read("test", f.testFile, "test"); err != nil {
			return nil, err
		}
	}
	l.all = len(l.rows)
	return l, nil
}

// openSequences opens a FASTA file, or a table: FILE.csv:column, the column named sequence, or the columns of chains in
// published layouts.
func openSequences(spec string) (file *protein.File, column string, err error) {
	o := protein.Options{NoCoordinates: true, Residues: protein.Residues{Upper: true, Stop: true, Gaps: true}}
	path := spec
	if i := strings.LastIndexByte(spec, ':'); i > 0 && dataset.IsTable(spec[:i]) {
		path, column = spec[:i], spec[i+1:]
	} else if dataset.IsTable(spec) {
		columns, err := dataset.ReadTable(spec)
		if err != nil {
			return nil, "", err
		}
		if slices.ContainsFunc(columns, func(c dataset.Column) bool { return c.Name == "sequence" }) {
			column = "sequence"
		}
	}
	if column != "" {
		o.Columns = map[string]string{"heavy": column}
	}
	file, err = protein.Open(path, o)
	return file, column, err
}
