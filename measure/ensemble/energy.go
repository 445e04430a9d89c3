// Energy score.

package ensemble

import "math"

// Energy returns the terms of the energy score E‖X − y‖ − ½ E‖X − X'‖ of a sample: all its cells
// are one vector, ‖·‖ the Euclidean norm, in units of the cells (Gneiting & Raftery 2007). With
// weights the norm is ‖x‖² = n/Σw · Σ w·x² over the n cells that have one, so that equal weights
// give the plain norm and a mask that of the cells it keeps. Of a single member, its
// distance from the truth. The weight of a sample is 1.
func Energy[T Float](s Sample[T]) Terms {
	t := Terms{Members: s.count, Weight: 1}
	n, total := 0, 0.0
	for c := range s.truth {
		if w := s.weight(c); w != 0 {
			n++
			total += w
		}
	}
	if n == 0 {
		return Terms{Members: s.count}
	}
	norm := func(a, b []T) float64 {
		sum := 0.0
		for c, v := range a {
			if w := s.weight(c); w != 0 {
				d := float64(v) - float64(b[c])
				sum += float64(w * float64(d*d))
			}
		}
		return math.Sqrt(float64(n) / total * sum)
	}
	for i := range s.count {
		t.SkillSum += norm(s.member(i), s.truth)
		for j := range i {
			t.SpreadSum += norm(s.member(i), s.member(j))
		}
	}
	t.SkillSum /= float64(s.count)
	t.SpreadSum *= 2 / max(1, float64(s.count)*float64(s.count-1))
	return t
}
