// Tests of how a crash ends a program: never with the status of wrong usage.

package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"repscope/internal/supervise"
)

// crashes are what the process of TestCrashProcess does.
var crashes = map[string]func() error{
	"done":   func() error { return nil },
	"failed": func() error { return errors.New("it failed") },
	"usage":  func() error { return Usage("it is wrong") },
	"quit": func() error {
		_ = syscall.Kill(os.Getpid(), syscall.SIGQUIT)
		time.Sleep(time.Minute)
		return nil
	},
	"panic": func() error {
		go func() { panic("boom") }()
		time.Sleep(time.Minute)
		return nil
	},
	"threads": func() error {
		for range 20_000 {
			go func() {
				runtime.LockOSThread()
				time.Sleep(time.Minute)
			}()
			time.Sleep(10 * time.Microsecond)
		}
		return nil
	},
	"memory": func() error {
		var all [][]byte
		for {
			b := make([]byte, 1<<30)
			b[0] = 1
			all = append(all, b)
			if len(all) > 1<<20 {
				return nil
			}
		}
	},
}

// TestCrashProcess is the process that TestCrash looks at.
func TestCrashProcess(t *testing.T) {
	what := os.Getenv("REPSCOPE_TEST_CRASH")
	if what == "" {
		t.Skip("only for TestCrash")
	}
	c := Command{Name: "probe", Out: "out", Setup: func(*Flags) Job {
		return Job{Direct: func(context.Context, *Options, io.Writer, io.Writer) error { return crashes[what]() }}
	}}
	MainArgs(c, nil)
}

// Statuses are those of the system: of a signal, or of a run. Where the run is watched, a crash is a failed run with
// one line.
func TestCrash(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: it limits the address space, of which the race detector takes terabytes")
	}
	t.Parallel()
	if supervise.Threads("/") > 0 {
		t.Skip("the threads of the tests are limited")
	}
	nobody := &syscall.SysProcAttr{}
	if os.Getuid() == 0 { // whom no limit of processes binds
		nobody.Credential = &syscall.Credential{Uid: 65534 - uint32(os.Getpid()%1000), Gid: 65534}
	}
	for _, c := range []struct{ limit, what, status, want string }{
		{"", "done", "exit status 0", ""},
		{"", "failed", "exit status 1", "probe: it failed"},
		{"", "usage", "exit status 2", "probe: it is wrong"},
		{"", "quit", "signal: aborted", "SIGQUIT"},
		{"", "panic", "signal: aborted", "panic: boom"},
		{"ulimit -n 20;", "done", "exit status 1", "the limit of open files is 20 (ulimit -n), want at least 32"},
		{"ulimit -v 6000000;", "usage", "exit status 2", "probe: it is wrong"},
		{"ulimit -v 6000000;", "quit", "exit status 1", "SIGQUIT"},
		{"ulimit -v 6000000;", "panic", "exit status 1", "panic: boom"},
		{"ulimit -v 6000000;", "memory", "exit status 1", "probe: out of memory: the limit of the address space is 6.14 GB"},
		{"ulimit -u 200;", "usage", "exit status 2", "probe: it is wrong"},
		{"ulimit -u 200;", "threads", "exit status 1", "probe: out of threads: the limit is 200 processes and threads"},
	} {
		if strings.Contains(c.limit, "-u") && nobody.Credential == nil {
			continue // the user may have as many already
		}
		cmd := exec.CommandContext(t.Context(), "/bin/bash", "-c", c.limit+`exec "$@"`, "bash", "/proc/self/fd/3", "-test.run=^TestCrashProcess$")
		test, err := os.Open(os.Args[0])
		if err != nil {
			t.Fatal(err)
		}
		cmd.ExtraFiles = []*os.File{test} // nobody may not see the folder of it
		cmd.Dir = "/"
		cmd.Env = append(os.Environ(), "REPSCOPE_TEST_CRASH="+c.what, "GOTRACEBACK=")
		cmd.SysProcAttr = nobody
		out, err := cmd.CombinedOutput()
		test.Close()
		status := "exit status 0"
		if err != nil {
			status = strings.TrimSuffix(err.Error(), " (core dumped)")
		}
		if status != c.status || !strings.Contains(string(out), c.want) {
			t.Errorf("%s %s: %s, want %s and %q:\n%.1500s", c.limit, c.what, status, c.status, c.want, out)
		}
		if strings.Contains(fmt.Sprint(err), "core dumped") {
			t.Errorf("%s %s: a core file was written", c.limit, c.what)
		}
	}
}
