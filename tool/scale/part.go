// The time of an analysis from runs on parts of its own states, with its own options: for analyses whose time follows
// no law that random states would show.

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

	"repscope/internal/atomicfile"
	"repscope/internal/run"
	"repscope/internal/text"
)

// unlike are the parted analyses whose units are models: one may take longer than another.
var unlike = map[string]bool{"geometry": true, "manifold": true}

// The terms of a growth, as bits.
const (
	startTerm = 1 << iota
	stateTerm
	pairTerm
)

// parted are the analyses that take a part of their states with --samples, while nothing else grows, with
// the terms that their time can have.
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
	lastParts  = 4                // the largest ones, which determine the growth
	enoughPart = 3 * time.Second  // a run that takes so long may be the last, after a few
	shortPart  = 1 * time.Second  // a run that takes less is repeated
	mostParts  = 30 * time.Second // of all parts together, where that is enough
	mostReads  = 20 * time.Second // to read the inputs once, as every run does
	mostEncode = 30 * time.Second // to encode all states, of an analysis that does so for any part of them
)

// growth is the time of an analysis of n of its states: Start + State·n + Pair·n² seconds, from runs with From to To
// states.
type growth struct {
	Start float64 `json:"start_s"`
	State float64 `json:"state_s"`
	Pair  float64 `json:"pair_s"`
	From  int     `json:"from_states"`
	To    int     `json:"to_states"`
	// Held and StateHeld are the memory of a run in bytes: Held + StateHeld·n.
	Held      float64 `json:"held_bytes"`
	StateHeld float64 `json:"state_held_bytes"`
	// Parts are the shares of the time that the units take, if they are not equal.
	Parts []float64 `json:"parts,omitempty"`
}

// memory is what a run of n states takes in bytes.
func (g *growth) memory(n int) int64 { return int64(g.Held + g.StateHeld*float64(n)) }

// seconds is the time of n states.
func (g *growth) seconds(n int) float64 {
	return g.Start + g.State*float64(n) + g.Pair*float64(n)*float64(n)
}

// text describes the measurements.
func (g *growth) text() string {
	if g.From == g.To && g.State == 0 && g.Pair == 0 {
		return fmt.Sprintf("%.2g s for all its %s", g.Start, text.Count(g.To, "state"))
	}
	return fmt.Sprintf("%.2g s + %.2g s per state + %.2g s per pair, measured on %d to %d of its states",
		g.Start, g.State, g.Pair, g.From, g.To)
}

// partKey is what the growth of an analysis depends on, besides the machine: its options, and its inputs as they are
// now.
func (s *source) partKey() string {
	text, err := json.Marshal([]any{s.analysis, s.dry.Options, s.dry.files(), s.dry.States, len(s.dry.Models)})
	if err != nil {
		return s.name
	}
	sum := sha256.Sum256(text)
	return s.analysis + " " + hex.EncodeToString(sum[:12])
}

// part returns the growth of an analysis, which it measures if it is not known; encode is the time of encoding all
// states once. Where that cannot be done, it says why.
func (r *rates) part(ctx context.Context, s *source, encode float64) (g growth, reason string, err error) {
	key := s.partKey()
	if known, ok := r.Parts[key]; ok {
		return known, "", nil
	}
	n := s.dry.States
	switch {
	case n < 1:
		return g, "the number of its states is unknown", nil
	case r.Read > 0 && float64(s.dry.bytes())/r.Read > mostReads.Seconds():
		return g, "its inputs are too large to read several times for a measurement", nil
	case s.analysis == "geometry" && encode > mostEncode.Seconds():
		return g, "a measurement would encode all states: encode them first, and plan with --latents", nil
	}
	folder, err := atomicfile.TemporaryFolder("repscope-part-")
	if err != nil {
		return g, "", err
	}
	defer os.RemoveAll(folder)
	tried, err := s.try(ctx, folder, encode)
	switch {
	case ctx.Err() != nil:
		return g, "", ctx.Err()
	case err != nil:
		return g, "a trial run failed: " + err.Error(), nil
	}
	tried.last(lastParts)
	g = grows(tried.sizes, tried.seconds, parted[s.analysis])
	held := grows(tried.sizes, tried.bytes, startTerm|stateTerm)
	g.Held, g.StateHeld = held.Start, held.State
	if err := s.tryUnits(ctx, folder, &g, tried, encode > 0); err != nil {
		return g, "", err
	}
	r.Parts[key] = g
	r.fresh = append(r.fresh, s.analysis)
	return g, "", nil
}

// smallWork is how many values of pairs of states, or of states, a run of a law may compare that is taken as it is:
// some seconds.
const smallWork = 2e10

// mostSmall is how long small work may encode, in seconds.
const mostSmall = 10

// small reports whether the analysis takes so little that running it once says more, and sooner, than measuring its
// law, which is not known yet.
func (s *source) small(r *rates, l law, encode float64) bool {
	if _, known := r.Of[r.key(s, l)]; known || s.dry.States < 1 || encode > mostSmall {
		return false
	}
	z := s.size()
	return math.Pow(float64(s.dry.States), l.power)*float64(z.frame+z.latents) <= smallWork
}

