// The time of an analysis from runs on parts of its own states, with its own options: for analyses whose time follows no law that random
// states would show.

package scale

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"repscope/internal/run"
)

// The terms of a growth, as bits.
const (
	startTerm = 1 << iota
	stateTerm
	pairTerm
)

// parted are the analyses that take a part of their states with --samples, and nothing else beside that grows, with what their time can hold.
var parted = map[string]int{
	"geometry":       startTerm | stateTerm | pairTerm,
	"manifold":       startTerm | stateTerm | pairTerm,
	"reconstruction": startTerm | stateTerm,
	"reward":         startTerm | stateTerm,
	"robustness":     startTerm | stateTerm | pairTerm,
}

const (
	firstPart  = 500              // states of the smallest part
	leastPart  = 50               // where encoding takes long
	fewParts   = 3                // that show how the time grows
	lastParts  = 4                // the largest ones, of which the growth is
	enoughPart = 5 * time.Second  // a run that takes so long is the last, after a few
	shortPart  = 1 * time.Second  // a run that takes less is repeated
	grownPart  = 1.5              // times the first, which shows more than what every run takes
	mostParts  = 40 * time.Second // of all parts, after which none larger is tried
	mostReads  = 20 * time.Second // to read the inputs once, as every run does
	mostEncode = 30 * time.Second // to encode all states, of an analysis that does so for any part of them
)

// growth is the time of an analysis of n of its states: Start + State·n + Pair·n² seconds, from runs with From to To states.
type growth struct {
	Start float64 `json:"start_s"`
	State float64 `json:"state_s"`
	Pair  float64 `json:"pair_s"`
	From  int     `json:"from_states"`
	To    int     `json:"to_states"`
}

// seconds is the time of n states.
func (g *growth) seconds(n int) float64 {
	return g.Start + g.State*float64(n) + g.Pair*float64(n)*float64(n)
}

// text says what was measured.
func (g *growth) text() string {
	return fmt.Sprintf("%.2g s + %.2g s a state + %.2g s a pair, from %d to %d of its states", g.Start, g.State, g.Pair, g.From, g.To)
}

// partKey is what the growth of an analysis depends on, beside the machine: its options, and its inputs as they are now.
func (s *source) partKey() string {
	text, err := json.Marshal([]any{s.analysis, s.dry.Options, s.dry.files(), s.dry.States, len(s.dry.Models)})
	if err != nil {
		return s.name
	}
	sum := sha256.Sum256(text)
	return s.analysis + " " + hex.EncodeToString(sum[:12])
}

// part returns the growth of an analysis, which it measures if it is not known; encode is the time of encoding all states once. Where that
// cannot be done, it says why.
func (r *rates) part(ctx context.Context, s *source, encode float64) (g growth, reason string, err error) {
	key := s.partKey()
	if known, ok := r.Parts[key]; ok {
		return known, "", nil
	}
	n := s.dry.States
	switch {
	case n < 1:
		return g, "the number of its states is not known", nil
	case r.Read > 0 && float64(s.dry.bytes())/r.Read > mostReads.Seconds():
		return g, "its inputs are too large to be read several times for a measurement", nil
	case s.analysis == "geometry" && encode > mostEncode.Seconds():
		return g, "all of its states would have to be encoded for a measurement: encode first, and plan with --latents", nil
	}
	folder, err := os.MkdirTemp("", "repscope-part-")
	if err != nil {
		return g, "", err
	}
	defer os.RemoveAll(folder)
	sizes, times, err := s.try(ctx, folder, encode)
	switch {
	case ctx.Err() != nil:
		return g, "", ctx.Err()
	case err != nil:
		return g, "it was tried: " + err.Error(), nil
	}
	last := max(0, len(sizes)-lastParts)
	g = grows(sizes[last:], times[last:], parted[s.analysis])
	r.Parts[key] = g
	r.fresh = append(r.fresh, s.analysis)
	return g, "", nil
}

