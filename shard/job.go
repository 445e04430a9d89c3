// Execution of the work of a context: as one task of several, or by merging the states of tasks.

package shard

import (
	"context"
	"errors"
)

// Job is the way in which [Work.Run] carries out the work of a context: one task computes its units,
// or the states of tasks are merged. Without a job, all units are computed and merged. An analysis
// calls [Work.Run] once.
type Job struct {
	// Index and Of identify the task: units Index, Index + Of, … are computed, nothing is merged, and Run returns
	// [ErrComputed]. With an Of of 0, States are merged.
	Index, Of int
	States    []*State
	// Only are the ranges of units computed instead of the task's units; nil: all units of the task.
	Only []Range

	state *State
	works int
}

// ErrComputed is returned by [Work.Run] instead of a result after a task has computed its units.
var ErrComputed = errors.New("the units of a task are computed; the result exists only after merging all tasks")

// errTwice is the error of an analysis with several parts.
var errTwice = errors.New("the analysis has several parts and cannot be divided")

type jobKey struct{}

// In returns a context whose work is executed by the job.
func (j *Job) In(ctx context.Context) context.Context { return context.WithValue(ctx, jobKey{}, j) }

// State returns the units computed by the task; nil before any work, and for a job that merges.
func (j *Job) State() *State { return j.state }

// Merges reports whether states are merged, and nothing is computed.
func (j *Job) Merges() bool { return j.Of == 0 && j.Only == nil }

// Used reports whether work was carried out.
func (j *Job) Used() bool { return j.works > 0 }

// carryOut executes a job.
func carryOut[P, R any](ctx context.Context, j *Job, w Work[P, R]) (R, error) {
	var none R
	if j.works++; j.works > 1 {
		return none, errTwice
	}
	if j.Merges() {
		return w.MergeStates(ctx, j.States...)
	}
	ranges := j.Only
	if ranges == nil {
		ranges = Task(j.Index, j.Of, w.Units)
	}
	state, err := w.Compute(ctx, ranges...)
	if err != nil {
		return none, err
	}
	j.state = state
	return none, ErrComputed
}
