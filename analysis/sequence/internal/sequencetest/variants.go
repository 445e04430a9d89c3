// Made variants of made sequences.

package sequencetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/analysis/sequence"
	"repscope/analysis/sequence/source"
	"repscope/measure/token"
	"repscope/measure/variant"
)

// Table writes a table of variants.
func Table(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "table.csv")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Letters are the residues of a record.
func Letters(r *sequence.Record) string {
	var out []byte
	for _, i := range r.Residues() {
		out = append(out, token.Antibody().Names[r.Tokens[i]][0])
	}
	return string(out)
}

// OtherLetter is an amino acid that is not the given one.
func OtherLetter(random *rand.Rand, letter byte) byte {
	const all = "ACDEFGHIKLMNPQRSTVWY"
	for {
		if c := all[random.IntN(len(all))]; c != letter {
			return c
		}
	}
}

// Variants are n variants of each of the first sequences, single and double ones, with effects.
func Variants(t *testing.T, s *Sequences, sequences, n int) *sequence.Substitutions {
	t.Helper()
	random := rand.New(rand.NewPCG(8, 9))
	lines := []string{"sequence_id,mutant,measured,fit,function"}
	for k := range sequences {
		letters := Letters(&s.Records[k])
		seen := map[string]bool{}
		for len(seen) < n {
			mutations := []variant.Mutation{}
			for range 1 + random.IntN(2) {
				at := random.IntN(len(letters))
				mutations = append(mutations, variant.Mutation{From: letters[at], Position: at + 1, To: OtherLetter(random, letters[at])})
			}
			slices.SortFunc(mutations, func(a, b variant.Mutation) int { return a.Position - b.Position })
			if len(mutations) == 2 && mutations[0].Position == mutations[1].Position || seen[variant.Format(mutations)] {
				continue
			}
			seen[variant.Format(mutations)] = true
			effect := math.Round(16*(variant.Similarity(mutations)/4+2*random.NormFloat64())) / 16
			lines = append(lines, fmt.Sprintf("s%d,%s,%g,%v,%s", k, variant.Format(mutations), effect, effect > -2, []string{"binding", "stability"}[k%2]))
		}
	}
	opened, err := source.OpenSubstitutions([]source.SubstitutionFile{{Assay: "made", Spec: Table(t, lines...)}}, s,
		token.Antibody())
	if err != nil {
		t.Fatal(err)
	}
	return opened
}
