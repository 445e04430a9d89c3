// Fuzzing of the values of all flags of all binaries.

package suite

import (
	"flag"
	"runtime"
	"strings"
	"testing"

	"repscope/internal/run"
)

// Texts that flags take: ranges, lists, names with paths and units, shares, sizes, globs.
var flagSeeds = []string{".", ".csv", "/",
	"", "0", "-1", "7", "1e-3", "nan", "inf", "auto", "a=b", "a=b:c", "a=b=c", "=", "a:", ":a", "1,2,3", "1,,2", "0.5,0.9", "1:10", "1:10:2", "10:1", "1-5", "0..1", "0,255",
	"m=0,1", "m=frames", "3/8", "0/0", "450MB", "2GiB", "84x84", "6h,12h", "0h:240h:6h", "2m_temperature", "t2m>273.15", "q0.9", "*", "z[0-9]*.npy", "example:lives",
	"x.npz:frames", "0.1,0.2;3", "2026-01-01", "K", "°C", "mse>5", "[1, 2]", "{a: 1}", "a@1=b", "\x00", "é", "1_000", "0x10", "+5", " 5 ", `\=`, `a\=b`, `a\=b=c`, "9223372036854775808",
}

// commandFlag is a flag of a binary.
type commandFlag struct {
	command run.Command
	name    string
}

// allFlags lists the flags of all binaries.
func allFlags() []commandFlag {
	var all []commandFlag
	for _, e := range All() {
		run.VisitFlags(e.Command, func(fl *flag.Flag) { all = append(all, commandFlag{e.Command, fl.Name}) })
	}
	return all
}

// value is a new value of the flag, the default.
func (c commandFlag) value() flag.Value {
	var found flag.Value
	run.VisitFlags(c.command, func(fl *flag.Flag) {
		if fl.Name == c.name {
			found = fl.Value
		}
	})
	return found
}

// check sets a flag: it neither panics nor takes much memory, and what it shows of a value that it took
// it takes again and shows in the same way.
func (c commandFlag) check(t *testing.T, text string) {
	var before, after runtime.MemStats
	first := c.value()
	runtime.ReadMemStats(&before)
	err := first.Set(text)
	shown := first.String()
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 64<<20 {
		t.Errorf("%s --%s %q takes %d bytes", c.command.Name, c.name, text, taken)
	}
	if err != nil {
		if strings.TrimSpace(err.Error()) == "" {
			t.Errorf("%s --%s %q: an error without a text", c.command.Name, c.name, text)
		}
		return
	}
	again := c.value()
	if again.String() == shown {
		return // the value of the default
	}
	if err := again.Set(shown); err != nil {
		t.Errorf("%s --%s %q shows %q, which it does not take: %v", c.command.Name, c.name, text, shown, err)
	} else if again.String() != shown {
		t.Errorf("%s --%s %q shows %q, and that %q", c.command.Name, c.name, text, shown, again.String())
	}
}

func FuzzFlags(f *testing.F) {
	places := allFlags()
	for i := range places {
		f.Add(i, flagSeeds[i%len(flagSeeds)])
	}
	for i, text := range flagSeeds {
		f.Add(i*37, text)
	}
	f.Fuzz(func(t *testing.T, index int, text string) {
		if len(text) > 200 {
			t.Skip("longer than any command line has")
		}
		places[int(uint(index)%uint(len(places)))].check(t, text)
	})
}

// Every flag with the seeds that may name something; fuzzing tries the others.
func TestFlagSeeds(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: one value after another")
	}
	for _, p := range allFlags() {
		for _, text := range flagSeeds {
			if strings.Contains(text, "=") {
				p.check(t, text)
			}
		}
	}
}
