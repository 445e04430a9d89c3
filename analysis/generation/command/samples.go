// Samples read from files: problems of a board, grids, and rows of numbers.

package command

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"repscope/analysis/generation"
	"repscope/analysis/generation/climbing"
	"repscope/dataset"
	"repscope/internal/run"
	"repscope/internal/tabular"
	"repscope/internal/text"
	"repscope/points"
)

// samples reads generated or real samples of any kind.
func (l *loader) samples(role, name, path string) (*generation.Samples, error) {
	var s *generation.Samples
	var err error
	kind := "grids"
	switch {
	case strings.EqualFold(filepath.Ext(path), ".json"):
		kind = "problems"
		s, err = l.problems(path)
	case dataset.IsTable(path):
		kind = "table"
		s, err = l.table(path)
	default:
		s, err = l.grids(path)
	}
	if err != nil {
		return nil, err
	}
	if n := l.f.generator.samples; n > 0 && role == "generated" {
		s = firstOfLabels(s, n)
	}
	return s, l.enter(role, name, path, kind, append([]int{s.N()}, s.Shape...))
}

// problems reads a set of problems.
func (l *loader) problems(path string) (*generation.Samples, error) {
	p, err := climbing.ReadProblems(path)
	if err != nil {
		return nil, err
	}
	names := l.names
	if names == nil {
		names = grades()
	}
	byName := map[string]int{}
	for label, name := range names {
		byName[name] = label
	}
	graded := slices.ContainsFunc(p.Grades, func(g string) bool { return g != "" })
	bad := slices.Clone(p.Bad)
	s := &generation.Samples{Name: path, Shape: climbing.Shape(), Channels: climbing.ChannelNames()}
	var cells []uint8
	var stated []climbing.Stated
	for i := range p.Len() {
		if graded {
			label, ok := byName[p.Grades[i]]
			if !ok {
				bad = append(bad, climbing.BadProblem{Index: p.Index[i], Reason: l.noGrade(p.Grades[i])})
				continue
			}
			s.Labels = append(s.Labels, label)
		}
		cells, stated = append(cells, p.Grid(i)...), append(stated, p.Stated[i])
	}
	slices.SortFunc(bad, func(a, b climbing.BadProblem) int { return a.Index - b.Index })
	if len(bad) > 0 && l.f.strict {
		return nil, run.Hint(fmt.Errorf("%s: %w", path, bad[0]), "remove --strict to leave out such problems")
	}
	if graded && l.names == nil {
		l.names = names
	}
	if len(cells) == 0 {
		reason := ""
		if len(bad) > 0 {
			reason = ": " + bad[0].Error()
		}
		return nil, fmt.Errorf("%s contains no readable problems%s", path, reason)
	}
	for i, b := range bad {
		s.LeftOut = append(s.LeftOut, generation.Bad(b))
		if i < 3 {
			l.env.Warn("%s: %v; left out", path, b)
		}
	}
	if len(bad) > 3 {
		l.env.Warn("%s: %s left out in all", path, text.Count(len(bad), "problem"))
	}
	s.Rows = points.Uint8(cells, climbing.Cells)
	l.board(s, stated)
	return s, nil
}

// noGrade says why a grade has no label.
func (l *loader) noGrade(grade string) string {
	switch {
	case grade == "":
		return "no grade, although other problems have one"
	case l.names != nil:
		return fmt.Sprintf("grade %q is not a label name of the other inputs", grade)
	}
	return fmt.Sprintf("grade %q is not one of 5+, 6A … 8C+", grade)
}

// board adds what boards bring with them: statistics, and which problems are valid: as
// the file says, or by our rule.
func (l *loader) board(s *generation.Samples, stated []climbing.Stated) {
	n := s.N()
	s.Valid = make([]bool, n)
	for _, name := range climbing.Statistics() {
		s.Statistics = append(s.Statistics, generation.Statistic{Name: name, Values: make([]float64, n),
			Published: name != "horizontal_spread"})
	}
	unusual := map[string]int{}
	var order []string
	for i := range n {
		b := climbing.BoardOf(s.Rows.U8[i*climbing.Cells : (i+1)*climbing.Cells])
		for k, v := range b.Statistics(l.f.o.Definition == generation.DefinitionDocumented) {
			s.Statistics[k].Values[i] = v
		}
		s.Valid[i] = b.Valid()
		if stated != nil && stated[i] != climbing.NotStated {
			valid := stated[i] == climbing.StatedValid
			if valid != s.Valid[i] {
				s.Disagreements++
			}
			if !l.f.revalidate {
				s.Valid[i] = valid
			}
		}
		for _, what := range b.Unusual() {
			if unusual[what] == 0 {
				order = append(order, what)
			}
			unusual[what]++
		}
	}
	slices.Sort(order)
	for _, what := range order {
		s.Warned = append(s.Warned, generation.Warned{What: what, Count: unusual[what]})
	}
}

