// New splits without the leaks.

package audit

import (
	"context"
	"slices"
)

// repair returns the part of each state in a split without leaks; empty for a state that is left out.
func (a *auditor) repair(ctx context.Context, tests []Test) ([]string, error) {
	out := slices.Clone(a.in.Split)
	for d := range tests {
		leaking := map[int]bool{} // states
		for _, row := range tests[d].Rows {
			if row.Leaks() {
				leaking[row.State] = true
			}
		}
		if a.o.Repair == RepairDrop {
			for i := range leaking {
				out[i] = ""
			}
			continue
		}
		if err := a.move(ctx, &tests[d], a.divisions[d], leaking, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// move gives every episode with leaking states, or with states on both sides, to the training part, until no state left
// is too near to those that were given. Where all parts are tested against all others, there is no training part: the
// episodes are left out.
func (a *auditor) move(ctx context.Context, t *Test, part division, leaking map[int]bool, out []string) error {
	training := ""
	for i := range part.train {
		if name := a.in.Split[part.train[i]]; training == "" {
			training = name
		} else if name != training {
			training = ""
			break
		}
	}
	moved := map[int]bool{} // episodes
	for _, i := range part.train {
		moved[a.episode[i]] = true
	}
	rest := part.test
	for {
		for _, i := range rest {
			if leaking[i] {
				moved[a.episode[i]] = true
			}
		}
		var gone, kept []int
		for _, i := range rest {
			if moved[a.episode[i]] {
				gone = append(gone, i)
				out[i] = training
			} else {
				kept = append(kept, i)
			}
		}
		if len(gone) == 0 || len(kept) == 0 || training == "" {
			return nil
		}
		_, distance, err := a.lookup.nearest(ctx, kept, gone, nil)
		if err != nil {
			return err
		}
		clear(leaking)
		for q, i := range kept {
			if v := distance[q]; v == 0 || a.near(v, t.Near.Threshold) {
				leaking[i] = true
			}
		}
		rest = kept
		if len(leaking) == 0 {
			return nil
		}
	}
}
