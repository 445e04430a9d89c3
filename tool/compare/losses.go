// Losses by step or epoch: what training programs log.

package compare

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"repscope/internal/gunzip"
	"repscope/internal/pickle"
	"repscope/internal/regular"
	"repscope/internal/run"
	"repscope/internal/tabular"
	"repscope/internal/text"
	"repscope/internal/torchfile"
	"repscope/report"
)

// Losses are the curves that one training run logged. Losses of different names are
// different functions: nothing ranks them against each other.
type Losses struct {
	Name   string   `json:"-"`
	Files  []string `json:"files"`
	X      string   `json:"x"` // step or epoch
	Curves []*Curve `json:"columns"`
}

// Curve is one logged number by step or epoch.
type Curve struct {
	Column    string           `json:"column"`
	Direction report.Direction `json:"direction"`
	Points    int              `json:"points"`
	Undefined int              `json:"undefined"` // points that are NaN or infinite
	Final     report.Value     `json:"final"`
	FinalAt   report.Value     `json:"final_at"`
	Best      report.Value     `json:"best"`
	BestAt    report.Value     `json:"best_at"`
	XY        [][2]float64     `json:"-"` // in ascending order of x
}

// DefaultLossColumns are the columns that are read without --loss-columns.
func DefaultLossColumns() []string {
	return []string{"train_loss", "val_loss", "val_reconstruction_loss"}
}

// stepNames are names of the axis, the ones that are preferred first.
var stepNames = []string{"epoch", "step", "_step", "global_step", "iteration", "iter"}

// LossSpec is NAME=FILE, or NAME:COLUMN=FILE for a file of one column without a name.
type LossSpec struct{ Name, Column, Path string }

// ParseLossSpec reads NAME[:COLUMN]=FILE.
func ParseLossSpec(argument string) (LossSpec, error) {
	name, path, ok := run.CutFile(argument)
	name, column, colon := strings.Cut(name, ":")
	if !ok || name == "" || path == "" || colon && column == "" {
		return LossSpec{}, fmt.Errorf("%q: want NAME=FILE, or NAME:COLUMN=FILE", argument)
	}
	return LossSpec{name, column, path}, nil
}

// ReadLosses reads the curves of all files; files of one name are one run. columns are the
// names that are wanted; nil means [DefaultLossColumns]. Files are CSV (W&B: a column
// "RUN - NAME" is NAME, its __MIN and __MAX are left out; TensorBoard: Wall time, Step,
// Value), JSON lines, JSON (rows or lists by name), or a checkpoint of PyTorch.
//
// Errors, with the file: none of the columns, a cell that is no number, a column of one
// name in two files.
func ReadLosses(specs []LossSpec, columns []string) ([]*Losses, error) {
	var out []*Losses
	for _, spec := range specs {
		log, err := readLog(spec.Path)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(out, func(l *Losses) bool { return l.Name == spec.Name })
		if i < 0 {
			i = len(out)
			out = append(out, &Losses{Name: spec.Name})
		}
		if err := out[i].add(log, spec, columns); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// lossLog is a log as a list of rows.
type lossLog struct {
	path  string
	names []string             // in order
	rows  []map[string]float64 // undefined cells are left out, those that are no number are NaN
}

// set sets a cell of the last row.
func (l *lossLog) set(name string, v float64) {
	if !slices.Contains(l.names, name) {
		l.names = append(l.names, name)
	}
	l.rows[len(l.rows)-1][name] = v
}

// readLog reads a file by its content.
func readLog(path string) (*lossLog, error) {
	data, err := regular.Read(path, regular.Table)
	if err != nil {
		return nil, pathError(path, err)
	}
	if data, err = gunzip.Bytes(data); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	l := &lossLog{path: path}
	trimmed := bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
	switch {
	case len(trimmed) == 0:
		return nil, fmt.Errorf("%s: %w: the file is empty", path, report.ErrTruncated)
	case bytes.HasPrefix(data, []byte("PK\x03\x04")), bytes.HasPrefix(data, []byte("\x80")):
		err = l.readCheckpoint()
	case trimmed[0] == '{' || trimmed[0] == '[':
		err = l.readJSON(trimmed)
	default:
		err = l.readCSV(trimmed)
	}
	return l, err
}

func pathError(path string, err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("%s: %w", path, p.Err)
	}
	return err
}

// readCSV reads a table with a header. Columns of one name, such as of two runs of W&B, keep
// the text before it.
func (l *lossLog) readCSV(data []byte) error {
	r, header, err := tabular.Open(l.path, bytes.NewReader(data), tabular.Options{LazyQuotes: true, Unnamed: true})
	if err != nil {
		return fmt.Errorf("%s: no CSV: %w", l.path, err)
	}
	names := make([]string, len(header))
	for i, column := range header {
		names[i] = lossName(column)
	}
	short := slices.Clone(names)
	for i, name := range short {
		if name != "" && (slices.Contains(short[:i], name) || slices.Contains(short[i+1:], name)) {
			names[i] = header[i]
		}
	}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: no CSV: %w", l.path, tabular.Error(err))
		}
		l.rows = append(l.rows, map[string]float64{})
		for i, cell := range record {
			if names[i] == "" || cell == "" {
				continue
			}
			v, err := strconv.ParseFloat(strings.TrimSpace(cell), 64)
			if err != nil {
				if known(names[i]) {
					line, _ := r.FieldPos(i)
					return fmt.Errorf("%s:%d: %s: %q is no number", l.path, line, header[i], cell)
				}
				continue // text among the numbers
			}
			l.set(names[i], v)
		}
	}
}

