// Reference rows: real data in the place of a generator's, so that every table shows what
// can be reached, and what a generator reaches that ignores labels.

package generation

import (
	"fmt"
	"slices"

	"repscope/stat"
)

// The names of the reference rows.
const (
	// RealRow is held-out real samples in the place of generated ones, held against those
	// that the generators were trained on, with the classifier's predictions of real
	// samples and their latents: what a perfect generator would reach.
	RealRow = "real"
	// ShuffledRow is the same with shuffled labels: a perfect generator that ignores them.
	ShuffledRow = "shuffled"
)

// ReferenceRows are the names of the rows that AddReferences may add.
func ReferenceRows() []string { return []string{RealRow, ShuffledRow} }

// AddReferences adds the reference rows that the input allows: they need real samples that
// are held out, or latents or predictions of real samples; labels to be shuffled. A
// generator of such a name is an error.
func (in *Input) AddReferences(seed uint64) error {
	var names []string
	for _, g := range in.Generators {
		names = append(names, g.Name)
	}
	if err := CheckNames(names); err != nil {
		return err
	}
	real := Generator{Name: RealRow, Reference: true, Generated: in.HoldOut, Latents: in.RealLatents, Predictions: in.RealPredictions}
	if real.Generated == nil && real.Latents == nil && real.Predictions == nil {
		return nil
	}
	in.Generators = append(in.Generators, real)
	shuffled := Generator{Name: ShuffledRow, Reference: true}
	shuffle := func(part uint64, labels []int) []int {
		out := slices.Clone(labels)
		stat.NewRandom(stat.StreamLabels.Key(seed, part)).Shuffle(out)
		return out
	}
	if s := in.HoldOut; s != nil && s.Labels != nil {
		other := *s
		other.Name, other.Labels = s.Name+", labels shuffled", shuffle(1, s.Labels)
		shuffled.Generated = &other
	}
	if l := in.RealLatents; l != nil && l.Labels != nil {
		other := *l
		other.Name, other.Labels = l.Name+", labels shuffled", shuffle(2, l.Labels)
		shuffled.Latents = &other
	}
	if p := in.RealPredictions; p != nil {
		other := *p
		other.Name, other.Target, other.Generated = p.Name+", targets shuffled", shuffle(3, p.Target), nil
		shuffled.Predictions = &other
	}
	if shuffled.Generated != nil || shuffled.Latents != nil || shuffled.Predictions != nil {
		in.Generators = append(in.Generators, shuffled)
	}
	return nil
}

// CheckNames finds generators that are called as a reference row.
func CheckNames(names []string) error {
	for _, name := range names {
		if slices.Contains(ReferenceRows(), name) {
			return fmt.Errorf("generator %s: the name is reserved for a row of real samples; choose another", name)
		}
	}
	return nil
}
