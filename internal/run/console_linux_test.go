// The width of a terminal, on a pseudo-terminal.

package run

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

func TestConsoleColumns(t *testing.T) {
	t.Parallel()
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	defer terminal.Close()
	number, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	if err := unix.IoctlSetPointerInt(int(terminal.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	console, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	defer console.Close()
	if err := unix.IoctlSetWinsize(int(console.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 60}); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	columns := func(text string) func(string) string { return func(string) string { return text } }
	for _, c := range []struct {
		got, want int
		what      string
	}{
		{consoleColumns(console, columns("")), 60, "a terminal of 60 columns"},
		{consoleColumns(console, columns("72")), 72, "COLUMNS=72"},
		{consoleColumns(console, columns("x")), 60, "COLUMNS=x"},
		{consoleColumns(file, columns("72")), 0, "a file"},
		{consoleColumns(&bytes.Buffer{}, columns("72")), 0, "a buffer"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d columns, want %d", c.what, c.got, c.want)
		}
	}
}
