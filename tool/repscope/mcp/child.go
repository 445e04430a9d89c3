// A run is a process of its own: it ends with its call, its time, and this server.

package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"repscope/internal/run"
	"repscope/internal/text"
)

const (
	mostPrinted = 8 << 20 // bytes of standard output that are kept
	mostTold    = 1 << 20 // of messages
	longestLine = 64 << 10
	// A run that is told to end gets so long.
	grace = 1500 * time.Millisecond
)

// child is a run of this program.
type child struct {
	program  string
	args     []string
	folder   string // in which it works
	settings []string
	wall     wall
	progress func(run.Progress)
}

// ended is the end of a run.
type ended struct {
	code   int
	stdout string
	stderr string
	cut    bool // more was printed than is kept
}

// run starts the child and waits for it. Its error is ctx's, or the error of starting it.
func (c *child) run(ctx context.Context) (*ended, error) {
	command := exec.Command(c.program, c.args...)
	command.Dir, command.Env = c.folder, append(append(os.Environ(), c.settings...), run.CalledSetting)
	grouped(command)
	stdin, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	reading, writing, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer reading.Close()
	stdout := &limited{limit: mostPrinted}
	command.Stdout, command.Stderr = stdout, writing
	command.WaitDelay = grace
	err = c.wall.start(command)
	writing.Close()
	if err != nil {
		return nil, fmt.Errorf("the run cannot be started: %w", err)
	}
	stop := context.AfterFunc(ctx, func() {
		stdin.Close() // ends it as an interrupt does
		time.Sleep(grace)
		killGroup(command)
	})
	told := &limited{limit: mostTold}
	var messages sync.WaitGroup
	messages.Go(func() { c.messages(reading, told) })
	failed := command.Wait()
	if stop() {
		killGroup(command) // whatever it has started
	}
	stdin.Close()
	messages.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var exit *exec.ExitError
	if failed != nil && !errors.As(failed, &exit) {
		return nil, failed
	}
	return &ended{command.ProcessState.ExitCode(), stdout.String(), told.String(), stdout.cut || told.cut}, nil
}

// messages takes progress out of the messages of a run.
func (c *child) messages(r io.Reader, told io.Writer) {
	lines := bufio.NewReaderSize(r, longestLine)
	for {
		line, err := lines.ReadSlice('\n')
		if step, ok := run.ParseProgress(line); ok {
			c.progress(step)
		} else if len(line) > 0 {
			_, _ = told.Write(line)
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

// limited keeps the first bytes that are written.
type limited struct {
	mu    sync.Mutex
	text  bytes.Buffer
	limit int
	cut   bool
}

func (l *limited) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := p[:min(len(p), l.limit-l.text.Len())]
	l.cut = l.cut || len(kept) < len(p)
	l.text.Write(kept)
	return len(p), nil
}

func (l *limited) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.ToValidUTF8(l.text.String(), "�")
}

// steps makes one number that only grows of the progress of tasks, which each begin at 0.
type steps struct {
	finished int
	task     string
	share    float64
}

// add returns the progress after a step.
func (s *steps) add(step run.Progress) float64 {
	share := 1.0
	if step.Total > 0 {
		share = min(max(float64(step.Done)/float64(step.Total), 0), 1)
	}
	if s.task != "" && (step.Task != s.task || share < s.share) {
		s.finished++
		s.share = 0
	}
	s.task, s.share = step.Task, share
	return float64(s.finished) + s.share
}

// decode reads the arguments of a call.
func decode(data json.RawMessage, into any) error {
	if len(data) == 0 {
		data = json.RawMessage("{}")
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return run.Usage("arguments: %s", strings.TrimPrefix(text.JSONError(err).Error(), "json: "))
	}
	return nil
}
