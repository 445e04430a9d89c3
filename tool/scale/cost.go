// What tasks cost, and into how many an analysis is divided.

package scale

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"repscope/internal/memory"
	"repscope/internal/run"
	"repscope/internal/text"
)

// wishes are what the division is to fulfil.
type wishes struct {
	shards int           // of every analysis that can be divided; 0: as many as within asks for
	within time.Duration // for a task
	tasks  int           // the most of one analysis
	memory int64         // of a task; 0: any
	cores  int           // of a task
}

// cost is what an analysis is predicted to take on the tasks' cores.
type cost struct {
	fixed  float64   // seconds of every task: to start, and to read and digest the inputs
	work   float64   // seconds of the divided work, in one task
	unit   float64   // seconds of a unit in a task of some units; 0: an equal part of work
	parts  []float64 // of work, by unit, where they are not equal
	encode float64   // seconds to encode all states once
	memory int64     // bytes that a task of all units was seen to take besides the program; 0: not known
	reason string    // why work is not known
}

// defaultWorking is the working memory of a task that may have any: more makes searches little faster.
const defaultWorking = 1 << 30

// predict is the cost of an analysis.
func (s *source) predict(ctx context.Context, r *rates, w *wishes) (cost, error) {
	encode, ok := s.dry.encoding()
	c := cost{encode: encode}
	if !ok {
		c.reason = "the time of encoding is unknown until all frames are read"
	}
	if r.Read > 0 {
		c.fixed = float64(s.dry.bytes()) / r.Read
	}
	slower := float64(r.Machine.Cores) / float64(w.cores)
	l, lawful := laws[s.analysis]
	switch {
	case lawful && s.dry.Options["approx"] == true && s.analysis != "neighborhood":
		c.reason = "the time of --approx is unknown"
	case lawful && s.small(r, l, encode):
		g, reason, err := r.whole(ctx, s, encode)
		if err != nil {
			return c, err
		}
		if reason != "" {
			c.reason = "the time of " + s.analysis + " is unknown: " + reason
			break
		}
		c.fixed, c.work = 0, g.Start*slower // it reads the inputs, too
		c.memory = g.memory(s.dry.States)
	case lawful:
		rate, err := r.measure(ctx, s, l)
		if err != nil {
			return c, err
		}
		c.fixed += rate.Some.Start
		n := float64(s.dry.States)
		c.work = max(0, rate.Whole.Start-rate.Some.Start+s.seconds(&rate, l, n)*slower)
		c.unit = s.unit(&rate, l, n) * slower
	case parted[s.analysis] != 0:
		if s.analysis == "robustness" { // every unit encodes all states again
			c.encode = encode / float64(1+s.dry.Units)
		}
		g, reason, err := r.part(ctx, s, encode)
		if err != nil {
			return c, err
		}
		if reason != "" {
			c.reason = "the time of " + s.analysis + " is unknown: " + reason
			break
		}
		c.fixed = g.Start // reads the inputs, too
		c.work = (g.seconds(s.dry.States) - g.Start) * slower
		c.parts, c.memory = g.Parts, g.memory(s.dry.States)
	case s.dry.Counts[pairsOfStates] > 0:
		g, reason, err := r.compare(ctx, s)
		if err != nil {
			return c, err
		}
		if reason != "" {
			c.reason = "the time of " + s.analysis + " is unknown: " + reason
			break
		}
		pairs := s.dry.Counts[pairsOfStates]
		c.fixed += g.Start
		c.work = float64(pairs) * g.Pair * slower
		c.parts = auditParts(s.dry.Units, pairs, s.dry.Counts[pairsOfReferences])
	default:
		c.reason = "the time of " + s.analysis + " is unknown: it cannot be measured on a part of its inputs"
	}
	c.encode *= slower
	return c, nil
}

// seconds is the time of the law for n states: of all pairs, or with --approx of the pairs of the reference states.
func (s *source) seconds(r *rate, l law, n float64) float64 {
	all := r.Whole.seconds(l.power, n, s.size())
	if s.dry.Options["approx"] == true {
		if references, ok := s.dry.Options["approx-references"].(float64); ok {
			all *= min(1, references/n)
		}
	}
	return all
}

// unit is the time of a unit in a task of some of them: there are as many as there are states, or parts of them.
func (s *source) unit(r *rate, l law, n float64) float64 {
	units := float64(s.dry.Units) * n / float64(max(s.dry.States, 1))
	return r.Some.seconds(l.power, n, s.size()) * someUnits / max(units, 1)
}

