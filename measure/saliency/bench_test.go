// How fast maps of a telephone's screen are scored; benchmarks/peers/saliency.py runs NumPy in the same rounds.

package saliency

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkScores scores maps of 375 × 812 pixels, against 100 fixations and the highest 5 % of a map.
func BenchmarkScores(b *testing.B) {
	random := rand.New(rand.NewPCG(15, 8))
	p, q := randomMap(b, random, 375, 812, 0), randomMap(b, random, 375, 812, 0)
	few, others := randomFixations(b, random, 375, 812, 100), randomFixations(b, random, 375, 812, 1000)
	top, err := Top(p, 5)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		run  func() error
	}{
		{"CC", func() error { _, err := CC(p, q); return err }},
		{"SIM", func() error { _, err := SIM(p, q); return err }},
		{"KL", func() error { _, err := KL(p, q, Epsilon); return err }},
		{"NSS", func() error { _, err := NSS(q, few); return err }},
		{"Judd", func() error { _, err := AUCJudd(q, few); return err }},
		{"JuddTop", func() error { _, err := AUCJudd(q, top); return err }},
		{"Borji", func() error { _, err := AUCBorji(q, few, Step); return err }},
		{"BorjiTop", func() error { _, err := AUCBorji(q, top, Step); return err }},
		{"BorjiSplits", func() error { _, err := AUCBorjiSplits(q, few, Step, 100, 1); return err }},
		{"Shuffled", func() error { _, err := AUCShuffled(q, few, others); return err }},
		{"Gain", func() error { _, err := InformationGain(q, p, few, GainEpsilon); return err }},
		{"Top", func() error { _, err := Top(p, 5); return err }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if err := c.run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
