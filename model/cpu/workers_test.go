// Tests of the workers: every index once, whatever sleeps, wakes or fails.

package cpu

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestPoolVisitsEveryIndexOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := newPool(rapid.IntRange(1, 9).Draw(t, "threads"))
		defer p.close()
		for range rapid.IntRange(1, 40).Draw(t, "loops") {
			total, part := rapid.IntRange(0, 70).Draw(t, "total"), rapid.IntRange(1, 5).Draw(t, "part")
			visits := make([]int64, total)
			if err := p.run(total, part, func(worker, lo, hi int) {
				if worker < 0 || worker >= p.threads {
					t.Errorf("worker %d of %d", worker, p.threads)
				}
				for i := lo; i < hi; i++ {
					atomic.AddInt64(&visits[i], 1)
				}
			}); err != nil {
				t.Fatal(err)
			}
			if slices.ContainsFunc(visits, func(n int64) bool { return n != 1 }) {
				t.Fatalf("%d indices in parts of %d: visits %v", total, part, visits)
			}
			if rapid.IntRange(0, 9).Draw(t, "pause") == 0 {
				time.Sleep(2 * patience) // the workers fall asleep
			}
		}
	})
}

func TestPoolUsesItsWorkers(t *testing.T) {
	t.Parallel()
	p := newPool(4)
	defer p.close()
	for range 3 {
		// No part ends before all workers have one.
		var begun atomic.Int64
		if err := p.each(4, func(int, int, int) {
			begun.Add(1)
			for begun.Load() < 4 {
				runtime.Gosched()
			}
		}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * patience)
	}
}

func TestPoolFallsAsleep(t *testing.T) {
	t.Parallel()
	p := newPool(4)
	defer p.close()
	if err := p.each(9, func(int, int, int) {}); err != nil {
		t.Fatal(err)
	}
	asleep := 0
	for range 30_000 { // a minute, on a busy machine
		asleep = 0
		for i := range p.sleep {
			if p.sleep[i].asleep.Load() {
				asleep++
			}
		}
		if asleep == len(p.sleep) {
			return
		}
		time.Sleep(patience)
	}
	t.Errorf("%d of %d workers sleep without work", asleep, len(p.sleep))
}

func TestPoolReportsErrorsAndPanics(t *testing.T) {
	t.Parallel()
	p := newPool(3)
	defer p.close()
	want := errors.New("refused")
	if err := p.each(20, func(_, lo, _ int) {
		if lo == 7 {
			p.fail(want)
		}
	}); !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
	}
	if err := p.each(20, func(_, lo, _ int) {
		if lo == 7 {
			panic("index")
		}
	}); err == nil || !strings.Contains(err.Error(), "internal error: index") {
		t.Errorf("a panic gives %v", err)
	}
	if err := p.each(20, func(int, int, int) {}); err != nil {
		t.Errorf("an error stays: %v", err)
	}
}

func TestPoolEndsItsWorkers(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 20 {
		p := newPool(5)
		if err := p.each(9, func(int, int, int) {}); err != nil {
			t.Fatal(err)
		}
		p.close()
	}
	for range 30_000 { // half a minute, on a busy machine
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}
