// Regions: their borders, frameworks that are undefined, and the sets that groups are.

package token

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// chain returns one chain whose CDR mask is written in digits, between special tokens.
func chain(id int8, digits string) (chains []int8, special []bool, cdr []int8) {
	for i := range len(digits) + 2 {
		chains = append(chains, id)
		special = append(special, i == 0 || i == len(digits)+1)
		c := int8(0)
		if !special[i] {
			c = int8(digits[i-1] - '0')
		}
		cdr = append(cdr, c)
	}
	return chains, special, cdr
}

func TestLabel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		digits, want string
		unframed     int
	}{
		{"0011002220330", ". f1 f1 c1 c1 f2 f2 c2 c2 c2 f3 c3 c3 f4 .", 0},
		{"123", ". c1 c2 c3 .", 0},
		{"0101020300", ". f1 c1 . c1 f2 c2 f3 c3 f4 f4 .", 0}, // a hole of a CDR has no region
		{"0110220", ". . c1 c1 . c2 c2 . .", 1},               // no CDR3
		{"02010300", ". . c2 . c1 . c3 . . .", 1},             // not in order
		{"01203013", ". . c1 c2 . c3 . c1 c3 .", 1},           // not apart
		{"000", ". . . . .", 1},
		{"", ". .", 0},
	} {
		for id, prefix := range []string{"h", "l"} {
			chains, special, cdr := chain(int8(id), c.digits)
			var names []string
			for _, r := range Label(chains, special, cdr) {
				name := "."
				if r != NoRegion {
					name = strings.NewReplacer(prefix+"cdr", "c", prefix+"fwr", "f").Replace(r.String())
				}
				names = append(names, name)
			}
			if got := strings.Join(names, " "); got != c.want {
				t.Errorf("%s of chain %d: %s, want %s", c.digits, id, got, c.want)
			}
			if got := Unframed(chains, special, cdr); got != c.unframed {
				t.Errorf("%s: %d chains without frameworks, want %d", c.digits, got, c.unframed)
			}
		}
	}
}

// The tokens of one chain have no part in the regions of the other, wherever they stand.
func TestLabelOfInterleavedChains(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		heavy, special, hc := chain(0, "0011002220330")
		light, _, lc := chain(1, "0110203300000")
		want := [2][]Region{Label(heavy, special, hc), Label(light, special, lc)}
		var chains, cdr []int8
		var both []bool
		for i, j := 0, 0; i < len(heavy) || j < len(light); {
			if j == len(light) || i < len(heavy) && random.IntN(2) == 0 {
				chains, both, cdr, i = append(chains, 0), append(both, special[i]), append(cdr, hc[i]), i+1
			} else {
				chains, both, cdr, j = append(chains, 1), append(both, special[j]), append(cdr, lc[j]), j+1
			}
		}
		var got [2][]Region
		for i, r := range Label(chains, both, cdr) {
			got[chains[i]] = append(got[chains[i]], r)
		}
		if !slices.Equal(got[0], want[0]) || !slices.Equal(got[1], want[1]) {
			t.Fatalf("chains %v: %v, want %v", chains, got, want)
		}
	}
}

// Aggregates are the sums of their regions, and what belongs together is disjoint and complete.
func TestGroups(t *testing.T) {
	t.Parallel()
	count := map[string][]Region{}
	for _, g := range Groups() {
		count[g.Name] = g.Regions()
		for r := NoRegion; r <= LightFWR4; r++ {
			for origin := int8(-1); origin <= 1; origin++ {
				want := slices.Contains(g.Regions(), r)
				if g.ByOrigin() {
					want = g.Name == "germline" && origin == 0 || g.Name == "nongermline" && origin == 1
				}
				if g.Has(r, origin) != want {
					t.Errorf("%s has region %v of origin %d: %v", g.Name, r, origin, !want)
				}
			}
		}
	}
	if len(count) != 21 || len(GroupNames()) != 21 {
		t.Fatalf("%d groups, want 14 regions and 7 aggregates", len(count))
	}
	for _, halves := range [][2]string{{"all_cdr", "all_fwr"}, {"heavy", "light"}} {
		both := slices.Concat(count[halves[0]], count[halves[1]])
		slices.Sort(both)
		if !slices.Equal(both, count["overall"]) || len(both) != Regions {
			t.Errorf("%v are %v, want all regions", halves, both)
		}
	}
	if !slices.Equal(count["all_cdr"], cdrRegions()) || !slices.Equal(count["all_fwr"], frameworkRegions()) {
		t.Error("all_cdr and all_fwr are other regions than CDRRegions and FrameworkRegions")
	}
	for _, r := range count["heavy"] {
		if r.String()[0] != 'h' {
			t.Errorf("%v is heavy", r)
		}
	}
}
