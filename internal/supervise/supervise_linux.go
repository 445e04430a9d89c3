// Runs with limits of the address space or of threads, watched by a process that says in one line when they were
// not enough.

package supervise

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

// watched says that this process is one that does the work under another.
var watched bool

// Watched reports whether this process does the work under another, which passes signals on to it.
func Watched() bool { return watched }

// A run is watched where the limit of processes and threads lies between these: with less there are none for a second
// process, with more none is wanting.
const leastThreads, fewThreads = 24, 1024

// Run runs the program again as a process of its own where the address space is
// limited, or few threads are allowed. In that process, and where there is no limit, done is false, and messages are
// to go to stderr.
func Run(name string) (stderr *os.File, code int, done bool) {
	if os.Getenv(supervisedRun) != "" {
		if err := os.Unsetenv(supervisedRun); err == nil {
			syscall.CloseOnExec(3)
			watched = true
			return os.NewFile(3, "/dev/stderr"), 0, false
		}
	}
	l := bounds{memory.AddressSpace(), Threads("/")}
	if l.space == 0 && l.threads == 0 {
		return os.Stderr, 0, false
	}
	run, output, err := superviseRun()
	if run == nil {
		return os.Stderr, 0, false // it runs without
	}
	text := fmt.Sprintf("%s: %v\n", name, err)
	code = exitFailed
	if err == nil {
		code, text = l.verdict(name, output, run.ProcessState.Sys().(syscall.WaitStatus))
	}
	if text != "" && term.IsTerminal(int(os.Stderr.Fd())) {
		text = "\r\x1b[K" + text // over the progress bar that has nobody left
	}
	fmt.Fprint(os.Stderr, text)
	return nil, code, true
}

// bounds are the limits under which a run is watched; 0: none.
type bounds struct{ space, threads int64 }

// verdict is the exit code of a run and the message for it; output is what package runtime wrote.
func (l bounds) verdict(name string, output []byte, status syscall.WaitStatus) (code int, text string) {
	switch crash := crashOf(output); {
	case status.Signaled() && status.Signal() == syscall.SIGKILL:
		return exitFailed, fmt.Sprintf("%s: killed, probably because memory ran out\n", name)
	case !status.Signaled() && (status.ExitStatus() != exitUsage || crash == notCrashed):
		return status.ExitStatus(), string(output)
	case l.threads > 0 && crash == noThread:
		return exitFailed, fmt.Sprintf("%s: out of threads: the limit is %d processes and threads (ulimit -u, or pids.max of a cgroup); raise it, or use fewer --threads\n", name, l.threads)
	case l.space > 0 && (crash == noThread || crash == noMemory):
		return exitFailed, fmt.Sprintf("%s: out of memory: the limit of the address space is %.3g GB (ulimit -v or -d); raise it, or use --samples or fewer --threads\n",
			name, float64(l.space)/1e9)
	case status.Signaled():
		return exitFailed, fmt.Sprintf("%s: %v\n%s", name, status.Signal(), output)
	}
	return exitFailed, string(output)
}

// crash is why package runtime ended a process.
type crash uint8

const (
	notCrashed crash = iota
	crashed          // for another reason
	noMemory
	noThread
)

// crashOf finds in what package runtime wrote why it ended the process.
func crashOf(output []byte) crash {
	kind := notCrashed
	for line := range bytes.Lines(output) {
		text := string(line)
		if !strings.HasPrefix(text, "fatal error: ") && !strings.HasPrefix(text, "runtime: ") && !strings.HasPrefix(text, "runtime/cgo: ") {
			if strings.HasPrefix(text, "panic: ") || strings.HasPrefix(text, "SIG") {
				kind = max(kind, crashed)
			}
			continue
		}
		kind = max(kind, crashed)
		for _, words := range []string{"failed to create new OS thread", "pthread_create failed", "newosproc"} {
			if strings.Contains(text, words) {
				return noThread
			}
		}
		for _, words := range []string{"out of memory", "cannot allocate memory", "cannot map pages", "failed to reserve", "cannot reserve"} {
			if strings.Contains(text, words) {
				kind = noMemory
			}
		}
	}
	return kind
}

// Threads is how many processes and threads are allowed, by the limit of the user or of the control groups of the
// process, if that is worth watching; else 0.
func Threads(root string) int64 {
	least := memory.Group(root, "pids", "pids.max")
	var limit syscall.Rlimit
	const rlimitProcesses = 6 // RLIMIT_NPROC, by which root is not bound
	if err := syscall.Getrlimit(rlimitProcesses, &limit); err == nil && os.Getuid() != 0 && limit.Cur < fewThreads && (least == 0 || int64(limit.Cur) < least) {
		least = int64(limit.Cur)
	}
	if least < leastThreads || least >= fewThreads {
		return 0
	}
	return least
}

// superviseRun runs the program again with the same arguments, files and signals, and
// returns what it writes to its own standard error. The command is nil if it cannot be
// begun.
func superviseRun() (run *exec.Cmd, output []byte, err error) {
	program := "/proc/self/exe" // also where its folder cannot be read, or the file is another now
	if _, err := os.Stat(program); err != nil {
		if program, err = os.Executable(); err != nil {
			return nil, nil, err
		}
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
	output, _ = io.ReadAll(io.LimitReader(reading, 1<<20))
	_, _ = io.Copy(io.Discard, reading) // the rest of a trace of very many goroutines
	if err := run.Wait(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		return run, output, err
	}
	return run, output, nil
}

// forward passes the signals of a terminal and of a system on, once each: the process is
// in a group of its own and gets none by itself.
func forward(p *os.Process) (stop func()) {
	wanted := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGTSTP}
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
