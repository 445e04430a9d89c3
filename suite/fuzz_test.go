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
	"x.npz:frames", "0.1,0.2;3", "2026-01-01", "K", "°C", "mse>5", "[1, 2]", "{a: 1}", "a@1=b", "\x00", "é", "1_000", "0x10", "+5", " 5 ", "9223372036854775808",
}

// No value of a flag makes it panic or take much memory, and what it shows of a value that it took
// it takes again and shows in the same way.
func FuzzFlags(f *testing.F) {
	type place struct {
		command run.Command
		name    string
	}
	var places []place
	for _, e := range All() {
		run.VisitFlags(e.Command, func(fl *flag.Flag) { places = append(places, place{e.Command, fl.Name}) })
	}
	for i := range places {
		f.Add(i, flagSeeds[i%len(flagSeeds)])
	}
	for i, text := range flagSeeds {
		f.Add(i*37, text)
	}
	value := func(p place) flag.Value {
		var found flag.Value
		run.VisitFlags(p.command, func(fl *flag.Flag) {
			if fl.Name == p.name {
				found = fl.Value
			}
		})
		return found
	}
	f.Fuzz(func(t *testing.T, at int, text string) {
		if len(text) > 200 {
			t.Skip("longer than any command line has")
		}
		p := places[int(uint(at)%uint(len(places)))]
		var before, after runtime.MemStats
		first := value(p)
		runtime.ReadMemStats(&before)
		err := first.Set(text)
		shown := first.String()
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 64<<20 {
			t.Errorf("%s --%s %q takes %d bytes", p.command.Name, p.name, text, taken)
		}
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" {
				t.Errorf("%s --%s %q: an error without a text", p.command.Name, p.name, text)
			}
			return
		}
		again := value(p)
		if again.String() == shown {
			return // the value of the default
		}
		if err := again.Set(shown); err != nil {
			t.Errorf("%s --%s %q shows %q, which it does not take: %v", p.command.Name, p.name, text, shown, err)
		} else if again.String() != shown {
			t.Errorf("%s --%s %q shows %q, and that %q", p.command.Name, p.name, text, shown, again.String())
		}
	})
}
