// Package folderlock lets one process at a time work in a folder, on network file systems too: it only relies on
// exclusive creation of files.
//
//	lock, err := folderlock.Take(context.Background(), "results", "evaluate", false)
//	if err != nil {
//		return err // a *folderlock.Busy names the holder
//	}
//	defer lock.Release()
//
// The lock of a folder is its file of the highest number, .<name>.lock.<n>. A process that takes over creates the next
// one, which only one process can. Numbers are never reused, so a process with a wrong view of an earlier one changes
// nothing. The holder increments a counter in the file every second. A lock is stale when its process is known to be
// gone, or when its counter has not changed for [Patience] on the clock of the waiting process; times of files and
// clocks of other machines do not matter. A holder that was asleep for that long learns that it has lost the lock from
// [Lock.Check] and from [Lock.Lost].
package folderlock

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"repscope/internal/regular"
)

// Patience is the time without a change of the counter after which a lock is stale.
const Patience = 20 * time.Second

// beat is how often a holder counts up.
const beat = time.Second

// ErrLost reports that another process has taken the lock over.
var ErrLost = errors.New("another process has taken over the folder")

// Busy describes the holder of a lock.
type Busy struct {
	Dir  string
	Host string
	PID  int
}

func (b *Busy) Error() string {
	return fmt.Sprintf("%s: in use by process %d on %s", b.Dir, b.PID, b.Host)
}

// holder is the content of a lock's file.
type holder struct {
	Host     string `json:"host"`
	Boot     string `json:"boot,omitempty"` // of the machine since it was started, where it is known
	PID      int    `json:"pid"`
	Start    string `json:"start,omitempty"` // of the process, where it is known: numbers of processes come again
	Count    int64  `json:"count"`
	Released bool   `json:"released,omitempty"`
}

// Lock is a lock that is held.
type Lock struct {
	dir, name string
	number    int
	mu        sync.Mutex
	self      holder
	lost      chan struct{}
	stop      chan struct{}
	once      sync.Once
	ended     sync.WaitGroup
}

// Take takes the lock of this name in a folder. If a living process has it, it waits for its end or, if wait is false,
// returns a *Busy. That takes at most [Patience], to find out whether a process of another machine is alive.
func Take(ctx context.Context, dir, name string, wait bool) (*Lock, error) {
	return take(ctx, dir, name, wait, Patience)
}

func take(ctx context.Context, dir, name string, wait bool, patience time.Duration) (*Lock, error) {
	self := holder{Host: hostname(), Boot: boot(), PID: os.Getpid(), Start: started(os.Getpid())}
	var who holder  // has the lock
	var seen string // the content of the file, and since when
	var since time.Time
	for {
		number, err := highest(dir, name)
		if err != nil {
			return nil, err
		}
		text, holder, err := read(path(dir, name, number))
		if err != nil {
			return nil, err
		}
		if holder.Host != "" {
			who = holder // not so of a file that is read while it is written
		}
		changed := !since.IsZero() && text != seen
		if changed || since.IsZero() {
			seen, since = text, time.Now()
		}
		if number == 0 || holder.Released || holder.gone(&self) || time.Since(since) >= patience {
			l := &Lock{dir: dir, name: name, number: number + 1, self: self, lost: make(chan struct{}), stop: make(chan struct{})}
			created, err := l.create()
			if err != nil {
				return nil, err
			}
			if created {
				return l, nil
			}
			since = time.Time{} // another process was first
			continue
		}
		if !wait && (changed || holder.alive(&self)) {
			return nil, &Busy{dir, who.Host, who.PID}
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(min(beat/2, patience/4)):
		}
	}
}

func path(dir, name string, number int) string {
	return filepath.Join(dir, fmt.Sprintf(".%s.lock.%d", name, number))
}

// highest is the number of the folder's lock, 0 if there is none.
func highest(dir, name string) (int, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	top := 0
	for _, e := range entries {
		if rest, ok := strings.CutPrefix(e.Name(), "."+name+".lock."); ok {
			if n, err := strconv.Atoi(rest); err == nil {
				top = max(top, n)
			}
		}
	}
	return top, nil
}

// read is the content of a lock's file; empty if it is gone or not written yet.
func read(path string) (text string, h holder, err error) {
	data, err := regular.Read(path, regular.Settings)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", h, err
	}
	_ = json.Unmarshal(data, &h) // a partly written one counts unparsed
	return string(data), h, nil
}

// gone reports whether the holder is known to have ended.
func (h *holder) gone(self *holder) bool { return h.PID > 0 && h.here(self) && !h.runs() }

// alive reports whether the holder is known to run.
func (h *holder) alive(self *holder) bool { return h.PID > 0 && h.here(self) && h.runs() }

// runs reports whether the process of this machine is there, and no other one of its number.
func (h *holder) runs() bool {
	return running(h.PID) && (h.Start == "" || h.Start == started(h.PID))
}

// here reports whether the holder's process is, or was, of this machine.
func (h *holder) here(self *holder) bool {
	return h.Host == self.Host && h.Boot == self.Boot && h.Boot != ""
}

// create creates the lock's file if it does not exist, and begins to count.
func (l *Lock) create() (bool, error) {
	f, err := os.OpenFile(path(l.dir, l.name, l.number), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := errors.Join(f.Close(), l.write()); err != nil {
		return false, errors.Join(err, os.Remove(path(l.dir, l.name, l.number)))
	}
	if top, err := highest(l.dir, l.name); err != nil || top > l.number {
		return false, err
	}
	for n := l.number - 1; n > 0; n-- {
		if os.Remove(path(l.dir, l.name, n)) != nil {
			break
		}
	}
	l.ended.Go(l.count)
	return true, nil
}

// write writes the holder, in place: a new file could have the name of one that another process has removed.
func (l *Lock) write() error {
	data, err := json.Marshal(&l.self)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path(l.dir, l.name, l.number), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(append(data, '\n'), 0)
	return errors.Join(err, f.Close())
}

// count counts up until the lock is released or lost.
func (l *Lock) count() {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-tick.C:
		}
		l.mu.Lock()
		l.self.Count++
		err := l.write()
		l.mu.Unlock()
		if errors.Is(err, fs.ErrNotExist) || l.Check() != nil {
			close(l.lost)
			return
		}
	}
}

// Lost is closed when another process has taken the lock over, within about a second.
func (l *Lock) Lost() <-chan struct{} { return l.lost }

// Check is [ErrLost], with who has it, if another process has taken the lock over.
func (l *Lock) Check() error {
	top, err := highest(l.dir, l.name)
	if err != nil || top == l.number {
		return err
	}
	_, h, _ := read(path(l.dir, l.name, top))
	return fmt.Errorf("%s: %w: process %d on %s", l.dir, ErrLost, h.PID, h.Host)
}

// Release releases the lock. Its file stays, so that its number is not reused.
func (l *Lock) Release() {
	l.once.Do(func() {
		close(l.stop)
		l.ended.Wait()
		l.self.Released = true
		_ = l.write() // a process that is gone holds nothing either
	})
}

func hostname() string {
	name, err := os.Hostname()
	if err != nil {
		return "unknown host"
	}
	return name
}