// known reports whether a column is one that is read unasked.
func known(name string) bool {
	return slices.Contains(stepNames, strings.ToLower(name)) || slices.Contains(DefaultLossColumns(), name)
}

// lossName is the name that a column is known by: W&B writes RUN - NAME, and columns
// of its least and largest values.
func lossName(column string) string {
	column = strings.TrimSpace(column)
	if strings.HasSuffix(column, "__MIN") || strings.HasSuffix(column, "__MAX") {
		return ""
	}
	if i := strings.LastIndex(column, " - "); i >= 0 {
		column = column[i+3:]
	}
	return strings.ReplaceAll(column, "/", "_")
}

// readJSON reads JSON lines, a list of rows, or lists by name.
func (l *lossLog) readJSON(data []byte) error {
	v, err := report.Parse(l.path, data)
	if err == nil {
		if o, ok := v.(report.Object); ok {
			if found, err := l.lists(o); found || err != nil {
				return err
			}
		}
		rows, ok := v.([]any)
		if !ok {
			rows = []any{v}
		}
		for i, row := range rows {
			if err := l.row(row, fmt.Sprintf("row %d", i)); err != nil {
				return err
			}
		}
		return nil
	}
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		v, lineErr := report.ParseLine(l.path, number, line)
		if lineErr != nil {
			if number == 1 {
				return err // the error is of the whole file
			}
			return lineErr
		}
		if err := l.row(v, fmt.Sprintf("line %d", number)); err != nil {
			return err
		}
	}
	return nil
}

// row adds a row of numbers.
func (l *lossLog) row(v any, where string) error {
	o, ok := v.(report.Object)
	if !ok {
		return fmt.Errorf("%s: %s is no object of numbers", l.path, where)
	}
	l.rows = append(l.rows, map[string]float64{})
	for _, key := range o.Keys() {
		value, _ := o.Get(key)
		name := lossName(key)
		if name == "" {
			continue
		}
		if _, twice := l.rows[len(l.rows)-1][name]; twice {
			return l.twice(where, name)
		}
		switch value := value.(type) {
		case json.Number:
			f, err := value.Float64()
			if err != nil {
				f = math.Inf(1)
			}
			l.set(name, f)
		case nil:
			if known(name) {
				l.set(name, math.NaN())
			}
		}
	}
	return nil
}

// twice is the error for two keys of one name.
func (l *lossLog) twice(where, name string) error {
	return fmt.Errorf("%s: %s has %s twice: a/b and a_b are one name", l.path, where, name)
}

// lists reads lists of numbers by name; ok is false if there are none.
func (l *lossLog) lists(o report.Object) (present bool, err error) {
	for _, key := range o.Keys() {
		value, _ := o.Get(key)
		list, ok := value.([]any)
		if !ok || len(list) == 0 {
			continue
		}
		name := lossName(key)
		if slices.Contains(l.names, name) {
			return false, l.twice("the file", name)
		}
		present = l.column(name, len(list), func(i int) (float64, bool) {
			n, ok := list[i].(json.Number)
			if !ok {
				return math.NaN(), list[i] == nil
			}
			f, err := n.Float64()
			return f, err == nil
		}) || present
	}
	return present, nil
}

// column adds a column that begins in the first row; false if something in it is no
// number.
func (l *lossLog) column(name string, n int, value func(i int) (float64, bool)) bool {
	values := make([]float64, n)
	for i := range values {
		v, ok := value(i)
		if !ok {
			return false
		}
		values[i] = v
	}
	for len(l.rows) < n {
		l.rows = append(l.rows, map[string]float64{})
	}
	if name != "" && !slices.Contains(l.names, name) {
		l.names = append(l.names, name)
	}
	for i, v := range values {
		l.rows[i][name] = v
	}
	return true
}

