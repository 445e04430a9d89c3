// The matching blocks of Ratcliff and Obershelp.

package text

import (
	"slices"
)

// matcher finds blocks of a in b; its memory is kept.
type matcher struct {
	first, places []int32 // places of b by code: places[first[code]:first[code+1]], ascending
	// By the parity of the row and the place in b: the length of the equal run that ends there,
	// and when that was written.
	run, written [2][]int32
	clock        int32
	open         []span
}

// span is a part of both sequences in which blocks are still to be found.
type span struct{ a0, a1, b0, b1 int32 }

// Matching returns how many elements are in the matching blocks of a and b (Ratcliff & Metzener
// 1988): the longest run of elements that is in both, and so on to the left of it in both and to
// the right of it in both. Of several longest runs it is the first of a, and of these the first of b;
// hence the number may be another with a and b exchanged. It is what Python's difflib counts with
// autojunk off. Time O(n·m) where matches nest in few levels, up to that times the shorter
// length; only pairs of equal elements are visited.
func (c *Comparer[T]) Matching(a, b Sequence) int {
	m := &c.match
	m.index(b, c.Size())
	total := 0
	m.open = append(m.open[:0], span{0, int32(len(a)), 0, int32(len(b))})
	for len(m.open) > 0 {
		s := m.open[len(m.open)-1]
		m.open = m.open[:len(m.open)-1]
		i, j, length := m.longest(a, s)
		if length == 0 {
			continue
		}
		total += int(length)
		if i > s.a0 && j > s.b0 {
			m.open = append(m.open, span{s.a0, i, s.b0, j})
		}
		if i+length < s.a1 && j+length < s.b1 {
			m.open = append(m.open, span{i + length, s.a1, j + length, s.b1})
		}
	}
	return total
}

// index finds the places of all codes in b.
func (m *matcher) index(b Sequence, codes int) {
	m.first = slices.Grow(m.first[:0], codes+2)[:codes+2]
	clear(m.first)
	for _, code := range b {
		m.first[code+2]++
	}
	for code := range codes {
		m.first[code+2] += m.first[code+1]
	}
	m.places = slices.Grow(m.places[:0], len(b))[:len(b)]
	for j, code := range b {
		m.places[m.first[code+1]] = int32(j)
		m.first[code+1]++
	}
	for parity := range m.run {
		m.run[parity] = slices.Grow(m.run[parity][:0], len(b))[:len(b)]
		m.written[parity] = slices.Grow(m.written[parity][:0], len(b))[:len(b)]
		clear(m.written[parity])
	}
	m.clock = 0
}

// longest finds the longest run in a span: where it begins in a and b, and its length.
func (m *matcher) longest(a Sequence, s span) (atA, atB, length int32) {
	m.age(s.a1 - s.a0)
	m.clock++ // nothing is the row before the first
	for i := s.a0; i < s.a1; i++ {
		m.clock++
		run, written := m.run[i&1], m.written[i&1]
		before, beforeWritten := m.run[i&1^1], m.written[i&1^1]
		places := m.places[m.first[a[i]]:m.first[a[i]+1]]
		if s.b0 > 0 {
			from, _ := slices.BinarySearch(places, s.b0)
			places = places[from:]
		}
		for _, j := range places {
			if j >= s.b1 {
				break
			}
			n := int32(1)
			if j > s.b0 && beforeWritten[j-1] == m.clock-1 {
				n += before[j-1]
			}
			run[j], written[j] = n, m.clock
			if n > length {
				atA, atB, length = i-n+1, j-n+1, n
			}
		}
	}
	return atA, atB, length
}

// age forgets when runs were written before the clock would overflow.
func (m *matcher) age(rows int32) {
	if m.clock < 1<<31-2-rows {
		return
	}
	clear(m.written[0])
	clear(m.written[1])
	m.clock = 0
}

// Ratio returns 2·M / (letters of both texts), where M letters are in matching blocks (see
// [Comparer.Matching]), in [0, 1]: 1 for equal texts, two empty ones among them. It is not quite
// symmetric.
func Ratio(a, b string) float64 {
	var c Comparer[rune]
	return c.Ratio(c.Encode([]rune(a)), c.Encode([]rune(b)))
}

// Ratio returns 2·M / (lengths of both). See [Ratio].
func (c *Comparer[T]) Ratio(a, b Sequence) float64 {
	if len(a)+len(b) == 0 {
		return 1
	}
	return ratio(2*c.Matching(a, b), len(a)+len(b))
}
