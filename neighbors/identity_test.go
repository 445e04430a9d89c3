// Parts and the pass they belong to: any split gives the same bytes, other parts are refused.

package neighbors

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"repscope/internal/device"
	"repscope/points"
	"repscope/shard"
)

// splitCases are passes with everything that a part can hold.
func splitCases(n int) map[string]Options {
	r := random(81)
	blocks, episode := make([]int, n), make([]int, n)
	for i := range n {
		blocks[i], episode[i] = i*5/n, i*3/n
	}
	return map[string]Options{
		"plain":   {Ks: []int{7, 3}, CoRanking: CoRankingOff},
		"all":     {Ks: []int{4}, Blocks: blocks, PerPoint: true, Permutations: [][]int{r.Perm(n), r.Perm(n)}, CoRanking: CoRankingOff},
		"curves":  {Ks: []int{2, 9}, CoRanking: CoRankingFull},
		"window":  {Ks: []int{5}, ExcludeWindow: 2, Episode: episode, CoRanking: CoRankingOff},
		"times":   {Ks: []int{5}, ExcludeWindow: 2, Time: drawnTimes(1, len(episode)), CoRanking: CoRankingOff},
		"cosines": {Ks: []int{5}, Metric: Cosine, PerPoint: true, CoRanking: CoRankingOff},
	}
}

