// Tests of the progress bar against a terminal made of a buffer and a clock.

package run

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var screen bytes.Buffer
		p := &progress{w: &screen, width: func() int { return 80 }}
		report := p.task("encoding")
		for i := range 1000 { // ten seconds
			report(i, 1000)
			time.Sleep(10 * time.Millisecond)
		}
		drawn := strings.Count(screen.String(), "\r")
		if drawn < 90 || drawn > 110 {
			t.Errorf("drawn %d times in ten seconds, want ten times a second", drawn)
		}
		if !strings.Contains(screen.String(), "100/s 5s left") {
			t.Errorf("no rate and time left in %q", screen.String()[:200])
		}
		p.message(&screen, "a message\n")
		if !strings.HasSuffix(screen.String(), "\r\x1b[Ka message\n") {
			t.Error("a message is written over the bar")
		}
		report(999, 1000)
		report(1000, 1000)
		if !strings.HasSuffix(screen.String(), "\r\x1b[K") {
			t.Error("the bar of finished work stays")
		}
		report = p.task("distances")
		report(1, 2)
		p.close()
		length := screen.Len()
		report(1, 2)
		if screen.Len() != length || !strings.HasSuffix(screen.String(), "\r\x1b[K") {
			t.Error("something is drawn after the end")
		}
	})
}

func TestNoProgressOnPipe(t *testing.T) {
	var pipe bytes.Buffer
	p := newProgress(&pipe, false)
	report := p.task("encoding")
	report(1, 2)
	p.close()
	if pipe.Len() > 0 {
		t.Errorf("wrote %q", pipe.String())
	}
}

func TestBar(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	b := &bar{label: "encoding jepa", start: start}
	for _, test := range []struct {
		done, total, width int
		after              time.Duration
		want               string
	}{
		{250, 1000, 80, 5 * time.Second, "encoding jepa  25% [=====               ] 250/1000 50/s 15s left"},
		{0, 1000, 60, 0, "encoding jepa   0% [                              ] 0/1000"},
		{999, 1000, 30, time.Hour, "encoding jepa  99%  999/1000 0"},
		{1, 4000000, 70, time.Second, "encoding jepa   0% [            ] 1/4000000 1.0/s long left"},
	} {
		got := b.line(test.done, test.total, start.Add(test.after), test.width)
		if test.width == 80 { // the bar's own length is free
			got = strings.Join(strings.Fields(got), " ")
			if !strings.HasPrefix(got, "encoding jepa 25% [=") || !strings.HasSuffix(got, "] 250/1000 50/s 15s left") {
				t.Errorf("got %q", got)
			}
			continue
		}
		if len(got) > test.width {
			t.Errorf("%q is longer than %d", got, test.width)
		}
		if test.width != 60 && !strings.HasPrefix(got, test.want[:18]) {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