// readCheckpoint reads numbers and lists of numbers of a checkpoint.
func (l *lossLog) readCheckpoint() error {
	f, err := torchfile.Open(l.path)
	if err != nil {
		return err
	}
	defer f.Close()
	root, ok := f.Root().(*torchfile.Dict)
	if !ok {
		return fmt.Errorf("%s: want a dict with epoch, train_loss, val_loss, got %s", l.path, torchfile.TypeName(f.Root()))
	}
	single := map[string]float64{}
	for key, value := range root.All() {
		name := lossName(key)
		if slices.Contains(l.names, name) {
			return l.twice("the file", name)
		}
		if list, ok := value.([]any); ok && len(list) > 0 {
			l.column(name, len(list), func(i int) (float64, bool) { return scalar(list[i]) })
			continue
		}
		if v, ok := scalar(value); ok && name != "" {
			single[name] = v
			if !slices.Contains(l.names, name) {
				l.names = append(l.names, name)
			}
		}
	}
	if len(l.rows) == 0 {
		l.rows = append(l.rows, single)
	}
	return nil
}

// scalar is a number of a checkpoint.
func scalar(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	case pickle.Long:
		f, _ := strconv.ParseFloat(v.String(), 64) // too large is infinite
		return f, true
	case *torchfile.Tensor:
		if v.Len() != 1 {
			return 0, false
		}
		values, err := v.Float64()
		if err != nil {
			return 0, false
		}
		return values[0], true
	}
	return 0, false
}

// add adds the wanted columns of a log.
func (l *Losses) add(log *lossLog, spec LossSpec, columns []string) error {
	wanted := columns
	if wanted == nil {
		wanted = DefaultLossColumns()
	}
	x := log.axis()
	present := false
	for _, name := range log.names {
		as := name
		if name == "Value" && (spec.Column != "" || columns == nil) {
			as = cmp.Or(spec.Column, "Value")
		} else if !slices.ContainsFunc(wanted, func(pattern string) bool { return text.Wildcard(pattern, name) }) {
			continue
		}
		if slices.ContainsFunc(l.Curves, func(c *Curve) bool { return c.Column == as }) {
			return fmt.Errorf("%s: %s already has the column %s, of %s; name it with NAME:COLUMN=FILE", spec.Path, l.Name, as, strings.Join(l.Files, ", "))
		}
		if c := log.curve(name, as, x); c.Points+c.Undefined > 0 {
			l.Curves = append(l.Curves, c)
			present = true
		}
	}
	if !present {
		hint := ""
		for _, want := range wanted {
			if near := text.Nearest(want, log.names); near != "" {
				hint = fmt.Sprintf("; did you mean --loss-columns %s?", near)
				break
			}
		}
		return fmt.Errorf("%s: it has none of the columns %s (there are %s)%s", spec.Path, strings.Join(wanted, ", "), strings.Join(log.names, ", "), hint)
	}
	l.Files = append(l.Files, spec.Path)
	if l.X == "" || l.X == "row" {
		l.X = strings.TrimPrefix(strings.ToLower(cmp.Or(x, "row")), "_")
	}
	return nil
}

// axis is the name of the column of steps or epochs, empty if there is none.
func (l *lossLog) axis() string {
	for _, want := range stepNames {
		for _, name := range l.names {
			if strings.ToLower(name) == want {
				return name
			}
		}
	}
	return ""
}

// curve is one column by the axis; without an axis by the row, from 1.
func (l *lossLog) curve(column, as, axis string) *Curve {
	c := &Curve{Column: as, Direction: report.Lower}
	if m, ok := WellKnown(as); ok && m.Direction != report.Neither {
		c.Direction = m.Direction
	}
	for i, row := range l.rows {
		y, ok := row[column]
		if !ok {
			continue
		}
		x, placed := row[axis]
		if axis == "" {
			x, placed = float64(i+1), true
		}
		if !placed || math.IsNaN(x) || math.IsInf(x, 0) {
			x = float64(i + 1)
		}
		if math.IsNaN(y) || math.IsInf(y, 0) {
			c.Undefined++
			continue
		}
		c.XY = append(c.XY, [2]float64{x, y})
	}
	slices.SortStableFunc(c.XY, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
	c.Points = len(c.XY)
	if c.Points == 0 {
		none := report.Undefined("no point is a finite number")
		c.Final, c.FinalAt, c.Best, c.BestAt = none, none, none, none
		return c
	}
	best := c.XY[0]
	for _, p := range c.XY {
		if c.Direction == report.Higher && p[1] > best[1] || c.Direction != report.Higher && p[1] < best[1] {
			best = p
		}
	}
	last := c.XY[c.Points-1]
	c.Final, c.FinalAt, c.Best, c.BestAt = report.Number(last[1]), report.Number(last[0]), report.Number(best[1]), report.Number(best[0])
	return c
}
