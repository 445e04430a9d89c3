// Runs that another program calls.

package run

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestUntilEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reading, writing := io.Pipe()
		ctx := untilEnd(t.Context(), reading)
		if _, err := io.WriteString(writing, "whatever"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if ctx.Err() != nil {
			t.Fatal("ended before its input")
		}
		if err := writing.Close(); err != nil {
			t.Fatal(err)
		}
		<-ctx.Done()
		if context.Cause(ctx) != context.Canceled {
			t.Errorf("cause %v", context.Cause(ctx))
		}
	})
}

func TestCalled(t *testing.T) {
	for value, want := range map[string]bool{"json": true, "": false, "yes": false} {
		t.Setenv(calledBy, value)
		if called() != want {
			t.Errorf("%q: called is %v", value, !want)
		}
		if _, there := os.LookupEnv(calledBy); there == want {
			t.Errorf("%q: whether what this one calls is told: %v", value, there)
		}
	}
}

// Progress of a called run is lines of JSON, ten a second at most, the last of all work among them.
func TestProgressLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		p := &progress{w: &out, lines: true}
		report := p.taskOf("encoding a\nb", " frames")
		for i := range 101 {
			report(i, 100)
			time.Sleep(10 * time.Millisecond)
		}
		p.message(&out, "a message\n")
		p.close()
		report(1, 2)
		lines := strings.SplitAfter(out.String(), "\n")
		lines = lines[:len(lines)-1]
		if n := len(lines); n != 12 || lines[n-1] != "a message\n" {
			t.Fatalf("%d lines, the last %q; want 11 of progress and the message", len(lines), lines[len(lines)-1])
		}
		for i, line := range lines[:11] {
			text, ok := strings.CutPrefix(line, separator)
			var s Progress
			if err := json.Unmarshal([]byte(text), &s); err != nil || !ok {
				t.Fatalf("%q: %v", line, err)
			}
			if want := (Progress{"encoding a\nb", "frames", 10 * i, 100}); s != want {
				t.Errorf("%+v, want %+v", s, want)
			}
		}
	})
}
