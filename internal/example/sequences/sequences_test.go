// The law: what the sequences must show, counted one by one.

package sequences

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/stat"
)

// The example is the same on every machine.
func TestExampleIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	e := Example()
	hash := sha256.New()
	if err := WriteCSV(hash, e.Sequences, true); err != nil {
		t.Fatal(err)
	}
	if err := WriteAssaysCSV(hash, e.Assays); err != nil {
		t.Fatal(err)
	}
	const want = "3600071bb1f6131f"
	if got := hex.EncodeToString(hash.Sum(nil)[:8]); got != want {
		t.Errorf("sequences and measurements have the hash %s, want %s", got, want)
	}
}

// Lists have the length of their chain, CDRs are three runs in order, and frameworks surround them.
func TestChainsAreWhole(t *testing.T) {
	t.Parallel()
	e := Example()
	ids := map[string]bool{}
	for i := range e.Sequences {
		s := &e.Sequences[i]
		if ids[s.ID] {
			t.Errorf("%s appears twice", s.ID)
		}
		ids[s.ID] = true
		for chain, text := range s.Residues {
			n := len(text)
			if len(s.CDR[chain]) != n || len(s.NonTemplated[chain]) != n || len(s.Coordinates[chain]) != n {
				t.Fatalf("%s: lists of %d, %d and %d for %d residues", s.ID, len(s.CDR[chain]), len(s.NonTemplated[chain]), len(s.Coordinates[chain]), n)
			}
			if strings.Trim(text, residues) != "" {
				t.Errorf("%s: residues %q", s.ID, text)
			}
			runs := slices.Compact(slices.Clone(s.CDR[chain]))
			if !slices.Equal(runs, []int8{0, 1, 0, 2, 0, 3, 0}) {
				t.Errorf("%s: regions %v", s.ID, runs)
			}
		}
	}
	if len(ids) != exampleCount {
		t.Errorf("%d sequences, want %d", len(ids), exampleCount)
	}
}

// Residues in contact fit each other except for a few mutations, and the state often differs from the genes.
func TestPairsFit(t *testing.T) {
	t.Parallel()
	all := Make(5, 400, 1)
	fit, germline, n := 0, 0, 0
	for i := range all {
		s := &all[i]
		for p, sites := range touching {
			state := [2]byte{}
			for k, at := range sites {
				state[k] = s.Residues[at.chain][s.clone.index(at)]
			}
			n++
			if slices.Contains(states, state) {
				fit++
			}
			if c := sites[0].chain; state == states[genes.fits[c][s.clone.v[c]][p]] {
				germline++
			}
		}
	}
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"pairs that fit", float64(fit), math.Pow(1-pairedRate, 2)},
		{"pairs of the germline", float64(germline), (1 - exchanged + exchanged/float64(len(states))) * math.Pow(1-pairedRate, 2)},
	} {
		if share := c.got / float64(n); math.Abs(share-c.want) > 0.02 {
			t.Errorf("%s: %.3f, want %.3f", c.what, share, c.want)
		}
	}
}

// Pairs touch, in a sheet or across the chains, and few other residues that are six or more apart do.
func TestPairsTouch(t *testing.T) {
	t.Parallel()
	const limit, separation = 8, 6
	s := Make(ExampleSeed, 1, 1)[0]
	var points [][3]float64
	pairs := map[[2]int]bool{}
	offset := [Chains]int{0, len(s.Residues[Heavy])}
	for _, p := range touching {
		pairs[[2]int{offset[p[0].chain] + s.clone.index(p[0]), offset[p[1].chain] + s.clone.index(p[1])}] = true
	}
	for chain := range Chains {
		for _, c := range s.Coordinates[chain] {
			points = append(points, [3]float64{float64(c[0]), float64(c[1]), float64(c[2])})
		}
	}
	contacts, close := 0, 0
	for i := range points {
		for j := i + separation; j < len(points); j++ {
			d := math.Hypot(math.Hypot(points[i][0]-points[j][0], points[i][1]-points[j][1]), points[i][2]-points[j][2])
			if d < limit {
				contacts++
			}
			if pairs[[2]int{i, j}] || pairs[[2]int{j, i}] {
				close++
				if !(d < limit) {
					t.Errorf("residues %d and %d fit each other and are %.1f Å apart", i, j, d)
				}
			}
		}
	}
	if close != len(touching) {
		t.Errorf("%d pairs are six or more apart, want all %d", close, len(touching))
	}
	if n := len(points); contacts < n || contacts > 3*n {
		t.Errorf("%d contacts of %d residues", contacts, n)
	}
}

// The probabilities of mutations equal the draws, and add up to one.
func TestExchangeProbability(t *testing.T) {
	t.Parallel()
	r := stat.NewRandom(stat.StreamSequences.Key(11, 3))
	for _, from := range []byte("LGDS") {
		const draws = 20_000
		count := map[byte]float64{}
		for range draws {
			count[exchange(r, from)]++
		}
		sum := 0.0
		for _, to := range []byte(residues) {
			p := exchangeProbability(from, to)
			sum += p
			if d := math.Abs(count[to]/draws - p); d > 4.5*math.Sqrt(p*(1-p)/draws) {
				t.Errorf("%c to %c: %.4f of the draws, probability %.4f", from, to, count[to]/draws, p)
			}
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("probabilities of %c add up to %g", from, sum)
		}
	}
}

// A pair that is exchanged as a whole costs little, one that is broken much; measurements are the law with
// noise.
func TestLawOfVariants(t *testing.T) {
	t.Parallel()
	e := Example()
	for _, a := range e.Assays {
		var whole, broken, off []float64
		for _, sites := range touching {
			for _, state := range states {
				var both []Mutation
				for k, at := range sites {
					i := a.WildType.clone.index(at)
					both = append(both, Mutation{at.chain, i, a.WildType.Residues[at.chain][i], state[k]})
				}
				if both[0].From != both[0].To && both[1].From != both[1].To {
					whole = append(whole, a.WildType.law(both))
					broken = append(broken, a.WildType.law(both[:1]))
				}
			}
		}
		if m := stat.Mean(whole) - stat.Mean(broken); m < 4 {
			t.Errorf("%s: %d exchanged pairs have a mean of %.2f, broken ones of %.2f", a.Name, len(whole), stat.Mean(whole), stat.Mean(broken))
		}
		for _, v := range a.Variants {
			off = append(off, v.Score-v.Law)
		}
		if sd := stat.StandardDeviation(off); len(off) != assayCount || math.Abs(sd-noise) > 0.3 || math.Abs(stat.Mean(off)) > 0.5 {
			t.Errorf("%s: %d measurements are off by %.2f ± %.2f, want 0 ± %g", a.Name, len(off), stat.Mean(off), sd, noise)
		}
	}
}

// The table has a row per sequence, and null for unresolved residues.
func TestWriteCSV(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	s := Make(3, 20, 2)
	if err := WriteCSV(&b, s, true); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "\n"); n != 21 {
		t.Errorf("%d lines, want 21", n)
	}
	if !strings.Contains(b.String(), "[null,null,null]") || strings.Contains(b.String(), "NaN") {
		t.Error("residues without coordinates are not null")
	}
}
