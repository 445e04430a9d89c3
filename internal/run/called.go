// Runs that another program calls.

package run

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
)

// calledBy is set to "json" by a program that calls a binary, such as the Python package.
// Progress is then a line of JSON on standard error, behind a record separator that tells it
// from messages, and the run ends as by an interrupt when its standard input does: it ends
// with its caller, however that ends.
const calledBy = "REPSCOPE_CALLED"

// CalledSetting is the setting of the environment for a run that a program calls.
const CalledSetting = calledBy + "=json"

// called reports whether a program called this one. What this one calls is not told.
func called() bool {
	set := os.Getenv(calledBy) == "json"
	if set {
		set = os.Unsetenv(calledBy) == nil
	}
	return set
}

// ForCaller is a context that ends with ctx and, where another program called this one, with the standard input.
func ForCaller(ctx context.Context) context.Context {
	if called() {
		return untilEnd(ctx, os.Stdin)
	}
	return ctx
}

// untilEnd returns a context that ends with ctx or with what r reads.
func untilEnd(ctx context.Context, r io.Reader) context.Context {
	ctx, end := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, r) // whatever the end is
		end()
	}()
	return ctx
}

// separator begins a line that is JSON, as in RFC 7464.
const separator = "\x1e"

// Progress is what a line of progress says: how much of a task is done.
type Progress struct {
	Task  string `json:"task"`
	Unit  string `json:"unit"` // of done and total; empty for none
	Done  int    `json:"done"`
	Total int    `json:"total"`
}

func (s Progress) line() string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // texts and numbers
	}
	return separator + string(text) + "\n"
}

// ParseProgress reads a line of progress of a run that this program calls; ok is false for a message.
func ParseProgress(line []byte) (s Progress, ok bool) {
	text, ok := bytes.CutPrefix(line, []byte(separator))
	return s, ok && json.Unmarshal(text, &s) == nil
}