// whole is the time of an analysis of all of its states, which is small.
func (r *rates) whole(ctx context.Context, s *source, encode float64) (g growth, reason string, err error) {
	key := s.partKey()
	if known, ok := r.Parts[key]; ok {
		return known, "", nil
	}
	folder, err := atomicfile.TemporaryFolder("repscope-whole-")
	if err != nil {
		return g, "", err
	}
	defer os.RemoveAll(folder)
	taken, held, err := s.tryPart(ctx, folder, 0, encode > 0)
	switch {
	case ctx.Err() != nil:
		return g, "", ctx.Err()
	case err != nil:
		return g, "a trial run failed: " + err.Error(), nil
	}
	g = growth{Start: taken, Held: held, From: s.dry.States, To: s.dry.States}
	r.Parts[key] = g
	r.fresh = append(r.fresh, s.analysis)
	return g, "", nil
}

// trials are runs on parts: how many states they had, how long they took and what memory.
type trials struct {
	sizes          []int
	seconds, bytes []float64
}

// last leaves the last n.
func (t *trials) last(n int) {
	at := max(0, len(t.sizes)-n)
	t.sizes, t.seconds, t.bytes = t.sizes[at:], t.seconds[at:], t.bytes[at:]
}

// enough reports whether another part, of twice the states, would take too long: if one took enough, and another that
// grows as this one did were more than all parts may take.
func (t *trials) enough(all float64) bool {
	n := len(t.seconds)
	if n < fewParts || t.seconds[n-1] < enoughPart.Seconds() {
		return false
	}
	next := t.seconds[n-1] * t.seconds[n-1] / t.seconds[n-2]
	return all+next > mostParts.Seconds()
}

// try takes the times of parts that double, until another would take too long or one is the whole. An error is that
// of the largest part, if none succeeded.
func (s *source) try(ctx context.Context, folder string, encode float64) (t *trials, err error) {
	n := s.dry.States
	size := min(n, firstPart)
	if each := encode / float64(n); each > 0 { // a second of encoding
		size = min(size, max(leastPart, int(1/each)))
	}
	t = &trials{}
	for all := 0.0; ; size = min(n, 2*size) {
		taken, held, failed := s.tryPart(ctx, folder, size, encode > 0)
		if failed == nil { // else it could be of too few states
			t.sizes, t.seconds, t.bytes = append(t.sizes, size), append(t.seconds, taken), append(t.bytes, held)
		}
		all += taken
		if size >= n || t.enough(all) {
			if len(t.sizes) > 0 {
				failed = nil
			}
			return t, failed
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}

// leastUnit is what a unit takes at least, in seconds, compared with the others.
const leastUnit = 1e-4

// mostUnits are the units whose times are taken one by one.
const mostUnits = 16

// tryUnits takes the times of the units of an analysis whose units are models, which are not alike, each by itself on
// the largest part that takes a second at most, or on the smallest.
func (s *source) tryUnits(ctx context.Context, folder string, g *growth, t *trials, encodes bool) error {
	units := s.dry.Units
	if !unlike[s.analysis] || units < 2 || units > mostUnits {
		return nil
	}
	k := 0
	for i, taken := range t.seconds {
		if taken <= shortPart.Seconds() {
			k = i
		}
	}
	parts, sum := make([]float64, units), 0.0
	for i := range parts {
		taken, _, err := s.tryPart(ctx, folder, t.sizes[k], encodes, "--shard", fmt.Sprintf("%d/%d", i, units))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return nil // they are taken for equal
		}
		parts[i] = max(taken-g.Start, leastUnit)
		sum += parts[i]
	}
	for i := range parts {
		parts[i] /= sum
	}
	g.Parts = parts
	return nil
}

// tryPart is the time of the analysis of a part of its states: the shorter of two, where it is short or the first has
// to encode. held is the largest memory of one. Size 0 is the whole analysis.
func (s *source) tryPart(ctx context.Context, folder string, size int, encodes bool,
	more ...string) (taken, held float64, err error) {
	task := run.Task{Command: s.task.Command, Layers: s.task.Layers}
	task.Args = append(slices.Clone(s.task.Args), "--quiet", "--out", filepath.Join(folder, "out"))
	if size > 0 {
		task.Args = append(without(task.Args, "samples"), "--samples", strconv.Itoa(size))
	}
	task.Args = without(task.Args, "cache")
	if slices.Contains(run.FlagNames(task.Command), "cache") {
		task.Args = append(task.Args, "--cache", filepath.Join(folder, "cache"))
	}
	task.Args = append(task.Args, more...)
	taken = math.Inf(1)
	for i := range 2 {
		if i > 0 && !encodes && taken > shortPart.Seconds() {
			break
		}
		peak := watchMemory()
		begin := time.Now()
		err := task.Run(ctx, io.Discard, io.Discard)
		taken, held = min(taken, time.Since(begin).Seconds()), max(held, peak())
		if err != nil {
			return 0, 0, err
		}
	}
	return taken, held, nil
}

// without is a command line without some options and their values.
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

// grows fits the growth of some terms by least squares of relative errors, with no negative coefficient.
func grows(sizes []int, times []float64, mask int) growth {
	best, least := growth{}, math.Inf(1)
	for terms := 1; terms <= mask; terms++ { // all sets of numbers that are not 0
		if terms&^mask != 0 || bits.OnesCount(uint(terms)) > len(sizes) {
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

// solve finds the numbers of some terms by least squares of relative errors; ok is false where there are none or one
// is negative.
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