// checkSplits maps random ranges with pass after pass, as other processes would, stores and
// reads the parts in several forms, and wants the bytes of one pass.
func checkSplits(t *testing.T, d *device.Device) {
	t.Helper()
	const n = 61
	r := random(82)
	original := bytes8(r, n, 30, 9)
	embedded := []points.Points{gaussian32(r, n, 3), nearlyEqual32(r, n, 20)}
	cases := splitCases(n)
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		o := cases[name]
		o.Device = d
		open := func() *Pass {
			p, err := NewPass(original, embedded, o)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		whole, err := open().Compare(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want := asJSON(t, whole)
		for round := range 4 {
			var parts []*Partial
			for lo := 0; lo < n; {
				hi := min(n, lo+1+r.IntN(n/(1+round)))
				part, err := open().Map(t.Context(), lo, hi)
				if err != nil {
					t.Fatal(err)
				}
				parts = append(parts, stored(t, round, part))
				lo = hi
			}
			r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
			got, err := open().Merge(parts...)
			if err != nil {
				t.Fatal(err)
			}
			if text := asJSON(t, got); text != want {
				t.Errorf("%s, %d parts, form %d: another result:\n%s\nwant\n%s", name, len(parts), round, text, want)
			}
			if text := asJSON(t, joined(t, open(), parts)); text != want {
				t.Errorf("%s, %d parts joined, form %d: another result:\n%s\nwant\n%s", name, len(parts), round, text, want)
			}
		}
	}
}

// joined joins parts in the order of their points, and merges what they make.
func joined(t *testing.T, p *Pass, parts []*Partial) []Preservation {
	t.Helper()
	slices.SortFunc(parts, func(a, b *Partial) int { return a.Lo - b.Lo })
	if len(parts) > 1 {
		if _, err := p.Join(parts[1], parts[0]); err == nil || !strings.Contains(err.Error(), "does not follow") {
			t.Errorf("joined backwards: %v", err)
		}
	}
	all := parts[0]
	for _, part := range parts[1:] {
		var err error
		if all, err = p.Join(all, part); err != nil {
			t.Fatal(err)
		}
	}
	got, err := p.Merge(all)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func asJSON(t *testing.T, results []Preservation) string {
	t.Helper()
	text, err := json.Marshal(results)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// stored is the part after writing and reading it, in the form of that number; 0 leaves it as it is.
func stored(t *testing.T, form int, part *Partial) *Partial {
	t.Helper()
	var read Partial
	var err error
	switch form {
	case 0:
		return part
	case 1:
		var text []byte
		if text, err = json.Marshal(part); err == nil {
			err = json.Unmarshal(text, &read)
		}
	case 2:
		var data bytes.Buffer
		if err = gob.NewEncoder(&data).Encode(part); err == nil {
			err = gob.NewDecoder(&data).Decode(&read)
		}
	default:
		var data []byte
		if data, err = shard.Encode(part); err == nil {
			to := &read
			err = shard.Decode(data, &to)
			read = *to
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return &read
}

func TestAnySplitSameBytes(t *testing.T) {
	t.Parallel()
	checkSplits(t, nil)
}

// Parts of another pass, and parts that do not fit, are refused with both sides named.
func TestMergeRefusesForeignParts(t *testing.T) {
	t.Parallel()
	const n = 40
	r := random(83)
	original, embedded := gaussian32(r, n, 20), []points.Points{gaussian32(r, n, 3)}
	other := gaussian32(r, n, 3)
	halves := make([]int, n)
	for i := range halves {
		halves[i] = i * 2 / n
	}
	base := Options{Ks: []int{5, 10, 20}, CoRanking: CoRankingOff}
	part := func(original points.Points, embedded []points.Points, o Options, lo, hi int) *Partial {
		p, err := NewPass(original, embedded, o)
		if err != nil {
			t.Fatal(err)
		}
		out, err := p.Map(t.Context(), lo, hi)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	pass, err := NewPass(original, embedded, base)
	if err != nil {
		t.Fatal(err)
	}
	partOf := func(lo, hi int) *Partial { return part(original, embedded, base, lo, hi) }
	with := func(change func(o *Options)) *Partial {
		o := base
		change(&o)
		return part(original, embedded, o, 20, n)
	}
	for name, c := range map[string]struct {
		parts []*Partial
		want  string
	}{
		"k": {
			[]*Partial{partOf(0, 20), with(func(o *Options) { o.Ks = []int{4, 10, 20} })},
			"the part has k = 4,10,20, but the pass has k = 5,10,20",
		},
		"metric": {
			[]*Partial{partOf(0, 20), with(func(o *Options) { o.Metric = Cosine })},
			"cosine distances of float32 of dimension 20",
		},
		"window": {
			[]*Partial{partOf(0, 20), with(func(o *Options) { o.ExcludeWindow = 2 })},
			"the part has exclude window = 2, but the pass has exclude window = 0",
		},
		"blocks": {
			[]*Partial{partOf(0, 20), with(func(o *Options) { o.Ks, o.Blocks = []int{5, 10, 15}, halves })},
			"the part has k = 5,10,15, but",
		},
		"permutations": {
			[]*Partial{partOf(0, 20), with(func(o *Options) { o.Permutations = [][]int{random(1).Perm(n)} })},
			"but the pass has permutations = none",
		},
		"curves": {
			[]*Partial{partOf(0, 20), with(func(o *Options) { o.CoRanking = CoRankingFull })},
			"the part has co-ranking curves = true, but",
		},
		"points": {
			[]*Partial{partOf(0, 20), part(original, []points.Points{other}, base, 20, n)},
			"the part has embedded space 0 = euclidean distances of float32 of dimension 3",
		},
		"fewer points": {
			[]*Partial{part(original.Select(halvesOf(n)), []points.Points{other.Select(halvesOf(n))}, Options{Ks: []int{5}}, 0, 20)},
			"the part has 20 points, but the pass has 40",
		},
		"spaces": {
			[]*Partial{partOf(0, 20), part(original, []points.Points{embedded[0], other}, base, 20, n)},
			"the part has 2 embedded spaces, but the pass has 1",
		},
		"overlap": {[]*Partial{partOf(0, 20), partOf(15, n)}, "the part of points 15 to 39 overlaps the part of points 0 to 19"},
		"gap": {
			[]*Partial{partOf(0, 10), partOf(15, n)},
			"points 10 to 14 are missing between the part of points 0 to 9 and the part of points 15 to 39",
		},
		"end":     {[]*Partial{partOf(0, 10)}, "points 10 to 39 are missing between the part of points 0 to 9 and the end"},
		"nothing": {nil, "points 0 to 39 are missing between the beginning and the end"},
	} {
		if _, err := pass.Merge(c.parts...); err == nil || !strings.HasPrefix(err.Error(), "merge: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
	later := partOf(20, n)
	later.Pass.Definition++
	if _, err := pass.Merge(partOf(0, 20), later); err == nil || !strings.Contains(err.Error(),
		"the part has definition = 4, but the pass has definition = 3") {
		t.Errorf("another definition: %v", err)
	}
}

func halvesOf(n int) (index []int) {
	for i := 0; i < n; i += 2 {
		index = append(index, i)
	}
	return index
}

// What episodes are called and the order of k change no part; a block's name does.
func TestIdentity(t *testing.T) {
	t.Parallel()
	const n = 30
	r := random(84)
	original, embedded := bytes8(r, n, 9, 4), []points.Points{gaussian64(r, n, 2)}
	identity := func(o Options) string {
		p, err := NewPass(original, embedded, o)
		if err != nil {
			t.Fatal(err)
		}
		id, err := p.Identity(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%+v", id)
	}
	labels := func(names ...int) (out []int) {
		for i := range n {
			out = append(out, names[i*len(names)/n])
		}
		return out
	}
	want := identity(Options{Ks: []int{3, 5}, ExcludeWindow: 1, Episode: labels(1, 2)})
	if got := identity(Options{Ks: []int{5, 3}, ExcludeWindow: 1, Episode: labels(9, 0), Threads: 1, Memory: 1 << 20}); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := identity(Options{Ks: []int{5, 3}, ExcludeWindow: 1, Episode: labels(1, 2, 1)}); got == want {
		t.Error("other episodes, the same identity")
	}
	if identity(Options{Ks: []int{3}, Blocks: labels(1, 2)}) == identity(Options{Ks: []int{3}, Blocks: labels(1, 3)}) {
		t.Error("replicates of other blocks, the same identity")
	}
}
