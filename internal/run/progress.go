// The progress bar on a terminal.

package run

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"repscope/internal/escape"
)

// progress draws one bar at a time on the last line of a terminal. On a pipe,
// and with --quiet, it draws nothing; for a program that called this one it writes
// lines of JSON. It is safe for concurrent use.
type progress struct {
	mu    sync.Mutex
	w     io.Writer // nil: draws nothing
	width func() int
	lines bool // of JSON, for a program
	bar   *bar
	shown bool
}

// bar is one piece of work.
type bar struct {
	label string
	unit  string
	start time.Time
	drawn time.Time
	first int // done at the first report: work found in a cache takes no time
	begun bool
}

// forCaller says that a program called this one; set before any run.
var forCaller bool

// newProgress returns a progress on stderr if that is a terminal, or a program reads it.
func newProgress(stderr io.Writer, quiet bool) *progress {
	p := &progress{}
	f, ok := fileOf(stderr)
	if ok && !quiet && forCaller {
		p.w, p.lines = f, true
	} else if ok && !quiet && term.IsTerminal(int(f.Fd())) {
		p.w = f
		p.width = func() int {
			if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
				return width
			}
			return 80
		}
	}
	return p
}

// task starts a piece of work and returns the function that reports how much of
// it is done. The bar vanishes when all of it is, or when the next task starts.
func (p *progress) task(label string) func(done, total int) { return p.taskOf(label, "") }

// taskOf names the unit, after a space, in which the rate is counted.
func (p *progress) taskOf(label, unit string) func(done, total int) {
	b := &bar{label: label, unit: unit}
	return func(done, total int) { p.report(b, done, total) }
}

// redraw is the shortest time between two drawings of a bar.
const redraw = 100 * time.Millisecond

func (p *progress) report(b *bar, done, total int) {
	if p == nil { // an Env without a terminal, such as in a test
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w == nil {
		return
	}
	now := time.Now()
	if !b.begun {
		b.begun, b.start, b.first = true, now, done
	}
	if p.lines {
		if done >= total || now.Sub(b.drawn) >= redraw {
			b.drawn = now
			fmt.Fprint(p.w, Progress{b.label, strings.TrimSpace(b.unit), done, total}.line())
		}
		return
	}
	p.bar = b
	if done >= total {
		p.erase()
		p.bar = nil
		return
	}
	if now.Sub(b.drawn) < redraw {
		return
	}
	b.drawn = now
	p.shown = true
	// \r goes to the start of the line, \x1b[K erases the rest of a longer line.
	fmt.Fprint(p.w, "\r"+b.line(done, total, now, p.width()-1)+"\x1b[K")
}

// line is the bar's text: label, share, bar, rate and time left.
func (b *bar) line(done, total int, now time.Time, width int) string {
	share := 0.0
	if total > 0 {
		share = float64(done) / float64(total)
	}
	head := fmt.Sprintf("%s %3.0f%% ", escape.Line(b.label), math.Floor(100*share))
	tail := fmt.Sprintf(" %d/%d", done, total)
	if elapsed := now.Sub(b.start).Seconds(); elapsed > 0 && done > b.first {
		rate := float64(done-b.first) / elapsed
		left := time.Duration(float64(total-done) / rate * float64(time.Second))
		tail += fmt.Sprintf(" %s%s/s %s left", shortRate(rate), b.unit, shortDuration(left))
	}
	room := min(width-len([]rune(head))-len([]rune(tail))-2, 40)
	if room < 5 {
		line := []rune(head + tail)
		return string(line[:min(len(line), max(width, 0))])
	}
	full := min(int(share*float64(room)), room)
	return head + "[" + strings.Repeat("=", full) + strings.Repeat(" ", room-full) + "]" + tail
}

func shortRate(rate float64) string {
	switch {
	case rate < 10:
		return fmt.Sprintf("%.1f", rate)
	case rate < 1e4:
		return fmt.Sprintf("%.0f", rate)
	case rate < 1e7:
		return fmt.Sprintf("%.0fk", rate/1e3)
	}
	return fmt.Sprintf("%.0fM", rate/1e6)
}

func shortDuration(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%.0fs", math.Ceil(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	case d < 1000*time.Hour:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	}
	return "long"
}

// message prints whole lines on the progress's terminal or on w, with the bar
// out of the way.
func (p *progress) message(w io.Writer, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	fmt.Fprint(w, text)
}

// erase takes the bar off the terminal. The lock is held.
func (p *progress) erase() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
		if p.bar != nil {
			p.bar.drawn = time.Time{}
		}
	}
}

// close takes the bar off the terminal and draws no more.
func (p *progress) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.w = nil
}

// consoleColumns is the width of the terminal that w is: what COLUMNS says, else what
// the terminal does. 0 where w is none: tables in files and pipes are not divided.
func consoleColumns(w io.Writer, getenv func(string) string) int {
	f, ok := fileOf(w)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	if columns, err := strconv.Atoi(getenv("COLUMNS")); err == nil && columns > 0 {
		return columns
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return max(0, columns)
}
