// Texts of one design that are parts of one text of the other.

package textblock

import (
	"cmp"
	"context"
	"slices"

	"repscope/measure/box"
)

const (
	// longestRun is the most siblings that are tried as one text, leastGain by how much their similarity has to exceed
	// the similarity of the parts.
	longestRun = 8
	leastGain  = 0.05
)

// join are texts of one design that are taken as one.
type join struct {
	generated bool // whose they are
	parts     []int
	joined    Block
	other     int // the text of the other design that they are like
	gain      float64
}

// joins chooses the siblings that become one text: runs of texts that follow each other below one node, in the
// order of the design, and are together more similar to a text of the other design, by more than leastGain,
// than their parts are to what they are matched with. The largest gains come first; no text is joined twice.
func (m *matcher) joins(ctx context.Context, t *Blocks) ([]join, error) {
	var candidates []join
	for _, generated := range []bool{false, true} {
		j := joiner{matcher: m, own: t.Reference, other: t.Generated, partners: t.matched(generated), generated: generated}
		if generated {
			j.own, j.other = j.other, j.own
		}
		if err := j.candidates(ctx); err != nil {
			return nil, err
		}
		candidates = append(candidates, j.found...)
	}
	slices.SortStableFunc(candidates, func(a, b join) int { return cmp.Compare(b.gain, a.gain) })
	used := [2]map[int]bool{{}, {}} // texts of both designs that are in a join, or are what one is like
	var chosen []join
next:
	for _, j := range candidates {
		first, other := used[0], used[1]
		if j.generated {
			first, other = other, first
		}
		for _, part := range j.parts {
			if first[part] {
				continue next
			}
		}
		if other[j.other] {
			continue
		}
		for _, part := range j.parts {
			first[part] = true
		}
		other[j.other] = true
		chosen = append(chosen, j)
	}
	return chosen, nil
}

// partner is what a text is matched with.
type partner struct {
	other      int // −1 for none
	similarity float64
}

// matched returns the partners of the texts of one design.
func (t *Blocks) matched(generated bool) []partner {
	n := len(t.Reference)
	if generated {
		n = len(t.Generated)
	}
	out := make([]partner, n)
	for i := range out {
		out[i].other = -1
	}
	for _, p := range t.Pairs {
		if generated {
			out[p.Generated] = partner{p.Reference, p.Similarity}
		} else {
			out[p.Reference] = partner{p.Generated, p.Similarity}
		}
	}
	return out
}

// joiner looks for texts of one design, own, that are parts of a text of the other.
type joiner struct {
	*matcher
	own, other []Block
	generated  bool // whose own is
	partners   []partner
	free       []bool // texts of the other design that are not matched
	found      []join
}

// candidates finds the joins that gain anything.
func (j *joiner) candidates(ctx context.Context) error {
	j.free = slices.Repeat([]bool{true}, len(j.other))
	longest := 0
	for i := range j.other {
		longest = max(longest, len(j.other[i].Letters))
	}
	for _, p := range j.partners {
		if p.other >= 0 {
			j.free[p.other] = false
		}
	}
	longest *= 3 // of a longer text, less than half is in common
	for _, siblings := range siblingsOf(j.own) {
		for first := range siblings {
			if err := ctx.Err(); err != nil {
				return err
			}
			letters := len(j.own[siblings[first]].Letters)
			for last := first + 1; last < min(first+longestRun, len(siblings)); last++ {
				if letters += len(j.own[siblings[last]].Letters); letters > longest {
					break
				}
				j.try(siblings[first : last+1])
			}
		}
	}
	return nil
}

// siblingsOf are the texts below each node that has several, in their order.
func siblingsOf(blocks []Block) [][]int {
	index := map[int]int{}
	var groups [][]int
	for i := range blocks {
		parent := blocks[i].parent
		if _, known := index[parent]; !known {
			index[parent] = len(groups)
			groups = append(groups, nil)
		}
		groups[index[parent]] = append(groups[index[parent]], i)
	}
	return groups
}

// try finds the text that a run of texts is most like, of those that are free or matched with one of the run.
func (j *joiner) try(parts []int) {
	lost := 0.
	theirs := map[int]bool{}
	for _, part := range parts {
		if p := j.partners[part]; p.other >= 0 {
			lost += p.similarity
			theirs[p.other] = true
		}
	}
	best := join{generated: j.generated, parts: parts, gain: leastGain}
	for _, space := range []string{" ", ""} {
		if lost+best.gain >= 1 {
			break
		}
		joined := j.joinParts(j.own, parts, space)
		for i := range j.other {
			if !j.free[i] && !theirs[i] {
				continue
			}
			a, b := &joined, &j.other[i]
			if j.generated {
				a, b = b, a
			}
			if gain := j.similarity(a, b) - lost; gain > best.gain {
				best.joined, best.other, best.gain = joined, i, gain
			}
		}
	}
	if best.gain > leastGain {
		j.found = append(j.found, best)
	}
}

// joinParts makes one text of several: in the box around them, with the colors of the largest.
func (m *matcher) joinParts(blocks []Block, parts []int, space string) Block {
	joined := blocks[parts[0]]
	largest := parts[0]
	for _, part := range parts[1:] {
		b := &blocks[part]
		joined.Text += space + b.Text
		joined.Area += b.Area
		joined.Box = around(joined.Box, b.Box)
		if b.Area > blocks[largest].Area {
			largest = part
		}
	}
	joined.Inked, joined.Large = blocks[largest].Inked, blocks[largest].Large
	m.encode(&joined)
	return joined
}

// around is the smallest box that holds two.
func around(a, b box.Box) box.Box {
	return box.Box{X0: min(a.X0, b.X0), Y0: min(a.Y0, b.Y0), X1: max(a.X1, b.X1), Y1: max(a.Y1, b.Y1)}
}

// join returns the texts of a design with some taken as one, in the place of their first.
func (m *matcher) join(blocks []Block, joins []join, generated bool) []Block {
	skip, instead := map[int]bool{}, map[int]*Block{}
	for i := range joins {
		if j := &joins[i]; j.generated == generated {
			instead[j.parts[0]] = &j.joined
			for _, part := range j.parts[1:] {
				skip[part] = true
			}
		}
	}
	var out []Block
	for i := range blocks {
		if joined := instead[i]; joined != nil {
			out = append(out, *joined)
		} else if !skip[i] {
			out = append(out, blocks[i])
		}
	}
	return out
}
