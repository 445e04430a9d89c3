//go:build cuda

// Ranks in blocks of rows on a GPU.

package gpu

import (
	"errors"

	"repscope/internal/cuda"
	"repscope/neighbors/internal/rows"
	"repscope/neighbors/internal/scan"
)

// listRanks are the answers for one list per row, one after the other.
type listRanks struct {
	offset []int // of each row, and the end
	before []uint32
	ties   []uint32 // of entries or, of averaged ones, in every group
}

// rank answers, for list r of loaded row first+r, how many candidates come before
// each entry in every group, and how many others lie at the same distance. Where ties are
// averaged, how many are strictly nearer and how many, with itself, as near, in every group.
func (s *deviceRows) rank(first int, lists []rows.Listed) error {
	length, kernel, counters, tied := pieceLength, "rank", 1, 1
	if s.averages {
		kernel, counters, tied = "place", 2, s.groups
	}
	if s.groups > 1 {
		length = max(1, min(length, 9000/counters/s.groups-1))
	}
	var list []int32
	var start, row []uint32
	s.ranked.offset = s.ranked.offset[:0]
	for r, l := range lists {
		s.ranked.offset = append(s.ranked.offset, len(list))
		for at := 0; at < len(l.Index); at += length {
			start = append(start, uint32(len(list)+at))
			row = append(row, uint32(first+r-s.lo))
		}
		list = append(list, l.Index...)
	}
	s.ranked.offset = append(s.ranked.offset, len(list))
	pieces := len(start)
	start = append(start, uint32(len(list)))
	s.ranked.before = scan.Grown(s.ranked.before, len(list)*s.groups)
	s.ranked.ties = scan.Grown(s.ranked.ties, len(list)*tied)
	if pieces == 0 {
		return nil
	}
	if err := errors.Join(fill(s.session, &s.list, list), fill(s.session, &s.start, start), fill(s.session, &s.rows, row),
		s.grow(&s.before, 4*len(list)*s.groups), s.grow(&s.ties, 4*len(list)*tied)); err != nil {
		return err
	}
	if err := s.launch(s.kernel(kernel), [3]int{pieces, 1, 1}, [3]int{256, 1, 1}, 4*(counters*length+1)*s.groups,
		uint64(s.keys.at), uint64(s.points.N), uint64(s.list.at), uint64(s.start.at), uint64(s.rows.at), uint64(s.group), uint64(s.groups),
		uint64(s.before.at), uint64(s.ties.at)); err != nil {
		return err
	}
	return errors.Join(s.stream.Synchronize(),
		cuda.Download(s.context, s.ranked.before, s.before.at), cuda.Download(s.context, s.ranked.ties, s.ties.at))
}

// ranker reads the prepared answers.
type ranker struct {
	rows  *deviceRows
	first *int // of the lists that were ranked
}

// Ranks returns the prepared ranks of the list of point i; see ranker.
func (w ranker) Ranks(i int, list []int32, tied int, rank, closer []int32) (ties int64) {
	s, r := w.rows, i-*w.first
	offset := s.ranked.offset[r]
	for q := range list {
		sum := uint32(0)
		for g, c := range s.ranked.before[(offset+q)*s.groups : (offset+q+1)*s.groups] {
			sum += c
			if s.group != 0 {
				closer[q*s.groups+g] = int32(c)
			}
		}
		rank[q] = int32(sum) + 1
		if q < tied {
			ties += int64(s.ranked.ties[offset+q])
		}
	}
	return ties
}

// Place returns the prepared positions of the list of point i; see ranker.
func (w ranker) Place(i int, list []int32, grouped bool, p *rows.Places) {
	s, r := w.rows, i-*w.first
	lo, groups := s.ranked.offset[r], s.groups
	counted := 0
	if grouped && s.group != 0 {
		counted = groups
	}
	p.Reset(len(list), counted)
	p.TiedOf = scan.Grown(p.TiedOf, len(list)*counted)
	for q := range list {
		below, tied := s.ranked.before[(lo+q)*groups:(lo+q+1)*groups], s.ranked.ties[(lo+q)*groups:(lo+q+1)*groups]
		p.Below[q], p.Tied[q] = 0, 0
		for g := range groups {
			p.Below[q] += int32(below[g])
			p.Tied[q] += int32(tied[g])
			if counted > 0 {
				p.BelowOf[q*groups+g], p.TiedOf[q*groups+g] = int32(below[g]), int32(tied[g])
			}
		}
		p.Ties = p.Ties || p.Tied[q] > 1
	}
}
