// The streams that people read.

package run

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"repscope/internal/escape"
)

// console is a stream on which texts of files change nothing but their line: see [escape.Lines].
type console struct {
	mu   sync.Mutex
	to   io.Writer
	text io.Writer
	gone bool // its reader has gone away
}

// KeepOnPipes makes the program survive a reader of its output that goes away (… | head): the run goes on without
// printing, writes its files as a whole, and has the exit code that it has with any other reader.
func KeepOnPipes() { signal.Ignore(syscall.SIGPIPE) }

// Console is w for people: what hides in a text, such as an escape sequence of terminals in a name, is seen.
// Everything that a program prints goes through it.
func Console(w io.Writer) io.Writer {
	if c, ok := w.(*console); ok {
		return c
	}
	return &console{to: w, text: escape.Writer(w)}
}

func (c *console) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return len(p), nil
	}
	n, err := c.text.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		c.gone = true
		return len(p), nil
	}
	return n, err
}

// fileOf is the file that a stream is, if it is one.
func fileOf(w io.Writer) (*os.File, bool) {
	if c, ok := w.(*console); ok {
		w = c.to
	}
	f, ok := w.(*os.File)
	return f, ok
}
