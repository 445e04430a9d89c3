// The rules for equal distances.

package neighbors

import (
	"fmt"

	"repscope/neighbors/internal/rows"
	"repscope/neighbors/internal/scan"
	"repscope/stat"
)

// Ties defines how points at equal distances are ordered. If points are frames, the order of indices is the order of
// time: in both spaces it would count as agreement.
type Ties uint8

const (
	// TiesAverage gives the exact expectation over random orders of equal distances, independent in both spaces. Each of t
	// points at one distance with A nearer ones has every rank A+1 … A+t with probability 1/t. If m of them belong to the
	// k nearest, each does with probability m/t.
	TiesAverage Ties = iota
	// TiesRandom draws one such order from Options.Seed, for every row of every space. Under
	// Options.Permutations ties are averaged.
	TiesRandom
	// TiesIndex puts the lower index first, in both spaces.
	TiesIndex
)

// String returns the name as it is written on the command line.
func (t Ties) String() string {
	switch t {
	case TiesAverage:
		return "average"
	case TiesRandom:
		return "random"
	case TiesIndex:
		return "index"
	}
	return fmt.Sprintf("Ties(%d)", uint8(t))
}

// The spaces of random orders: embedded ones have the same, so that models are compared on
// the same draws and no model's numbers depend on which others there are.
const (
	orderOfOriginal = iota
	orderOfEmbedded
)

// shuffled returns neighbors and ranks with equal distances in random order. It ranks whole rows.
type shuffled struct {
	rows.Worker
	key    stat.Key // of the space
	point  func(row int) int
	group  []int32 // block of each point, nil without
	groups int

	row          int // that the order is of, −1 for none
	order, run   []int32
	decided      int64 // comparisons for that order
	inOrders     int64 // and for all orders so far, which depends on the rows that other workers have taken
	redecided    int64 // Redecided of the orders
	counted      int   // the row last in redecided, −1 for none
	place, count []int32
	drawn        []scan.Entry[int64]
}

// shuffledWorker is w with the random orders of a space; point returns the point of a row.
func (p *Pass) shuffledWorker(w rows.Worker, space uint64, point func(row int) int) *shuffled {
	return &shuffled{
		Worker: w, key: stat.StreamTies.Key(p.options.Seed, space), point: point,
		group: p.group, groups: max(1, len(p.blockIDs)), row: -1, counted: -1, place: make([]int32, p.n),
	}
}

// draw puts the whole row in order.
func (s *shuffled) draw(row int) {
	if s.row == row {
		return
	}
	s.row = row
	before := s.Worker.Redecided()
	s.order, s.run = s.Worker.NearestTied(row, len(s.place), s.order, s.run)
	s.decided = s.Worker.Redecided() - before
	s.inOrders += s.decided
	key := s.key.Derive(uint64(s.point(row)))
	for lo := 0; lo < len(s.order); {
		hi := rows.RunEnd(s.run, lo)
		if hi-lo > 1 {
			s.drawn = s.drawn[:0]
			for _, j := range s.order[lo:hi] {
				bits := key.Derive(uint64(j)).Word
				s.drawn = append(s.drawn, scan.Entry[int64]{Key: int64(bits[0])<<31 | int64(bits[1]>>1), Index: j})
			}
			scan.SortEntries(s.drawn)
			for at, e := range s.drawn {
				s.order[lo+at] = e.Index
			}
		}
		lo = hi
	}
	for at, j := range s.order {
		s.place[j] = int32(at)
	}
}

// Redecided implements rows.Worker. An order counts once, when its row's neighbors are requested, however often it is
// drawn.
func (s *shuffled) Redecided() int64 { return s.Worker.Redecided() - s.inOrders + s.redecided }

// Nearest implements rows.Worker.
func (s *shuffled) Nearest(row, count int, list []int32) []int32 {
	s.draw(row)
	if s.counted != row { // but in a longer list
		s.counted = row
		s.redecided += s.decided
	}
	return append(list[:0], s.order[:min(count, len(s.order))]...)
}

// Ranks implements rows.Ranker.
func (s *shuffled) Ranks(row int, list []int32, tied int, rank, closer []int32) (ties int64) {
	s.draw(row)
	for q, j := range list {
		position := int(s.place[j])
		rank[q] = int32(position) + 1
		if q < tied {
			lo := int(s.run[position])
			ties += int64(rows.RunEnd(s.run, lo) - lo - 1)
		}
	}
	if closer == nil || s.group == nil {
		return ties
	}
	// The listed points in order, and the blocks of all points before each.
	s.drawn = s.drawn[:0]
	for q := range list {
		s.drawn = append(s.drawn, scan.Entry[int64]{Key: int64(rank[q]), Index: int32(q)})
	}
	scan.SortEntries(s.drawn)
	s.count = scan.Zeroed(s.count, s.groups)
	passed := 0
	for _, e := range s.drawn {
		for ; passed < int(e.Key)-1; passed++ {
			s.count[s.group[s.order[passed]]]++
		}
		copy(closer[int(e.Index)*s.groups:], s.count)
	}
	return ties
}
