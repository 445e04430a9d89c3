// Searches and clusters against all pairs.

package identity

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"repscope/internal/runtest"
)

// family returns sequences that descend from a few founders, some of them several times, and unrelated ones.
func family(rng *rand.Rand, n, letters int, alphabet string) [][]byte {
	var founders [][]byte
	for range 3 {
		founders = append(founders, drawn(rng, 1+letters/2+rng.IntN(letters), alphabet))
	}
	out := make([][]byte, n)
	for i := range out {
		switch founder := founders[rng.IntN(len(founders))]; {
		case i%9 == 8:
			out[i] = slices.Clone(out[rng.IntN(i)])
		case i%5 == 4:
			out[i] = drawn(rng, 1+rng.IntN(2*letters), alphabet)
		case i%7 == 6: // a piece
			out[i] = founder[:1+rng.IntN(len(founder))]
		default:
			out[i] = mutated(rng, founder, 0.4*rng.Float64(), alphabet)
		}
	}
	return out
}

// reference is Nearest by all pairs.
func reference(queries, references [][]byte, least float64) []Match {
	out := make([]Match, len(queries))
	for i, q := range queries {
		out[i] = Match{Reference: -1, Identity: math.NaN()}
		for k, r := range references {
			edits, matches := naive(q, r)
			same := float64(matches) / float64(min(len(q), len(r)))
			if same >= least && (out[i].Reference < 0 || same > out[i].Identity) {
				out[i] = Match{Reference: k, Identity: same, Edits: edits, Equal: matches}
			}
		}
	}
	return out
}

// sets are sequences of several kinds: a search must find in them the same as all pairs do.
func sets() map[string][][]byte {
	rng := rand.New(rand.NewPCG(41, 3))
	out := map[string][][]byte{
		"residues":   family(rng, 90, 60, residues),
		"two":        family(rng, 80, 40, "ab"),
		"one letter": family(rng, 60, 30, "a"),
		"high bytes": family(rng, 60, 50, "\x00\x7f\x80\xfe\xff"),
		"single":     {[]byte("A")},
	}
	for _, n := range []int{64, 65, 128, 129, 250, 256, 257, 300} { // around the widths of bit vectors
		s := drawn(rng, n, residues)
		near, far := mutated(rng, s, 0.1, residues), mutated(rng, s, 0.35, residues)
		out["long"] = append(out["long"], s, near, far, s[n/3:], drawn(rng, n, residues))
	}
	return out
}

func TestNearest(t *testing.T) {
	t.Parallel()
	for name, all := range sets() {
		half := (len(all) + 1) / 2
		queries, references := all[half:], all[:half]
		for _, least := range []float64{0.3, 0.7, 0.95, 1} {
			want := reference(queries, references, least)
			for _, threads := range []int{1, 3} {
				got, err := Nearest(context.Background(), queries, references, Options{Least: least, Threads: threads})
				if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s, identity %v, %d threads: %v, %v, want %v", name, least, threads, got, err, want)
				}
			}
		}
	}
}

func TestNearest_Progress(t *testing.T) {
	t.Parallel()
	queries := [][]byte{[]byte("AC"), []byte("AC"), []byte("GT"), []byte("ACG")}
	var calls []int
	got, err := Nearest(context.Background(), queries, [][]byte{[]byte("TT"), []byte("AC"), []byte("AC")},
		Options{Threads: 1, Progress: func(done, total int) { calls = append(calls, done, total) }})
	if err != nil || got[0] != (Match{1, 1, 0, 2}) || got[1] != got[0] || got[2].Reference != -1 || got[3] != (Match{1, 1, 1, 2}) {
		t.Errorf("%v, %v", got, err)
	}
	if !slices.Equal(calls, []int{2, 4, 3, 4, 4, 4}) {
		t.Errorf("progress %v", calls)
	}
}

