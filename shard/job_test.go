// Tests of work in the context of a job.

package shard_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/shard"
)

// write writes the shard of a task and returns its path.
func write(t *testing.T, path string, state *shard.State) string {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(state.Write(f), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// The tasks of a job compute their units, and a job of what they left merges them; with Join too,
// which never holds more than two parts.
func TestJob(t *testing.T) {
	t.Parallel()
	const n, tasks = 23, 5
	want, err := sums(data(n), "none").Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var states []*shard.State
	for i := range tasks {
		job := &shard.Job{Index: i, Of: tasks}
		if job.Used() || job.State() != nil {
			t.Error("a job was used before it was")
		}
		if _, err := sums(data(n), "none").Run(job.In(t.Context())); !errors.Is(err, shard.ErrComputed) {
			t.Fatal(err)
		}
		state := job.State()
		if !job.Used() || state == nil || state.Identity.Units != n || len(state.Parts) != (n-i+tasks-1)/tasks {
			t.Fatalf("task %d: %+v", i, state)
		}
		state.Origin = &shard.Origin{Command: "sum", Index: i, Of: tasks, Settings: []shard.Field{{Name: "rounding", Value: "none"}}}
		opened, err := shard.Open(write(t, filepath.Join(dir, fmt.Sprint(i)), state))
		if err != nil {
			t.Fatal(err)
		}
		if opened.Origin.Index != i || opened.Origin.Settings[0].Name != "rounding" || opened.Parts[0].Data != nil {
			t.Errorf("%+v, %+v", opened.Origin, opened.Parts[0])
		}
		states = append(states, opened)
	}
	slices.Reverse(states)
	for _, joins := range []bool{false, true} {
		work := sums(data(n), "none")
		if joins {
			work.Join = func(a, b []float64) ([]float64, error) { return append(a, b...), nil }
		}
		job := &shard.Job{States: states}
		got, err := work.Run(job.In(t.Context()))
		if err != nil || math.Float64bits(got) != math.Float64bits(want) || job.State() != nil {
			t.Errorf("joins %v: %v, %v, want %v", joins, got, err, want)
		}
		if _, err := work.Run(job.In(t.Context())); err == nil || !strings.Contains(err.Error(), "several parts") {
			t.Errorf("a second work of a job: %v", err)
		}
	}
	if _, err := sums(data(n), "up").Run((&shard.Job{States: states}).In(t.Context())); !errors.Is(err, shard.ErrForeign) {
		t.Errorf("other work: %v", err)
	}
	work := sums(data(n), "none")
	work.Join = func(a, b []float64) ([]float64, error) { return nil, errors.New("they do not join") }
	if _, err := work.Run((&shard.Job{States: states}).In(t.Context())); err == nil || !strings.HasSuffix(err.Error(), "1: they do not join") {
		t.Errorf("a failed join: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sums(data(n), "none").Run((&shard.Job{States: states}).In(ctx)); !errors.Is(err, context.Canceled) {
		t.Errorf("a merge that is canceled: %v", err)
	}
}
