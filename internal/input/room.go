// Whether what the headers of files announce has room in memory.

package input

import (
	"fmt"
	"slices"

	"repscope/dataset"
	"repscope/internal/memory"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/latent"
	"repscope/measure/spectrum"
	"repscope/points"
)

// remaining is how much memory is left to a process that has so much in use; 0: not known.
var remaining = memory.Remaining

// RoomForSpectra is an error where the spectrum of some model's latents, of one model at a time, has no room next to
// the held data and next to other work of beside bytes, such as [Data.Searching].
func (d *Data) RoomForSpectra(models []points.Encoded, beside int64) error {
	held := d.held.Load() + programBytes
	free := remaining(held)
	for _, m := range models {
		n, dim := m.Latents.N, m.Latents.Dim
		need := spectrum.WorkingBytes(n, dim) + beside
		if free <= 0 || need <= free {
			continue
		}
		err := fmt.Errorf("%s: the covariance of %d latents of %d dimensions and its working memory need %s; next to "+
			"the inputs (%s) only %s are free (of RAM, or of the cgroup or ulimit limit)",
			m.Name, n, dim, text.Bytes(need), text.Bytes(held), text.Bytes(free))
		return run.Hint(err, "use fewer states (--samples), pooled latents (--pool) or less --memory, or give the process more memory")
	}
	return nil
}

// listBytes is the memory that a neighbor in a list takes: its index and its distance.
const listBytes = 4 + 8

// Searching is the most that a search for the neighbors of n states takes: working memory, and the lists of the k
// nearest, 0 where none are kept. Lists are no part of --memory: with many states of few dimensions they take far more
// than the states.
func (d *Data) Searching(n, k int) int64 {
	var one run.Plan
	one.Search(n, 1)
	return min(one.Searched, d.env.WorkingMemory()) + listBytes*int64(n)*int64(min(k, n-1))
}

// available is how much memory a process may use; 0: not known.
var available = memory.Available

// hold reserves memory that is about to be used until the run ends. It is an error, and reserves nothing, where all
// reserved memory together would be more than the process may use: the system would end it.
func (d *Data) hold(bytes int64, what string) error {
	if d.plan != nil {
		return nil // it says what a run would hold
	}
	limit := available()
	held := d.held.Add(bytes)
	if limit <= 0 || held <= limit {
		return nil
	}
	d.held.Add(-bytes)
	before := ""
	if other := held - bytes; other > 0 {
		before = fmt.Sprintf(", with %s of other inputs", text.Bytes(other))
	}
	return run.Hint(fmt.Errorf("%s: %s do not fit in memory%s: this process may use %s (RAM, or the cgroup or ulimit limit)",
		what, text.Bytes(bytes), before, text.Bytes(limit)),
		"use fewer states (--samples, or files with fewer rows), or give the process more memory")
}

// holdLatents counts latents of a file, pooled. What does not resolve is told where they are read.
func (d *Data) holdLatents(a *dataset.Array, pool latent.Pool) error {
	shape := a.Shape()
	dim := a.RowLen()
	if len(shape) > 1 {
		if _, pooled, err := pool.Resolve(shape, latent.PoolNone); err == nil {
			dim = pooled
		}
	}
	size := 4
	if wide(a.DType()) {
		size = 8
	}
	return d.hold(int64(size)*int64(a.Len())*int64(dim), a.Name())
}

// wide reports whether latents of a type are held as float64.
func wide(t dataset.DType) bool {
	return slices.Contains([]dataset.DType{dataset.Float64, dataset.Int32, dataset.Int64, dataset.Uint32, dataset.Uint64},
		t)
}
