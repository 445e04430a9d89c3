// Package climbing reads problems of a climbing board: sets of them in JSON, and the holds of a grid.
package climbing

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"repscope/dataset"
	"repscope/internal/regular"
	"repscope/internal/text"
)

// The size of a board: a grid [Channels, Rows, Columns] has a cell for each
// hold in the channels start, middle and end, row 1 and column A first.
const (
	Channels = 3
	Rows     = 18
	Columns  = 11
	Cells    = Channels * Rows * Columns

	boardHolds = Rows * Columns
)

// The channels of a board.
const (
	boardStart = iota
	boardMiddle
	boardEnd
)

// Shape is the shape of a grid.
func Shape() []int { return []int{Channels, Rows, Columns} }

// ChannelNames are the names of the channels.
func ChannelNames() []string { return []string{"start", "middle", "end"} }

// Grades are the names of the grades of a board, whose labels are 0 to 18.
func Grades() []string {
	return []string{"5+", "6A", "6A+", "6B", "6B+", "6C", "6C+", "7A", "7A+", "7B", "7B+", "7C", "7C+", "8A", "8A+", "8B", "8B+", "8C", "8C+"}
}

// Problems is a set of problems as a file holds them. Lists have an element for every
// problem that could be read.
type Problems struct {
	Cells  []uint8  // [N, Cells], 0 or 1
	Grades []string // as they are written; empty where there is none
	Index  []int    // in the file
	Stated []Stated // the file's own statements of validity
	Bad    []BadProblem
}

// Len is the number of problems that could be read.
func (p *Problems) Len() int { return len(p.Index) }

// Grid is the i-th of them; it aliases Cells.
func (p *Problems) Grid(i int) []uint8 { return p.Cells[i*Cells : (i+1)*Cells] }

// Stated is a file's statement of the validity of a problem: none, valid or invalid.
type Stated uint8

// The values of Stated.
const (
	NotStated Stated = iota
	StatedInvalid
	StatedValid
)

// BadProblem is a problem that could not be read, by its index in the file.
type BadProblem struct {
	Index  int
	Reason string
}

func (b BadProblem) Error() string { return fmt.Sprintf("problem %d: %s", b.Index, b.Reason) }

// problem is one of them in JSON; names are read in any case.
type problem struct {
	Grade      *string
	Moves      []move
	Validation *struct{ Valid *bool }
}

type move struct {
	Description    string
	IsStart, IsEnd bool
}

// ReadProblems reads a set of problems, {"data": [problem, …]} or a bare list. A problem is {"grade": "6B+", "moves":
// [{"description": "F7", "isStart": true, "isEnd": false}, …]}; names can have a capital ("Grade"). A hold that is
// start and end, or that appears twice, is set in all its channels. Unreadable problems are left out and listed with
// the reason; the file is read in parts. Errors: text that is not JSON, or not a list of problems.
func ReadProblems(path string) (*Problems, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, regular.PathError(err)
	}
	defer f.Close()
	p, err := readProblems(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

func readProblems(r io.Reader) (*Problems, error) {
	d := json.NewDecoder(r)
	if err := toList(d); err != nil {
		return nil, dataset.JSONError(err)
	}
	p := &Problems{}
	for i := 0; d.More(); i++ {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, dataset.JSONError(err)
		}
		grid, fields, err := readProblem(raw)
		if err != nil {
			p.Bad = append(p.Bad, BadProblem{i, err.Error()})
			continue
		}
		grade, stated := "", NotStated
		if fields.Grade != nil {
			grade = strings.TrimSpace(*fields.Grade)
		}
		if v := fields.Validation; v != nil && v.Valid != nil {
			if stated = StatedInvalid; *v.Valid {
				stated = StatedValid
			}
		}
		p.Cells, p.Grades, p.Index, p.Stated = append(p.Cells, grid[:]...), append(p.Grades, grade), append(p.Index, i), append(p.Stated, stated)
	}
	if _, err := d.Token(); err != nil {
		return nil, dataset.JSONError(err)
	}
	return p, nil
}

// toList moves to the first problem: into the list, or into that under "data".
func toList(d *json.Decoder) error {
	const want = `want {"data": [problem, …]} or a list of problems`
	token, err := d.Token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('['):
		return nil
	case json.Delim('{'):
	default:
		return errors.New("it is not a list; " + want)
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		if name, _ := key.(string); !strings.EqualFold(name, "data") {
			var skipped json.RawMessage
			if err := d.Decode(&skipped); err != nil {
				return err
			}
			continue
		}
		if token, err = d.Token(); err != nil {
			return err
		}
		if token != json.Delim('[') {
			return errors.New(`"data" is not a list; ` + want)
		}
		return nil
	}
	return errors.New(`there is no "data"; ` + want)
}