// try takes the times of parts that double, until one takes long enough or is the whole. An error is that of the largest part, if none succeeded.
func (s *source) try(ctx context.Context, folder string, encode float64) (sizes []int, times []float64, err error) {
	n := s.dry.States
	size := min(n, firstPart)
	if each := encode / float64(n); each > 0 { // a second of encoding
		size = min(size, max(leastPart, int(1/each)))
	}
	for all := 0.0; ; size = min(n, 2*size) {
		taken, failed := s.tryPart(ctx, folder, size, encode > 0)
		if failed == nil { // else it could be of too few states
			sizes, times = append(sizes, size), append(times, taken)
		}
		all += taken
		enough := len(sizes) >= fewParts && taken > enoughPart.Seconds() && (taken > grownPart*times[0] || all > mostParts.Seconds())
		if size >= n || enough {
			if len(sizes) > 0 {
				failed = nil
			}
			return sizes, times, failed
		}
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
	}
}

// tryPart is the time of the analysis of a part of its states: the shorter of two, where it is short or the first has to encode.
func (s *source) tryPart(ctx context.Context, folder string, size int, encodes bool) (taken float64, err error) {
	task := run.Task{Command: s.task.Command, Layers: s.task.Layers}
	task.Args = append(without(s.task.Args, "samples", "cache"), "--samples", strconv.Itoa(size), "--quiet", "--out", filepath.Join(folder, "out"))
	if slices.Contains(run.FlagNames(task.Command), "cache") {
		task.Args = append(task.Args, "--cache", filepath.Join(folder, "cache"))
	}
	taken = math.Inf(1)
	for i := range 2 {
		if i > 0 && !encodes && taken > shortPart.Seconds() {
			break
		}
		begin := time.Now()
		if err := task.Run(ctx, io.Discard, io.Discard); err != nil {
			return 0, err
		}
		taken = min(taken, time.Since(begin).Seconds())
	}
	return taken, nil
}

// without is a command line without some options, each of which has a value.
func without(args []string, names ...string) []string {
	var kept []string
	for i := 0; i < len(args); i++ {
		name, _, whole := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		if !strings.HasPrefix(args[i], "-") || !slices.Contains(names, strings.ReplaceAll(name, "_", "-")) {
			kept = append(kept, args[i])
		} else if !whole {
			i++
		}
	}
	return kept
}

// grows is the growth of some terms with the least squares of relative errors, and no number of which is negative.
func grows(sizes []int, times []float64, of int) growth {
	best, least := growth{}, math.Inf(1)
	for terms := 1; terms <= of; terms++ { // all sets of numbers that are not 0
		if terms&^of != 0 || bits.OnesCount(uint(terms)) > len(sizes) {
			continue
		}
		g, ok := solve(sizes, times, terms)
		sum := 0.0
		for i, n := range sizes {
			e := g.seconds(n)/times[i] - 1
			sum += e * e
		}
		if ok && sum < least-1e-12 {
			best, least = g, sum
		}
	}
	best.From, best.To = sizes[0], sizes[len(sizes)-1]
	return best
}

// solve finds the numbers of some terms by least squares of relative errors; ok is false where there are none or one is negative.
func solve(sizes []int, times []float64, terms int) (g growth, ok bool) {
	var numbers []*float64
	var powers []float64
	for power, number := range []*float64{&g.Start, &g.State, &g.Pair} {
		if terms>>power&1 == 1 {
			numbers, powers = append(numbers, number), append(powers, float64(power))
		}
	}
	a, b := mat.NewDense(len(sizes), len(powers), nil), mat.NewVecDense(len(sizes), nil)
	for i, n := range sizes {
		b.SetVec(i, 1)
		for j, power := range powers {
			a.Set(i, j, math.Pow(float64(n), power)/times[i])
		}
	}
	var x mat.VecDense
	if err := x.SolveVec(a, b); err != nil {
		return growth{}, false
	}
	for j, number := range numbers {
		*number = x.AtVec(j)
	}
	return g, g.Start >= 0 && g.State >= 0 && g.Pair >= 0
}
