// A trial of all binaries by hostile use, in processes of their own: the processes, what is counted, how much of it
// is done.

//go:build unix

package suite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"repscope/internal/bound"
	"repscope/tool/repscope"
)

// trialBinary, in the environment, makes a process of these tests the binary of its name, as the program itself is.
const trialBinary = "REPSCOPE_TRIAL_BINARY"

func TestMain(m *testing.M) {
	if name := os.Getenv(trialBinary); name != "" {
		if limit, err := strconv.ParseUint(os.Getenv(fileLimit), 10, 64); err == nil {
			_ = syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit})
		}
		os.Args[0] = name
		repscope.Main(Commands())
		os.Exit(0)
	}
	// Caches of the user are not read, and nothing is left in them.
	home, err := os.MkdirTemp("", "suite")
	if err == nil {
		err = errors.Join(os.Setenv("HOME", home), os.Setenv("XDG_CACHE_HOME", filepath.Join(home, "cache")))
	}
	if err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(home)
	os.Exit(code)
}

// howMany is how many trials of a kind are made: the number of an environment variable, or a few.
func howMany(t *testing.T, variable string, few int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return few
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		t.Fatalf("%s=%s: want a number", variable, text)
	}
	return n
}

// trialSeed is that of all draws: REPSCOPE_TRIAL_SEED, or 1.
func trialSeed(t *testing.T) uint64 {
	t.Helper()
	return uint64(howMany(t, "REPSCOPE_TRIAL_SEED", 1))
}

const (
	longest = 20 * time.Second // how long a run with a hostile input may take
	// idle is what the program takes by itself, twice what package bound allows with what the collector leaves.
	idle = 200 << 20
)

// mostMemory is what a run may have in memory at most, of the bytes of its inputs.
func mostMemory(inputs int64) int64 { return idle + 2*bound.Of(inputs) }

// outcome is how a run ended.
type outcome struct {
	code           int // of the exit; −1: a signal
	signal         syscall.Signal
	stdout, stderr string
	took, cpu      time.Duration
	memory         int64 // the most bytes it had; on other systems than Linux 0 if fewer than this process
	late           bool  // it was ended because it took too long
}

// trialRun is a run of a binary.
type trialRun struct {
	args  []string // the binary and its arguments
	dir   string   // where it runs
	home  string   // of its user
	limit int      // bytes of a file; 0: none
	kill  time.Duration
	with  syscall.Signal // what it is killed with after kill; 0: it is not
}

// do runs it.
func (r trialRun) do() (o outcome, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 15*longest) // what hangs does so for ever; others may be many
	defer cancel()
	c := exec.CommandContext(ctx, os.Args[0], r.args[1:]...)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr, c.Dir = &stdout, &stderr, r.dir
	c.Env = append(os.Environ(), trialBinary+"="+r.args[0], "HOME="+r.home, "XDG_CACHE_HOME="+filepath.Join(r.home, "cache"))
	if r.limit > 0 {
		c.Env = append(c.Env, fmt.Sprintf("%s=%d", fileLimit, r.limit))
	}
	c.WaitDelay = time.Second
	begin := time.Now()
	if err := c.Start(); err != nil {
		return o, err
	}
	if r.with != 0 {
		defer time.AfterFunc(r.kill, func() { _ = c.Process.Signal(r.with) }).Stop()
	}
	stop, peak := make(chan struct{}), make(chan int64)
	go func() { peak <- watchMemory(c.Process.Pid, stop) }()
	waited := c.Wait()
	close(stop)
	memory := <-peak
	if c.ProcessState == nil {
		return o, waited
	}
	o = outcome{code: c.ProcessState.ExitCode(), stdout: stdout.String(), stderr: stderr.String(), took: time.Since(begin),
		cpu: c.ProcessState.UserTime() + c.ProcessState.SystemTime(), late: ctx.Err() != nil, memory: memory}
	if status, ok := c.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		o.signal = status.Signal()
	}
	var own syscall.Rusage // what this process has had counts for one that it begins
	if usage, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok && syscall.Getrusage(syscall.RUSAGE_SELF, &own) == nil && usage.Maxrss > own.Maxrss {
		o.memory = usage.Maxrss
		if runtime.GOOS != "darwin" { // which counts bytes
			o.memory <<= 10
		}
	}
	return o, nil
}