// readProblem reads one problem.
func readProblem(raw json.RawMessage) (grid [Cells]uint8, fields problem, err error) {
	if len(raw) == 0 || raw[0] != '{' {
		return grid, fields, fmt.Errorf("it is %.40s, want an object with grade and moves", raw)
	}
	if err := text.Unmarshal(raw, &fields); err != nil {
		return grid, fields, err
	}
	if len(fields.Moves) == 0 {
		return grid, fields, errors.New("it has no moves")
	}
	for i, m := range fields.Moves {
		hold, err := parseHold(m.Description)
		if err != nil {
			return grid, fields, fmt.Errorf("move %d: %w", i, err)
		}
		if m.IsStart {
			grid[boardStart*boardHolds+hold] = 1
		}
		if m.IsEnd {
			grid[boardEnd*boardHolds+hold] = 1
		}
		if !m.IsStart && !m.IsEnd {
			grid[boardMiddle*boardHolds+hold] = 1
		}
	}
	return grid, fields, nil
}

// parseHold reads a column A to K and a row 1 to 18, such as F7, as the cell of a channel.
func parseHold(text string) (int, error) {
	s := strings.ToUpper(strings.TrimSpace(text))
	if s == "" {
		return 0, errors.New("it has no description of a hold, such as F7")
	}
	column := int(s[0]) - 'A'
	row, err := strconv.Atoi(s[1:])
	if column < 0 || column >= Columns || err != nil || row < 1 || row > Rows || s[1] == '+' {
		return 0, fmt.Errorf("%q is not a hold: want a column A to K and a row 1 to 18, such as F7", text)
	}
	return (row-1)*Columns + column, nil
}

// Board is the summary of a grid.
type Board struct {
	Holds, Start, End int
	// Middle are holds that are neither start nor end; Rest is Holds − Start − End, less by
	// one for each hold that is both.
	Middle, Rest int
	// Vertical and Horizontal are the rows and the columns between the outermost holds.
	Vertical, Horizontal int
}

// BoardOf counts the holds of a grid of Cells cells. A hold that is in several channels
// is one hold.
func BoardOf(grid []uint8) Board {
	var b Board
	low, high, left, right := Rows, -1, Columns, -1
	for hold := range boardHolds {
		start, middle, end := grid[hold] != 0, grid[boardHolds+hold] != 0, grid[2*boardHolds+hold] != 0
		if !start && !middle && !end {
			continue
		}
		b.Holds++
		if start {
			b.Start++
		}
		if end {
			b.End++
		}
		if !start && !end {
			b.Middle++
		}
		row, column := hold/Columns, hold%Columns
		low, high, left, right = min(low, row), max(high, row), min(left, column), max(right, column)
	}
	b.Rest = b.Holds - b.Start - b.End
	if b.Holds > 0 {
		b.Vertical, b.Horizontal = high-low, right-left
	}
	return b
}

// Valid reports whether a problem has a start, an end and at least 3 other holds.
func (b Board) Valid() bool { return b.Start >= 1 && b.End >= 1 && b.Middle >= 3 }

// Unusual describes properties of a problem that are unusual but can be valid.
func (b Board) Unusual() []string {
	var out []string
	for _, rule := range []struct {
		strange bool
		what    string
	}{{b.Holds > 20, "more than 20 holds"}, {b.Start > 4, "more than 4 start holds"}, {b.End > 2, "more than 2 end holds"}} {
		if rule.strange {
			out = append(out, rule.what)
		}
	}
	return out
}

// Statistics are the names of the numbers that [Board.Statistics] gives.
func Statistics() []string {
	return []string{"num_holds", "num_start", "num_end", "num_middle", "vertical_spread", "horizontal_spread"}
}

// Statistics are the numbers by which sets of problems are compared, in the order of
// [Statistics]; documented takes Rest for num_middle.
func (b Board) Statistics(documented bool) []float64 {
	middle := b.Middle
	if documented {
		middle = b.Rest
	}
	return []float64{float64(b.Holds), float64(b.Start), float64(b.End), float64(middle), float64(b.Vertical), float64(b.Horizontal)}
}

// IsBoard reports whether grids of a shape are boards.
func IsBoard(shape []int) bool { return slices.Equal(shape, Shape()) }