// size is what the time of a law depends on.
func (s *source) size() size {
	frames, latents, _ := s.dry.dimensions()
	return size{frames, len(s.dry.Models), latents}
}

// all is the time of n tasks together, with the encoding.
func (c *cost) all(n, units int) float64 {
	sum := c.fixed*float64(n) + c.encode
	if n > 1 && c.unit > 0 {
		return sum + c.unit*float64(units)
	}
	return sum + c.work
}

// task is the time of the longest of n tasks of work in units, without encoding.
func (c *cost) task(n, units int) float64 {
	if n <= 1 || units < 1 {
		return c.fixed + c.work
	}
	if len(c.parts) == units {
		longest := 0.0
		for i := range n {
			sum := 0.0
			for u := i; u < units; u += n {
				sum += c.parts[u]
			}
			longest = max(longest, sum)
		}
		return c.fixed + longest*c.work
	}
	unit := c.unit
	if unit == 0 {
		unit = c.work / float64(units)
	}
	return c.fixed + math.Ceil(float64(units)/float64(n))*unit
}

// shards returns into how many tasks the work is divided, and a warning if the wishes cannot be met.
func (s *source) shards(c *cost, w *wishes) (n int, warning string) {
	units := s.dry.Units
	if units < 2 || !slices.Contains(run.FlagNames(s.task.Command), "shard") {
		return 1, ""
	}
	highest := min(units, w.tasks)
	if w.shards > 0 {
		return min(w.shards, units), ""
	}
	if c.reason != "" {
		return 1, ""
	}
	limit := w.within.Seconds()
	if c.task(highest, units) > limit {
		return highest, fmt.Sprintf("%s: %s with %d tasks, more than %s", s.name, duration(c.task(highest, units)), highest,
			w.within)
	}
	low, high := 1, highest // the time of a task falls with their number
	for low < high {
		if middle := (low + high) / 2; c.task(middle, units) <= limit {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low, ""
}

// exactEnds is the largest number of states whose exact analysis fits the wishes on as many tasks as there may be; 0
// where it is not known.
func (s *source) exactEnds(r *rate, l law, c *cost, w *wishes) float64 {
	if l.power == 0 || s.dry.States == 0 {
		return 0
	}
	slower := float64(r.cores) / float64(w.cores)
	fits := func(n float64) bool {
		units := float64(s.dry.Units) * n / float64(s.dry.States)
		tasks := max(1, math.Floor(min(units, float64(w.tasks))))
		work := s.seconds(r, l, n)
		if tasks > 1 {
			work = s.unit(r, l, n) * units / tasks
		}
		return c.fixed*n/float64(s.dry.States)+work*slower <= w.within.Seconds()
	}
	low, high := 1.0, 1e12
	if !fits(low) {
		return 0
	}
	for high/low > 1.001 {
		if middle := math.Sqrt(low * high); fits(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// need is what a task of n takes; working is the memory that its searches are given.
func (s *source) need(c *cost, w *wishes, n int) (need Need, working int64, warning string) {
	held := s.dry.Memory.Held
	working = min(s.dry.Memory.Working, defaultWorking)
	if w.memory > 0 {
		working = min(s.dry.Memory.Working, max(w.memory-held, 0))
		if least := int64(64 << 20); working < min(least, s.dry.Memory.Working) {
			working = least
			warning = fmt.Sprintf("%s: its inputs and latents take %s, more than --memory %s allows; use fewer states (--samples) or dimensions", s.name, text.Bytes(held), text.Bytes(w.memory))
		}
	}
	need = Need{Memory: held + max(working, c.memory), Read: s.dry.bytes(), Encode: c.encode}
	if c.reason == "" {
		need.Seconds = c.task(n, s.dry.Units)
	}
	if physical := memory.Physical(); w.memory == 0 && physical > 0 && held > physical {
		warning = fmt.Sprintf("%s: its inputs and latents take %s; this machine has %s",
			s.name, text.Bytes(held), text.Bytes(physical))
	}
	return need, working, warning
}

// duration is a time for people.
func duration(seconds float64) string {
	switch {
	case seconds <= 0:
		return "–"
	case seconds < 99.5:
		return fmt.Sprintf("%.2g s", seconds)
	case seconds < 5970:
		return fmt.Sprintf("%.0f min", seconds/60)
	case seconds < 200*3600:
		return fmt.Sprintf("%.1f h", seconds/3600)
	}
	return fmt.Sprintf("%.0f days", seconds/86400)
}