// mostResident is what Linux says of the most memory that a process has had.
var mostResident = regexp.MustCompile(`(?m)^VmHWM:\s+([0-9]+) kB$`)

// watchMemory looks again and again at the most bytes that a process has had, where the system says so; else it is 0.
func watchMemory(pid int, stop <-chan struct{}) (most int64) {
	for {
		if status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)); err == nil {
			if found := mostResident.FindSubmatch(status); found != nil {
				kilobytes, _ := strconv.ParseInt(string(found[1]), 10, 64)
				most = max(most, kilobytes<<10)
			}
		}
		select {
		case <-stop:
			return most
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// crashText is what package runtime says when a program crashes.
var crashText = regexp.MustCompile(`(?m)^(panic: |fatal error: |goroutine \d+ \[|runtime: |SIG[A-Z]+: )|runtime error: |\.go:\d+ \+0x|nil pointer`)

// wrong is what is wrong about the end of a run with inputs of so many bytes, whatever they held; empty: nothing.
func (o outcome) wrong(inputs int64) string {
	switch {
	case o.late:
		return "it hangs"
	case crashText.MatchString(o.stderr + o.stdout):
		return "it crashes"
	case o.code < 0 || o.code > 2:
		return fmt.Sprintf("exit %d, signal %v", o.code, o.signal)
	case o.took > longest && o.cpu > longest/2: // on a machine that others use, time alone says little
		return fmt.Sprintf("it takes %v, %v of them computing", o.took, o.cpu)
	case o.memory > mostMemory(inputs):
		return fmt.Sprintf("it takes %d MB of memory for inputs of %d bytes; want at most %d MB", o.memory>>20, inputs, mostMemory(inputs)>>20)
	case o.code != 0 && strings.TrimSpace(o.stderr) == "":
		return fmt.Sprintf("exit %d without a word", o.code)
	case hidden(o.stderr) != "":
		return "standard error has " + hidden(o.stderr)
	case hidden(o.stdout) != "":
		return "standard output has " + hidden(o.stdout)
	}
	return ""
}

// ledger counts trials and keeps the worst; it is used by several goroutines.
type ledger struct {
	mutex    sync.Mutex
	exits    map[string]int
	slowest  time.Duration
	slow     string
	largest  int64
	large    string
	reported map[string]int
}

func newLedger() *ledger { return &ledger{exits: map[string]int{}, reported: map[string]int{}} }

// count enters a run.
func (l *ledger) count(name string, o outcome) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.exits[fmt.Sprintf("exit %d", o.code)]++
	if o.cpu > l.slowest {
		l.slowest, l.slow = o.cpu, name
	}
	if o.memory > l.largest {
		l.largest, l.large = o.memory, name
	}
}

// fail reports a fault, at most three of a kind.
func (l *ledger) fail(t *testing.T, kind, format string, values ...any) {
	t.Helper()
	l.mutex.Lock()
	defer l.mutex.Unlock()
	const most = 3
	if l.reported[kind]++; l.reported[kind] <= most {
		t.Errorf("%s: %s", kind, fmt.Sprintf(format, values...))
	}
}

// log says what was counted.
func (l *ledger) log(t *testing.T) {
	t.Helper()
	var all []string
	for _, what := range slices.Sorted(maps.Keys(l.exits)) {
		all = append(all, fmt.Sprintf("%s: %d", what, l.exits[what]))
	}
	t.Logf("%s; most processor time %v (%s); most memory %d MB (%s)", strings.Join(all, ", "), l.slowest.Round(time.Millisecond), l.slow, l.largest>>20, l.large)
	for _, kind := range slices.Sorted(maps.Keys(l.reported)) {
		t.Logf("%s: %d times", kind, l.reported[kind])
	}
}

// trials does work for 0 to n-1, in as many goroutines as there are processors.
func trials(n int, work func(i int)) {
	var group sync.WaitGroup
	next := make(chan int)
	for range min(n, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			for i := range next {
				work(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	group.Wait()
}

// copyTree copies the files of a folder, and returns their bytes.
func copyTree(t *testing.T, from, to string) (size int64) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, name)
		if d.IsDir() {
			return os.MkdirAll(target, 0o777)
		}
		data, err := os.ReadFile(path)
		size += int64(len(data))
		return errors.Join(err, os.WriteFile(target, data, 0o600))
	})
	if err != nil {
		t.Fatal(err)
	}
	return size
}
