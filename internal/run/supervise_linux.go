// Runs in a limited address space, watched by a process that says in one line when it was
// not enough.

package run

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/term"

	"repscope/internal/memory"
)

// supervisedRun marks the process that does the work; its messages go to file 3, so that
// standard error has only what package runtime says.
const supervisedRun = "REPSCOPE_SUPERVISED_RUN"

// supervised runs the program again as a process of its own where the address space is
// limited. In that process, and where there is no limit, done is false, and messages are
// to go to stderr.
func supervised(name string) (stderr *os.File, code int, done bool) {
	if os.Getenv(supervisedRun) != "" {
		if err := os.Unsetenv(supervisedRun); err == nil {
			syscall.CloseOnExec(3)
			return os.NewFile(3, "/dev/stderr"), 0, false
		}
	}
	limit := memory.AddressSpace()
	if limit == 0 {
		return os.Stderr, 0, false
	}
	run, said, err := superviseRun()
	if run == nil {
		return os.Stderr, 0, false // it runs without
	}
	text := fmt.Sprintf("%s: %v\n", name, err)
	code = exitFailed
	if err == nil {
		code, text = verdict(name, limit, said, run.ProcessState.Sys().(syscall.WaitStatus))
	}
	if text != "" && term.IsTerminal(int(os.Stderr.Fd())) {
		text = "\r\x1b[K" + text // over the progress bar that has nobody left
	}
	fmt.Fprint(os.Stderr, text)
	return nil, code, true
}

// verdict is the exit code of a run and what is left to say of it: said is what package
// runtime wrote.
func verdict(name string, limit int64, said []byte, status syscall.WaitStatus) (code int, text string) {
	switch {
	case status.Signaled() && status.Signal() == syscall.SIGKILL:
		return exitFailed, fmt.Sprintf("%s: killed; the system does that when memory runs out\n", name)
	case status.Signaled():
		return exitFailed, fmt.Sprintf("%s: %v\n%s", name, status.Signal(), said)
	case status.ExitStatus() == exitUsage && outOfMemory(said):
		return exitFailed, fmt.Sprintf("%s: out of memory: the address space is limited to %.3g GB (ulimit -v or -d); allow more, or use --samples or fewer --threads\n",
			name, float64(limit)/1e9)
	}
	return status.ExitStatus(), string(said)
}

// outOfMemory reports whether package runtime ended the process because the system gave it
// no memory, or no thread for want of it.
func outOfMemory(said []byte) bool {
	for line := range bytes.Lines(said) {
		text := string(line)
		if !strings.HasPrefix(text, "fatal error: ") && !strings.HasPrefix(text, "runtime: ") && !strings.HasPrefix(text, "runtime/cgo: ") {
			continue
		}
		for _, words := range []string{"out of memory", "cannot allocate memory", "cannot map pages", "failed to create new OS thread", "pthread_create failed", "failed to reserve", "cannot reserve", "newosproc"} {
			if strings.Contains(text, words) {
				return true
			}
		}
	}
	return false
}

// superviseRun runs the program again with the same arguments, files and signals, and
// returns what it writes to its own standard error. The command is nil if it cannot be
// begun.
func superviseRun() (run *exec.Cmd, said []byte, err error) {
	program, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	reading, writing, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer reading.Close()
	// The work ends with this process, however that ends: the signal comes when the
	// thread that began it does.
	runtime.LockOSThread()
	run = &exec.Cmd{
		Path: program, Args: os.Args, Env: append(os.Environ(), supervisedRun+"=1"),
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: writing, ExtraFiles: []*os.File{os.Stderr},
		SysProcAttr: &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true},
	}
	err = run.Start()
	writing.Close()
	if err != nil {
		return nil, nil, err
	}
	defer forward(run.Process)()
	said, _ = io.ReadAll(io.LimitReader(reading, 1<<20))
	_, _ = io.Copy(io.Discard, reading) // the rest of a trace of very many goroutines
	if err := run.Wait(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		return run, said, err
	}
	return run, said, nil
}

// forward passes the signals of a terminal and of a system on, once each: the process is
// in a group of its own and gets none by itself.
func forward(p *os.Process) (stop func()) {
	wanted := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGTSTP}
	if !signal.Ignored(syscall.SIGHUP) {
		wanted = append(wanted, syscall.SIGHUP)
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, wanted...)
	go func() {
		for s := range signals {
			if s != syscall.SIGTSTP {
				_ = p.Signal(s) // it may have ended
				continue
			}
			_ = p.Signal(syscall.SIGSTOP)
			_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
			_ = p.Signal(syscall.SIGCONT) // when this process continues
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
	}
}
