// The time of an audit, from the pairs of states that it compares.

package scale

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"repscope/dataset"
	"repscope/internal/atomicfile"
)

// Counts of a dry run of audit: all pairs, and the pairs of its largest unit.
const (
	pairsOfStates     = "pairs of states"
	pairsOfReferences = "pairs of references"
)

const (
	mostAudited    = 256 << 20 // bytes of a trial
	fewestAudited  = 8         // states of a trial
	auditedEpisode = 256       // states of an episode of a trial
)

// auditedStates are the states of the trials: half are tested, the others are references.
var auditedStates = [2]int{8192, 24576}

// compare returns the time of an audit, Start + Pair for each pair of states, measured by two audits of random states
// of the same type and size. More terms are not told apart by runs of seconds. Where that cannot be done, it says why.
func (r *rates) compare(ctx context.Context, s *source) (g growth, reason string, err error) {
	frame, _, dtype := s.dry.dimensions()
	if frame == 0 {
		return g, "the size of its states is unknown", nil
	}
	key := fmt.Sprintf("audit %s %d", dtype, frame)
	if known, ok := r.Parts[key]; ok {
		return known, "", nil
	}
	folder, err := atomicfile.TemporaryFolder("repscope-audit-")
	if err != nil {
		return g, "", err
	}
	defer os.RemoveAll(folder)
	sizes := auditedStates
	width := 4 // bytes of a value
	if dtype == "uint8" {
		width = 1
	}
	if limit := mostAudited / width / frame; sizes[1] > limit {
		sizes = [2]int{limit / 3, limit}
	}
	if sizes[0] < fewestAudited {
		return g, "its states are too large for a measurement", nil
	}
	var seconds [2]float64
	for i, n := range sizes {
		if r.say != nil {
			r.say("measuring audit: %d of %d: %d states", i+1, len(sizes), n)
		}
		seconds[i], err = s.auditRandom(ctx, folder, n, frame, dtype == "uint8")
		switch {
		case ctx.Err() != nil:
			return g, "", ctx.Err()
		case err != nil:
			return g, "a trial run failed: " + err.Error(), nil
		}
	}
	g = grows(sizes[:], seconds[:], startTerm|pairTerm)
	g.Pair *= 2 // tested states with the others, and these with each other: n²/2 pairs of n states
	r.Parts[key] = g
	r.fresh = append(r.fresh, s.analysis)
	return g, "", nil
}

// auditRandom is the shorter time of two audits of n random states, n/2 of them tested.
func (s *source) auditRandom(ctx context.Context, folder string, n, frame int, bytes bool) (float64, error) {
	random := rand.New(rand.NewPCG(1, uint64(n)))
	args := []string{"--quiet", "--out", filepath.Join(folder, "out"), "--references", strconv.Itoa(n)} // all
	for _, part := range []struct {
		name   string
		states int
	}{{"train", n - n/2}, {"test", n / 2}} {
		path := filepath.Join(folder, part.name+".npy")
		if err := writeRandom(path, random, part.states, frame, bytes); err != nil {
			return 0, err
		}
		episodes := make([]int64, part.states)
		for i := range episodes {
			episodes[i] = int64(i / auditedEpisode)
		}
		numbers := filepath.Join(folder, part.name+"-episodes.npy")
		if err := dataset.WriteNPY(numbers, []int{part.states}, episodes); err != nil {
			return 0, err
		}
		args = append(args, "--"+part.name, path, "--"+part.name+"-episodes", numbers)
	}
	return s.shorter(ctx, args)
}

// auditParts are the shares of the work that units take: one unit compares all references, and the others are alike.
func auditParts(units, pairs, references int) []float64 {
	if units < 2 || pairs < 1 {
		return nil
	}
	parts := make([]float64, units)
	for i := range parts {
		parts[i] = float64(pairs-references) / float64(pairs) / float64(units-1)
	}
	parts[units-1] = float64(references) / float64(pairs)
	return parts
}
