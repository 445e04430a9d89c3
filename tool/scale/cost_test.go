// Tests of how work is divided.

package scale

import (
	"math"
	"slices"
	"testing"
	"time"

	"repscope/internal/run"
)

// divisible is an analysis of so many states in units of a hundred.
func divisible(states int) *source {
	s := &source{name: "a", analysis: "neighborhood", dry: dry{States: states, Units: states / 100}}
	s.task.Command = run.Command{Name: "a", Setup: func(flags *run.Flags) run.Job {
		flags.String("shard", "", "`I/N`")
		return run.Job{}
	}, Omit: []string{"shard"}}
	s.task.Command.Omit = nil
	return s
}

func TestTaskTime(t *testing.T) {
	t.Parallel()
	more := cost{fixed: 3, work: 100, unit: 12}
	if one, some, all := more.task(1, 10), more.task(5, 10), more.all(5, 10); one != 103 || some != 3+2*12 || all != 5*3+10*12 {
		t.Errorf("units that take more in tasks of their own: %v, %v, all %v", one, some, all)
	}
	unlike := cost{fixed: 3, work: 100, parts: []float64{0.1, 0.5, 0.4}}
	for n, want := range map[int]float64{1: 103, 2: 53, 3: 53} {
		if got := unlike.task(n, 3); math.Abs(got-want) > 1e-12 {
			t.Errorf("units that are not alike, %d tasks: %v s, want %v", n, got, want)
		}
	}
	c := cost{fixed: 3, work: 100}
	for n, want := range map[int]float64{1: 103, 2: 53, 3: 3 + 100*4.0/10, 10: 13, 20: 13} {
		if got := c.task(n, 10); math.Abs(got-want) > 1e-12 {
			t.Errorf("%d tasks of 10 units: %v s, want %v", n, got, want)
		}
	}
}

// The number of tasks is the smallest that fits, by trying all.
func TestShardsAreFewest(t *testing.T) {
	t.Parallel()
	for _, work := range []float64{1, 59, 61, 600, 3600, 1e5} {
		c := cost{fixed: 5, work: work}
		s := divisible(70_000)
		w := wishes{within: time.Minute, tasks: 300, cores: 1}
		got, warning := s.shards(&c, &w)
		want := 0
		for n := 1; n <= 300 && want == 0; n++ {
			if c.task(n, s.dry.Units) <= 60 {
				want = n
			}
		}
		if want == 0 {
			if got != 300 || warning == "" {
				t.Errorf("%v s of work: %d tasks, %q; want 300 and a warning", work, got, warning)
			}
		} else if got != want || warning != "" {
			t.Errorf("%v s of work: %d tasks, %q; want %d", work, got, warning, want)
		}
	}
}

func TestShardsWithoutUnits(t *testing.T) {
	t.Parallel()
	w := wishes{within: time.Second, tasks: 10, shards: 4}
	if n, _ := (&source{task: run.Task{Command: divisible(1).task.Command}}).shards(&cost{work: 100}, &w); n != 1 {
		t.Errorf("work that is not divided: %d tasks", n)
	}
	if n, _ := divisible(200).shards(&cost{work: 100}, &w); n != 2 {
		t.Errorf("two units, four tasks asked for: %d tasks", n)
	}
	w.shards = 0
	if n, _ := divisible(2000).shards(&cost{reason: "unknown"}, &w); n != 1 {
		t.Errorf("time not known: %d tasks", n)
	}
}

// The parts of a law are what its sum says, and of units.
func TestLaw(t *testing.T) {
	t.Parallel()
	r := terms{Start: 9, State: 2, Share: 0.5, Point: 1, Frame: 0.01, Model: 3, Latent: 0.1}
	if got, want := r.seconds(2, 10, size{200, 3, 40}), 2*10*2+100*(1+0.01*200+3*3+0.1*40); math.Abs(got-want) > 1e-9 {
		t.Errorf("all: %v, want %v", got, want)
	}
	// Of 4,000 states in 40 units a task of every fourth has 10.
	s := divisible(10_000)
	if got, want := s.unit(&rate{Some: terms{State: 0.5}}, laws["neighborhood"], 4000), 0.5*4000/10; math.Abs(got-want) > 1e-9 {
		t.Errorf("a unit: %v, want %v", got, want)
	}
}

// The largest unit of an audit has the pairs of its references, and the others share the rest.
func TestAuditParts(t *testing.T) {
	t.Parallel()
	if got := auditParts(5, 1000, 600); !slices.Equal(got, []float64{0.1, 0.1, 0.1, 0.1, 0.6}) {
		t.Errorf("%v", got)
	}
	if auditParts(1, 1000, 600) != nil || auditParts(5, 0, 0) != nil {
		t.Error("nothing to divide has parts")
	}
}

// Where exact ends, a task takes what it may.
func TestExactEnds(t *testing.T) {
	t.Parallel()
	s := divisible(10_000)
	r := rate{Whole: terms{Point: 1e-7}, Some: terms{Point: 0.5e-7}, cores: 4} // a task of some units takes twice of what it does of all
	w := wishes{within: time.Hour, tasks: 100, cores: 2}
	l := laws["neighborhood"]
	end := s.exactEnds(&r, l, &cost{fixed: 1}, &w)
	taken := end/10_000 + 2*1e-7*end*end*2/100
	if math.Abs(taken/3600-1) > 0.01 {
		t.Errorf("%v states take %v s, want an hour", end, taken)
	}
	if s.exactEnds(&r, laws["manifold"], &cost{}, &w) != 0 {
		t.Error("an analysis whose units are models has an end")
	}
}

func TestDuration(t *testing.T) {
	t.Parallel()
	for seconds, want := range map[float64]string{0: "–", 0.123: "0.12 s", 99: "99 s", 600: "10 min", 7200: "2.0 h", 8e6: "93 days"} {
		if got := duration(seconds); got != want {
			t.Errorf("%v: %q, want %q", seconds, got, want)
		}
	}
}
