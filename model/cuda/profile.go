//go:build cuda

// Time of the steps of a graph on a GPU.

package cuda

import (
	"slices"

	device "repscope/internal/cuda"
	"repscope/model/graph"
	"repscope/model/operator"
)

// profile keeps the durations of the steps of a program.
type profile struct {
	program *program
	seconds [][]float64 // by step; the first are the conversions of the input
}

// clock is the events around the steps of a slot's run.
type clock struct {
	events []*device.Event
	steps  []int // steps[i] runs from events[i] to events[i+1]; empty: the run is not measured
}

func (c *clock) close() error {
	var err error
	for _, e := range c.events {
		if failed := e.Close(); err == nil {
			err = failed
		}
	}
	*c = clock{}
	return err
}

// SetProfile begins to measure the time of steps, or ends it and discards the measurements. Measured runs are started
// kernel by kernel instead of as one graph, with an event after each step. A step therefore takes at least the time of
// a launch, some microseconds.
func (x *Executor) SetProfile(on bool) {
	x.profiling, x.profiles = on, nil
}

// Profile is the time of the steps since SetProfile, by the GPU's clock, in the order of the first run of their shapes
// and of the program. The conversion of bytes or noise to the input is a step repscope.Input.
func (x *Executor) Profile() []operator.StepTime {
	var out []operator.StepTime
	for _, p := range x.profiles {
		for i, seconds := range p.seconds {
			if len(seconds) == 0 {
				continue
			}
			var t operator.StepTime
			if i == 0 {
				input := p.program.Values[p.program.Inputs[0]]
				t = operator.StepTime{Operator: "repscope.Input", Output: input.Shape, Bytes: float64(p.program.in + graph.Count(input.Shape)*input.DType.Size())}
			} else {
				t = operator.DescribeStep(p.program.Program, &p.program.Steps[i-1])
			}
			t.Took(seconds)
			out = append(out, t)
		}
	}
	return out
}

// timed enqueues a program's commands one by one, with an event after each step.
func (x *Executor) timed(p *program, s *slot, b *bound) error {
	c := &s.clock
	c.steps = c.steps[:0]
	if err := x.tick(c); err != nil {
		return err
	}
	return x.enqueue(p, s, b, func(step int) error {
		c.steps = append(c.steps, step)
		return x.tick(c)
	})
}

// tick records the event after the last step.
func (x *Executor) tick(c *clock) error {
	if len(c.events) == len(c.steps) {
		e, err := x.device.NewTimedEvent()
		if err != nil {
			return err
		}
		c.events = append(c.events, e)
	}
	return x.computing.Record(c.events[len(c.steps)])
}

// read adds the durations of a slot's run, which is done, to the program's.
func (x *Executor) read(p *program, c *clock) error {
	if len(c.steps) == 0 || !x.profiling {
		return nil
	}
	i := slices.IndexFunc(x.profiles, func(known *profile) bool { return known.program == p })
	if i < 0 {
		i = len(x.profiles)
		x.profiles = append(x.profiles, &profile{program: p, seconds: make([][]float64, 1+len(p.Steps))})
	}
	for index, step := range c.steps {
		seconds, err := c.events[index+1].Since(c.events[index])
		if err != nil {
			return err
		}
		x.profiles[i].seconds[1+step] = append(x.profiles[i].seconds[1+step], seconds)
	}
	c.steps = c.steps[:0]
	return nil
}

// SetProfile begins to measure the time of steps on all GPUs, or ends it; see Executor.SetProfile.
func (g *Group) SetProfile(on bool) {
	for _, x := range g.executors {
		x.SetProfile(on)
	}
}

// Profile is the time of the steps on each GPU, one after the other; see Executor.Profile.
func (g *Group) Profile() []operator.StepTime {
	var all []operator.StepTime
	for _, x := range g.executors {
		all = append(all, x.Profile()...)
	}
	return all
}
