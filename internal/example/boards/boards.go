// Package boards is the built-in example of generators: problems on a toy climbing board, and models of them with one
// known defect each.
//
// A problem is a set of holds of a board of 11 columns and 18 rows: one or two start holds, low; one or two end holds
// at the top; and holds between them. A small rule draws it for a grade: the harder, the fewer holds, the wider the
// moves, the worse the holds and the higher the first of them. Nothing is stored; a seed gives the same problems on
// every machine, in milliseconds.
//
//	e := boards.Example()
//	fmt.Println(e.Train.Problem(0)) // [3, 18, 11]
package boards

import (
	"math"

	"repscope/stat"
)

// The size of a grid: channels start, middle and end, row 1 first, column A first.
const (
	Channels = 3
	Rows     = 18
	Columns  = 11
	Cells    = Channels * Rows * Columns
)

// The channels of a grid.
const (
	start = iota
	middle
	end
)

// Grades are the names of the example's grades, the easiest first; the label of a grade is FirstLabel + its index.
var Grades = []string{"6A", "6A+", "6B", "6B+", "6C", "6C+"}

// FirstLabel is the label of the first grade among the grades of the board, from 5+ on.
const FirstLabel = 1

// PerGrade is the number of problems of every grade, in every set.
const PerGrade = 30

// seed of the example.
const seed = 13

// Set is problems with their labels, actual or requested.
type Set struct {
	Cells []uint8 // [N, Channels, Rows, Columns], 0 or 1
	Label []int
	grade []int // that they were set by
}

// Len is the number of problems.
func (s *Set) Len() int { return len(s.Label) }

// Problem is the i-th grid; it aliases s.Cells.
func (s *Set) Problem(i int) []uint8 { return s.Cells[i*Cells : (i+1)*Cells : (i+1)*Cells] }

func (s *Set) add(p []uint8, label, grade int) {
	s.Cells = append(s.Cells, p...)
	s.Label = append(s.Label, label)
	s.grade = append(s.grade, grade)
}

// cell is the index of a hold in a grid.
func cell(channel, row, column int) int { return (channel*Rows+row)*Columns + column }

// quality of a hold, from 0 (good) to 1, is a property of the board.
func quality(row, column int) float64 {
	bits := stat.Philox4x32([4]uint32{uint32(row), uint32(column)}, [2]uint32{seed, 0})
	return float64(bits[0]) / (1 << 32)
}

// set sets a problem of a grade, 0 … len(Grades)−1.
func set(r *stat.Random, grade int) []uint8 {
	p := make([]uint8, Cells)
	hard := float64(grade) / float64(len(Grades)-1)
	row := 2 + r.Intn(3) + grade/4
	column := 2 + r.Intn(Columns-4)
	p[cell(start, row, column)] = 1
	if r.Float64() < 0.6-0.3*hard { // both hands on holds of their own
		other := column + 1 + r.Intn(3)
		if other >= Columns {
			other = column - 2
		}
		p[cell(start, row, other)] = 1
	}
	holds := 8 - grade + r.Intn(3)
	side := 1 - 2*r.Intn(2)
	const top = Rows - 2
	for k := range holds {
		y := row + 1 + int(float64(top-row)*(float64(k)+0.2+0.6*r.Float64())/float64(holds))
		column = move(r, y, column, side, hard)
		p[cell(middle, y, column)] = 1
		if r.Float64() < 0.75 { // the other hand
			side = -side
		}
	}
	column = move(r, Rows-1, column, side, hard)
	p[cell(end, Rows-1, column)] = 1
	if r.Float64() < 0.15 {
		p[cell(end, Rows-1, (column+1)%Columns)] = 1
	}
	return p
}

// move finds the next hold in a row: one of a few in reach, whose quality suits the
// grade best.
func move(r *stat.Random, row, column, side int, hard float64) int {
	best, least := column, math.Inf(1)
	for range 3 {
		reach := r.Intn(3 + int(3*hard+0.5))
		to := column + side*reach
		if to < 0 || to >= Columns {
			to = column - side*reach
		}
		to = min(max(to, 0), Columns-1)
		if off := math.Abs(quality(row, to) - hard); off < least {
			best, least = to, off
		}
	}
	return best
}

// draw draws this many problems of every grade.
func draw(r *stat.Random, each int) Set {
	var s Set
	for grade := range Grades {
		for range each {
			s.add(set(r, grade), FirstLabel+grade, grade)
		}
	}
	return s
}

// random is the stream of a part of the example.
func random(part uint64) *stat.Random { return stat.NewRandom(stat.StreamBoards.Key(seed, part)) }
