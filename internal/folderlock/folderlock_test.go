// Tests of locks of folders: one holder at a time, whoever dies, sleeps or is fast. The clock is that of testing/synctest,
// so that a busy machine changes nothing.

package folderlock

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestOneHolder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		var inside atomic.Int64
		var wait sync.WaitGroup
		for range 12 {
			wait.Go(func() {
				l, err := Take(t.Context(), dir, "test", true)
				if err != nil {
					t.Error(err)
					return
				}
				if inside.Add(1) != 1 {
					t.Error("two holders")
				}
				time.Sleep(3 * time.Millisecond)
				inside.Add(-1)
				l.Release()
				l.Release()
			})
		}
		wait.Wait()
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 1 {
			t.Errorf("%d files, want the last one alone; %v", len(entries), err)
		}
	})
}

func TestBusy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		l, err := Take(t.Context(), dir, "test", false)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Release()
		_, err = Take(t.Context(), dir, "test", false)
		var busy *Busy
		if !errors.As(err, &busy) || busy.PID != os.Getpid() || busy.Host != hostname() || !strings.Contains(err.Error(), "in use by process") {
			t.Errorf("got %v", err)
		}
		if other, err := Take(t.Context(), dir, "other", false); err != nil {
			t.Errorf("a lock of another name: %v", err)
		} else {
			other.Release()
		}
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		defer cancel()
		if _, err := Take(ctx, dir, "test", true); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("waiting ended with %v", err)
		}
	})
}

// leave writes the lock of a process that is not ours.
func leave(t *testing.T, dir string, h holder) string {
	t.Helper()
	data, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, ".test.lock.7")
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestStale(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for name, h := range map[string]holder{
			"a process that is gone":    {Host: hostname(), Boot: boot(), PID: 1 << 30},
			"another of its number":     {Host: hostname(), Boot: boot(), PID: os.Getpid(), Start: "0"},
			"before the machine began":  {Host: hostname(), Boot: "another", PID: os.Getpid()},
			"another machine's":         {Host: "elsewhere", PID: os.Getpid()},
			"a file that is half there": {},
		} {
			dir := t.TempDir()
			leave(t, dir, h)
			begin := time.Now()
			l, err := take(t.Context(), dir, "test", false, 80*time.Millisecond)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if h.Start != "" && started(os.Getpid()) == "" {
				t.Logf("%s: this system does not say when a process began", name)
			}
			if !h.gone(&l.self) && time.Since(begin) < 80*time.Millisecond {
				t.Errorf("%s: taken at once", name)
			}
			if l.number != 8 {
				t.Errorf("%s: number %d", name, l.number)
			}
			l.Release()
		}
	})
}

// A holder on another machine that counts is alive, whatever the clocks say.
func TestAliveElsewhere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		h := holder{Host: "elsewhere", PID: 12}
		file := leave(t, dir, h)
		stop := make(chan struct{})
		var wait sync.WaitGroup
		wait.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(20 * time.Millisecond):
				}
				h.Count++
				data, _ := json.Marshal(h)
				_ = os.WriteFile(file, data, 0o666)
				_ = os.Chtimes(file, time.Unix(0, 0), time.Unix(0, 0))
			}
		})
		_, err := take(t.Context(), dir, "test", false, time.Second)
		var busy *Busy
		if !errors.As(err, &busy) || busy.Host != "elsewhere" || busy.PID != 12 {
			t.Errorf("got %v", err)
		}
		close(stop)
		wait.Wait()
	})
}

// A holder whose lock was taken over while it slept learns it.
func TestLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		l, err := Take(t.Context(), dir, "test", false)
		if err != nil {
			t.Fatal(err)
		}
		next := &Lock{dir: dir, name: "test", number: l.number + 1, self: holder{Host: "elsewhere", PID: 5}, lost: make(chan struct{}), stop: make(chan struct{})}
		if ok, err := next.create(); !ok || err != nil {
			t.Fatal(ok, err)
		}
		if err := l.Check(); !errors.Is(err, ErrLost) || !strings.Contains(err.Error(), "process 5 on elsewhere") {
			t.Errorf("got %v", err)
		}
		select {
		case <-l.Lost():
		case <-time.After(10 * time.Second):
			t.Error("it is not told")
		}
		l.Release()
		if err := next.Check(); err != nil {
			t.Error(err)
		}
		next.Release()
	})
}
