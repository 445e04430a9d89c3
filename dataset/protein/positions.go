// Tables of predictions: a row for every predicted position.

package protein

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"repscope/dataset"
	"repscope/internal/tabular"
)

// Position is a row of a table of positions.
type Position struct {
	Row       int    // in the table, from 0
	At        int    // the index in the sequence of tokens, special ones counted
	Mode      string // of the masked part
	Target    string // the true token: its name or its id
	Predicted string
	NLL, Prob float64 // −ln of the probability of the target, and that probability
}

// PositionFile is an open table of positions, whose rows are read by sequence.
type PositionFile struct {
	file      dataset.TextFile
	separator rune
	columns   []int // −1 for none
	ids       []string
	runs      [][]positionRun // of each sequence
	modes     []string
}

// positionRun are rows of one sequence that follow each other.
type positionRun struct {
	start, end int64
	row        int
}

// The columns of a table of positions.
const (
	positionSequence = iota
	positionAt
	positionMode
	positionTarget
	positionPredicted
	positionNLL
	positionProb
)

var positionColumns = []tabular.Column{
	{Name: "seq"}, {Name: "pos"}, {Name: "region_mode", Optional: true}, {Name: "target"}, {Name: "pred"},
	{Name: "nll", Optional: true}, {Name: "prob", Optional: true},
}

// OpenPositions opens a table (.csv; .tsv has tabs) with the columns seq, pos, target, pred and one or both of nll (in
// nats) and prob. region_mode is one of the modes, the first by default. Rows of a sequence may be in any order;
// sequences are in the order in which they first appear.
//
// Errors name the file, row, line and column: no rows, a missing column (with a similar one), an empty sequence or
// token, a position that is no whole number from 0, another mode, an nll that is negative or no number, a prob outside
// 0 … 1, nll and prob that differ by more than 0.01 as probabilities.
func OpenPositions(path string, modes []string) (*PositionFile, error) {
	file, err := dataset.OpenText(path)
	if err != nil {
		return nil, err
	}
	f := &PositionFile{file: file, modes: modes}
	if err := f.open(); err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// open finds the rows of every sequence and checks them.
func (f *PositionFile) open() error {
	reader, names, before, err := openRows(f.file)
	if err != nil {
		return err
	}
	f.separator = reader.Comma
	if f.columns, err = choosePositions(names); err != nil {
		return err
	}
	numbers := map[string]int{}
	last := -1
	for row := 0; ; row++ {
		start := before + reader.InputOffset()
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return tabular.Error(err)
		}
		line, _ := reader.FieldPos(0)
		if _, err := f.parse(record, row); err != nil {
			return fmt.Errorf("row %d (line %d), %w", row, line, err)
		}
		name := strings.TrimSpace(record[f.columns[positionSequence]])
		if name == "" {
			return fmt.Errorf("row %d (line %d), column seq: it is empty", row, line)
		}
		i, ok := numbers[name]
		if !ok {
			i = len(f.ids)
			name = strings.Clone(name)
			numbers[name] = i
			f.ids, f.runs = append(f.ids, name), append(f.runs, nil)
		}
		if i != last {
			f.runs[i] = append(f.runs[i], positionRun{start: start, row: row})
			last = i
		}
		f.runs[i][len(f.runs[i])-1].end = before + reader.InputOffset()
	}
	if len(f.ids) == 0 {
		return errors.New("the table has column names but no rows")
	}
	return nil
}

// choosePositions finds the columns; of nll and prob one may be missing.
func choosePositions(names []string) ([]int, error) {
	columns, err := tabular.Find(names, positionColumns...)
	if err == nil && columns[positionNLL] < 0 && columns[positionProb] < 0 {
		wanted := slices.Clone(positionColumns)
		wanted[positionNLL].Optional = false
		_, err = tabular.Find(names, wanted...)
	}
	return columns, err
}

// parse reads the cells of a row.
func (f *PositionFile) parse(record []string, row int) (Position, error) {
	p := Position{Row: row, Mode: f.modes[0]}
	cell := func(i int) string {
		if f.columns[i] < 0 {
			return ""
		}
		return strings.TrimSpace(record[f.columns[i]])
	}
	var err error
	if p.At, err = strconv.Atoi(cell(positionAt)); err != nil || p.At < 0 {
		return p, fmt.Errorf("column pos: %q, want a whole number from 0", cell(positionAt))
	}
	if f.columns[positionMode] >= 0 {
		index := slices.Index(f.modes, cell(positionMode))
		if index < 0 {
			return p, fmt.Errorf("column region_mode: %q, want one of %s", cell(positionMode), strings.Join(f.modes, ", "))
		}
		p.Mode = f.modes[index]
	}
	p.Target, p.Predicted = cell(positionTarget), cell(positionPredicted)
	for _, i := range []int{positionTarget, positionPredicted} {
		if cell(i) == "" {
			return p, fmt.Errorf("column %s: it is empty", positionColumns[i].Name)
		}
	}
	number := func(i int) float64 {
		v, err := strconv.ParseFloat(cell(i), 64)
		if err != nil {
			return math.NaN()
		}
		return v
	}
	if f.columns[positionNLL] >= 0 {
		if p.NLL = number(positionNLL); !(p.NLL >= 0) {
			return p, fmt.Errorf("column nll: %q, want a number of at least 0", cell(positionNLL))
		}
		p.Prob = math.Exp(-p.NLL)
	}
	if f.columns[positionProb] >= 0 {
		prob := number(positionProb)
		if !(prob >= 0 && prob <= 1) {
			return p, fmt.Errorf("column prob: %q, want a number from 0 to 1", cell(positionProb))
		}
		if f.columns[positionNLL] < 0 {
			p.NLL = -math.Log(prob)
		} else if math.Abs(prob-p.Prob) > 0.01 {
			return p, fmt.Errorf("column nll: %s is a probability of %.3g, but prob is %s; want nll = −ln prob, in nats",
				cell(positionNLL), p.Prob, cell(positionProb))
		}
		p.Prob = prob
	}
	return p, nil
}

// IDs are the names of the sequences, in the order in which they first appear.
func (f *PositionFile) IDs() []string { return f.ids }

// Read returns the rows of sequence i, in the order of the table.
func (f *PositionFile) Read(i int) ([]Position, error) {
	if i < 0 || i >= len(f.ids) {
		return nil, fmt.Errorf("%s: sequence %d of %d", f.file.Path(), i, len(f.ids))
	}
	var out []Position
	for _, run := range f.runs[i] {
		err := f.file.Use(run.start, run.end-run.start, func(raw []byte) error {
			reader := tabular.Rows(f.file.Path(), bytes.NewReader(raw), tabular.Options{Separator: f.separator})
			for row := run.row; ; row++ {
				record, err := reader.Read()
				if errors.Is(err, io.EOF) {
					return nil
				}
				if err != nil {
					return err
				}
				p, err := f.parse(record, row)
				if err != nil {
					return fmt.Errorf("row %d, %w", row, err)
				}
				out = append(out, p)
			}
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.file.Path(), err)
		}
	}
	return out, nil
}

// SHA256 is the digest of the file's bytes, in hexadecimal digits.
func (f *PositionFile) SHA256() (string, error) { return f.file.SHA256() }

// Close releases the file.
func (f *PositionFile) Close() error { return f.file.Close() }