func TestNearest_Errors(t *testing.T) {
	t.Parallel()
	one := [][]byte{[]byte("A")}
	for _, c := range []struct {
		queries, references [][]byte
		least               float64
		want                string
	}{
		{one, one, -0.1, "least identity -0.1: want more than 0 and at most 1"},
		{one, one, 1.1, "least identity 1.1: want more than 0 and at most 1"},
		{one, one, math.NaN(), "least identity NaN: want more than 0 and at most 1"},
		{one, nil, 0, "no references: want at least 1 sequence"},
		{[][]byte{one[0], {}}, one, 0, "query 1 is empty: want at least 1 letter"},
		{one, [][]byte{nil}, 0, "reference 0 is empty: want at least 1 letter"},
	} {
		if _, err := Nearest(context.Background(), c.queries, c.references, Options{Least: c.least}); fmt.Sprint(err) != c.want {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	if got, err := Nearest(context.Background(), nil, one, Options{}); err != nil || len(got) != 0 {
		t.Errorf("no queries: %v, %v", got, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Nearest(ctx, one, one, Options{}); err == nil {
		t.Error("a canceled search has a result")
	}
}

// components are the clusters by all pairs.
func components(sequences [][]byte, least float64) []int {
	out := make([]int, len(sequences))
	for i := range out {
		out[i] = -1
	}
	label := 0
	for i := range out {
		if out[i] >= 0 {
			continue
		}
		out[i] = label
		for stack := []int{i}; len(stack) > 0; {
			j := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for k, s := range sequences {
				if out[k] >= 0 {
					continue
				}
				if _, matches := naive(sequences[j], s); float64(matches)/float64(min(len(sequences[j]), len(s))) >= least {
					out[k] = label
					stack = append(stack, k)
				}
			}
		}
		label++
	}
	return out
}

func TestClusters(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: many sequences; TestNearest has the goroutines")
	}
	for name, all := range sets() {
		for _, least := range []float64{0.3, 0.7, 0.95, 1} {
			want := components(all, least)
			for _, threads := range []int{1, 4} {
				got, err := Clusters(context.Background(), all, Options{Least: least, Threads: threads})
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("%s, identity %v, %d threads: %v, %v, want %v", name, least, threads, got, err, want)
				}
			}
		}
	}
}

func TestClusters_Errors(t *testing.T) {
	t.Parallel()
	_, err := Clusters(context.Background(), [][]byte{[]byte("A"), nil}, Options{})
	if fmt.Sprint(err) != "sequence 1 is empty: want at least 1 letter" {
		t.Error(err)
	}
	if _, err := Clusters(context.Background(), nil, Options{Least: 2}); err == nil {
		t.Error("an identity of 2 is accepted")
	}
	if got, err := Clusters(context.Background(), nil, Options{}); err != nil || len(got) != 0 {
		t.Errorf("no sequences: %v, %v", got, err)
	}
	many := make([][]byte, mostClustered+1)
	for i := range many {
		many[i] = fmt.Appendf(nil, "%d", i)
	}
	_, err = Clusters(context.Background(), many, Options{})
	if err == nil || !strings.Contains(err.Error(), "50001 are too many, want at most 50000") {
		t.Error(err)
	}
}

// TestNearest_Hard has sequences of one letter, a long one among short ones, and equal ones many times.
func TestNearest_Hard(t *testing.T) {
	runtest.Long(t, "it compares many sequences with the plain definition")
	t.Parallel()
	rng := rand.New(rand.NewPCG(41, 4))
	long := drawn(rng, 100_000, residues)
	copied := slices.Clone(long)
	copied[50_000] ^= 0x80
	references := [][]byte{[]byte("W"), drawn(rng, 100_000, residues)[:99_000], copied, long[:50]}
	for range 20_000 {
		references = append(references, references[3])
	}
	got, err := Nearest(context.Background(), [][]byte{long, references[3], []byte("@")}, references, Options{Least: 0.9, Threads: 2})
	if err != nil || got[0] != (Match{0, 1, 99_999, 1}) || got[1].Reference != 0 && got[1].Reference != 2 || got[2].Reference != -1 {
		t.Errorf("%v, %v", got, err)
	}
	got, err = Nearest(context.Background(), [][]byte{long}, references[1:3], Options{Least: 0.9})
	if err != nil || got[0] != (Match{1, 0.99999, 1, 99_999}) {
		t.Errorf("%v, %v", got, err)
	}
	clusters, err := Clusters(context.Background(), references, Options{Least: 0.9})
	if err != nil || slices.Max(clusters) > 1 {
		t.Errorf("%v", err)
	}
}

func FuzzNearest(f *testing.F) {
	f.Add([]byte("kitten,sitting,mitten,kitten"), 0.7, 2)
	f.Add([]byte("a,aaaa,\xff\x80,aa"), 1.0, 1)
	f.Fuzz(func(t *testing.T, list []byte, least float64, half int) {
		sequences := slices.DeleteFunc(strings.Split(string(list), ","), func(s string) bool { return s == "" })
		if len(sequences) > 12 || len(list) > 600 || half < 0 || half >= len(sequences) || !(least > 0 && least <= 1) {
			return
		}
		var all [][]byte
		for _, s := range sequences {
			all = append(all, []byte(s))
		}
		got, err := Nearest(context.Background(), all[:half], all[half:], Options{Least: least, Threads: 1})
		if want := reference(all[:half], all[half:], least); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q, identity %v: %v, %v, want %v", sequences, least, got, err, want)
		}
		clusters, err := Clusters(context.Background(), all, Options{Least: least, Threads: 2})
		if want := components(all, least); err != nil || !slices.Equal(clusters, want) {
			t.Errorf("%q, identity %v: clusters %v, %v, want %v", sequences, least, clusters, err, want)
		}
	})
}
