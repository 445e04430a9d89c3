// Package shardtest is the contract that every [shard.Work] passes: any split of
// its units gives the same bytes, and states that do not belong together are
// refused.
package shardtest

import (
	"bytes"
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"repscope/report"
	"repscope/shard"
)

// Encoded returns the text of results for [Check]: their JSON, as a result file has it.
func Encoded[R any](t *testing.T) func(R) []byte {
	return func(r R) []byte {
		t.Helper()
		var out bytes.Buffer
		if err := report.Encode(&out, r); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
}

// Check tests the contract. open creates the work as another process would; text is the bytes of a result that must be
// equal, such as its JSON; foreign, if not nil, is work of another identity, whose states must be refused. With -short
// it is divided once, which runs the same goroutines.
func Check[P, R any](t *testing.T, open func() shard.Work[P, R], text func(R) []byte, foreign func() shard.Work[P, R]) {
	t.Helper()
	ctx := context.Background()
	identity := open().Identity()
	units := open().Units
	if units < 1 {
		t.Fatalf("the work has %d units", units)
	}
	if d := identity.Difference(open().Identity()); d != "" {
		t.Fatalf("the identity changes from one process to the next: %s", d)
	}
	whole, err := open().Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	want := text(whole)
	merge := func(name string, states ...*shard.State) {
		t.Helper()
		merged, err := open().MergeStates(ctx, states...)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := text(merged); !bytes.Equal(got, want) {
			t.Errorf("%s: other bytes than of one process, first at %d:\n%s\nwant\n%s",
				name, differAt(got, want), near(got, want, got), near(got, want, want))
		}
	}
	compute := func(ranges ...shard.Range) *shard.State {
		t.Helper()
		state, err := open().Compute(ctx, ranges...)
		if err != nil {
			t.Fatal(err)
		}
		return reread(t, state)
	}

	all := compute(shard.Range{Lo: 0, Hi: units})
	merge("one part", all)
	r, divisions := rand.New(rand.NewPCG(1, 2)), []int{2, 3}
	if testing.Short() {
		divisions = nil
	} else {
		merge("one part twice", all, compute(shard.Range{Lo: 0, Hi: units}))
	}
	for _, tasks := range divisions {
		var states []*shard.State
		for i := range min(tasks, units) {
			states = append(states, compute(shard.Task(i, tasks, units)...))
		}
		r.Shuffle(len(states), func(i, j int) { states[i], states[j] = states[j], states[i] })
		merge("tasks in any order", append(states, states[0])...)
	}
	var cuts []*shard.State
	for lo := 0; lo < units; {
		hi := min(units, lo+1+r.IntN(max(1, units/2)))
		cuts = append([]*shard.State{compute(shard.Range{Lo: lo, Hi: hi})}, cuts...)
		lo = hi
	}
	merge("ranges backwards", cuts...)
	refused(t, open, cuts, all, foreign)
}

// refused merges states that must not merge.
func refused[P, R any](t *testing.T, open func() shard.Work[P, R], cuts []*shard.State, all *shard.State,
	foreign func() shard.Work[P, R]) {
	t.Helper()
	ctx := context.Background()
	fails := func(name, want string, states ...*shard.State) {
		t.Helper()
		if _, err := open().MergeStates(ctx, states...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", name, err, want)
		}
	}
	fails("no state", "missing")
	if len(cuts) > 1 {
		fails("a gap", "missing between", cuts[1:]...)
		fails("an overlap", "overlap", append([]*shard.State{all}, cuts...)...)
	}
	other := *all
	other.Identity.Definition++
	fails("another definition", "definition", &other)
	changed := *all
	changed.Parts = []shard.Part{changed.Parts[0]}
	changed.Parts[0].SHA256 = strings.Repeat("0", 64)
	fails("a conflict", "differ between", all, &changed)
	if foreign != nil {
		state, err := foreign().Compute(ctx, shard.Range{Lo: 0, Hi: foreign().Units})
		if err != nil {
			t.Fatal(err)
		}
		fails("other work", "belongs to a different run", state)
	}
}

// reread writes and reads a state.
func reread(t *testing.T, state *shard.State) *shard.State {
	t.Helper()
	var file, again bytes.Buffer
	if err := state.Write(&file); err != nil {
		t.Fatal(err)
	}
	read, err := shard.Read(bytes.NewReader(file.Bytes()), "a file")
	if err != nil {
		t.Fatal(err)
	}
	if err := read.Write(&again); err != nil || !bytes.Equal(file.Bytes(), again.Bytes()) {
		t.Fatalf("a state that is read and written again has other bytes (%v)", err)
	}
	return read
}

func differAt(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// near is the context of the first difference of a and b in text.
func near(a, b, text []byte) []byte {
	at := differAt(a, b)
	return text[min(len(text), max(0, at-80)):min(len(text), at+80)]
}

// CheckMemory runs work, and then other work with its memory. The second result must equal a run without a memory, byte
// by byte. Of its parts, taken must come from the memory, and the rest be computed.
func CheckMemory[P, R any](t *testing.T, before, after func() shard.Work[P, R], text func(R) []byte,
	taken, computed int) {
	t.Helper()
	dir := t.TempDir()
	run := func(ctx context.Context, work shard.Work[P, R]) []byte {
		t.Helper()
		result, err := work.Run(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return text(result)
	}
	first := &shard.Memory{Dir: dir}
	if !bytes.Equal(run(first.In(t.Context()), before()), run(t.Context(), before())) {
		t.Error("a run that is remembered has another result")
	}
	second := &shard.Memory{Dir: dir}
	if !bytes.Equal(run(second.In(t.Context()), after()), run(t.Context(), after())) {
		t.Error("a run that remembers has another result")
	}
	if gotComputed, gotTaken := second.Counts(); gotTaken != taken || gotComputed != computed {
		t.Errorf("%d parts are remembered and %d computed, want %d and %d", gotTaken, gotComputed, taken, computed)
	}
}