// sampleColumns are the columns of a table of samples that are no numbers of them.
var sampleColumns = []tabular.Column{
	{Name: labelKeys[0], Found: labelKeys[1:], Optional: true},
	{Name: groupKeys[0], Optional: true},
}

// table reads rows of numbers, whose columns but label are their statistics.
func (l *loader) table(path string) (*generation.Samples, error) {
	columns, err := l.columns(path)
	if err != nil {
		return nil, err
	}
	places, err := tabular.Find(namesOf(columns), sampleColumns...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s := &generation.Samples{Name: path}
	n := columns[0].Len()
	var numeric []dataset.Column
	var texts []string
	for k, c := range columns {
		switch {
		case k == places[0]:
			if s.Labels, err = l.labelsOf(&c, path); err != nil {
				return nil, err
			}
		case k == places[1]:
			if s.Groups, err = groupsOf(&c, path); err != nil {
				return nil, err
			}
		case c.Texts != nil:
			texts = append(texts, c.Name)
		default:
			numeric = append(numeric, c)
		}
	}
	if len(numeric) == 0 {
		return nil, fmt.Errorf("%s has no numeric columns except the label", path)
	}
	if texts != nil {
		l.env.Warn("%s: text columns left out: %s", path, strings.Join(texts, ", "))
	}
	rows := make([]float64, n*len(numeric))
	for k, c := range numeric {
		if err := filled(&c, path); err != nil {
			return nil, err
		}
		values := make([]float64, n)
		for i := range n {
			if c.Ints != nil {
				values[i] = float64(c.Ints[i])
			} else {
				values[i] = c.Floats[i]
			}
			if math.IsNaN(values[i]) || math.IsInf(values[i], 0) {
				return nil, fmt.Errorf("%s: column %s: row %d is %v, want a finite number", path, c.Name, i, values[i])
			}
			rows[i*len(numeric)+k] = values[i]
		}
		s.Statistics = append(s.Statistics, generation.Statistic{Name: c.Name, Values: values, Published: true})
	}
	if s.Rows, s.Columns = points.Float64(rows, len(numeric)), namesOf(numeric); tabular.Numbered(s.Columns) {
		l.env.Note("note: %s has no column names: columns are named 0, 1, … and matched by position", path)
	}
	return s, nil
}

// isLabel reports whether a column or an array has the name of labels.
func isLabel(name string) bool {
	return slices.Contains([]string{"label", "labels", "grade", "grades"}, strings.ToLower(name))
}

// errNoKey says that a file has no array of the names that were tried.
var errNoKey = errors.New("no such array")

// open opens the first of the arrays of the given names that a file has, or the only one.
func open(path string, keys ...string) (*dataset.Array, error) {
	names, err := dataset.ArrayNames(path)
	if err != nil {
		return nil, err
	}
	if names == nil {
		return dataset.Open(path)
	}
	for _, key := range keys {
		if slices.Contains(names, key) {
			return dataset.Open(path + ":" + key)
		}
	}
	return nil, fmt.Errorf("%s: %w: want one named %s; it has %s",
		path, errNoKey, strings.Join(keys, " or "), strings.Join(names, ", "))
}

// openLabels reads an array of a whole number per sample under one of the names; nil where there is
// none. Several are an error unless they are equal.
func openLabels(path string, n int, keys ...string) (values []int, err error) {
	names, err := dataset.ArrayNames(path)
	if err != nil || names == nil {
		return nil, err
	}
	first := ""
	for _, key := range keys {
		if !slices.Contains(names, key) {
			continue
		}
		read, err := readLabels(path+":"+key, n)
		if err != nil {
			return nil, run.Hint(err, key+" must be whole numbers; put their names into label_to_grade or "+
				"--label-names")
		}
		if first == "" {
			first, values = key, read
			continue
		}
		for i, v := range read {
			if v != values[i] {
				return nil, fmt.Errorf("%s: %s of sample %d is %d, but %s is %d: want one array of %s", path, key, i, v, first,
					values[i], keys[1])
			}
		}
	}
	return values, nil
}

// readLabels reads an array of n whole numbers.
func readLabels(spec string, n int) ([]int, error) {
	a, err := dataset.Open(spec)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	if a.Len() != n || a.RowLen() != 1 {
		return nil, fmt.Errorf("%s has shape %v, want [%d], one per sample", a.Name(), a.Shape(), n)
	}
	values := make([]int64, n)
	if err := a.ReadInt64(values, 0, n); err != nil {
		return nil, err
	}
	return ints(values), nil
}

// labelKeys and groupKeys are the names of arrays of labels and of groups.
var (
	labelKeys = []string{"label", "labels", "grade", "grades"}
	groupKeys = []string{"group", "groups"}
)

// annotations reads labels and groups next to an array, and the names of labels. Labels of a board
// without names, and without --label-names, are the grades of boards.
func (l *loader) annotations(path string, n int, board bool) (labels, groups []int, err error) {
	if labels, err = openLabels(path, n, labelKeys...); err != nil {
		return nil, nil, err
	}
	if groups, err = openLabels(path, n, groupKeys...); err != nil {
		return nil, nil, err
	}
	names, err := ownNames(path)
	switch {
	case err != nil || labels == nil:
		return labels, groups, err
	case names != nil:
		return labels, groups, l.adopt(names, labels, path)
	case board && !l.given:
		return labels, groups, l.adopt(grades(), labels, path)
	}
	l.unnamed = append(l.unnamed, path)
	return labels, groups, l.number(path)
}

// ownNames are the names of labels that a file brings as label_to_grade; nil: none.
func ownNames(path string) (labels, error) {
	const key = "label_to_grade"
	names, err := dataset.ArrayNames(path)
	if err != nil || !slices.Contains(names, key) {
		return nil, err
	}
	content, err := dataset.ReadText(path, key)
	if err != nil {
		return nil, err
	}
	parsed, err := parseNames([]byte(content))
	if err != nil {
		return nil, fmt.Errorf("%s:%s: %w", path, key, err)
	}
	return parsed, nil
}

// piece is how many rows of an array are read at a time.
const piece = 1024

// grids reads binary grids.
func (l *loader) grids(path string) (*generation.Samples, error) {
	a, err := openSpec(path, "grids", "samples", "generated", "problems", "original", "data")
	if err != nil {
		return nil, err
	}
	defer a.Close()
	if len(a.Shape()) < 2 || a.RowLen() == 0 {
		return nil, fmt.Errorf("%s has shape %v, want grids [N,…]", a.Name(), a.Shape())
	}
	s := &generation.Samples{Name: path, Shape: slices.Clone(a.Shape()[1:])}
	cells := make([]uint8, a.Len()*a.RowLen())
	values := make([]float64, min(piece, a.Len())*a.RowLen())
	for lo := 0; lo < a.Len(); lo += piece {
		hi := min(lo+piece, a.Len())
		part := values[:(hi-lo)*a.RowLen()]
		if err := a.ReadFloat64(part, lo, hi); err != nil {
			return nil, err
		}
		for k, v := range part {
			if v != 0 && v != 1 {
				return nil, run.Hint(fmt.Errorf("%s: %s is %v, want 0 or 1", a.Name(), place(a.Shape(), lo*a.RowLen()+k), v),
					"round probabilities to 0 or 1 first")
			}
			cells[lo*a.RowLen()+k] = uint8(v)
		}
	}
	s.Rows = points.Uint8(cells, a.RowLen())
	board := climbing.IsBoard(s.Shape)
	if s.Labels, s.Groups, err = l.annotations(pathOf(path), a.Len(), board); err != nil {
		return nil, err
	}
	if board {
		s.Channels = climbing.ChannelNames()
		l.board(s, nil)
	}
	return s, nil
}

// openSpec opens FILE:key, or of FILE the first of the keys that it has.
func openSpec(spec string, keys ...string) (*dataset.Array, error) {
	if pathOf(spec) != spec {
		return dataset.Open(spec)
	}
	return open(spec, keys...)
}

// place is an index of an array, "[3,0,17,2]".
func place(shape []int, offset int) string {
	index := make([]string, len(shape))
	for i := len(shape) - 1; i >= 0; i-- {
		index[i] = strconv.Itoa(offset % shape[i])
		offset /= shape[i]
	}
	return "[" + strings.Join(index, ",") + "]"
}

// firstOfLabels takes the first n samples of every label.
func firstOfLabels(s *generation.Samples, n int) *generation.Samples {
	seen := map[int]int{}
	var keep []int
	for i := range s.N() {
		label := 0
		if s.Labels != nil {
			label = s.Labels[i]
		}
		if seen[label] < n {
			keep = append(keep, i)
		}
		seen[label]++
	}
	return s.Select(keep)
}
