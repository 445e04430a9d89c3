// Command calibration measures what repscope's intervals and tests hold: draws of
// dependent states with models that are equal by construction, through the same
// Analyze functions that the binaries call.
//
//	go run ./docs/calibration                    # minutes; rewrites the tables of docs/calibration.md
//	go run ./docs/calibration -draws 1000        # hours
//	go run ./docs/calibration -rooms manifold -designs 0.8/16,differ -draws 50 -out -
//	go run ./docs/calibration -studies -draws 1000   # studies over tasks and runs alone
//	go run ./docs/calibration -comparisons -draws 1000   # what compare makes of two models
//	go run ./docs/calibration -accuracy -draws 1000      # tests of equal accuracy of two forecasts
//	go run ./docs/calibration -decisions -draws 1000     # confidence sets for the best, families of tables, runs
//
// Results depend on the seed and the number of draws, not on the number of threads.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"time"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "calibration:", err)
		os.Exit(1)
	}
}

func run() error {
	draws := flag.Int("draws", 40, "`N` draws of every design")
	seed := flag.Uint64("seed", 42, "`SEED` of the draws")
	threads := flag.Int("threads", runtime.GOMAXPROCS(0), "`N` draws at once")
	only := flag.String("rooms", "", "`LIST` of rooms (default all)")
	which := flag.String("designs", "", "`LIST` of designs (default all)")
	studies := flag.Bool("studies", false, "write the tables of studies over tasks and runs alone")
	comparisons := flag.Bool("comparisons", false, "write the table of what compare makes of two models alone")
	accuracy := flag.Bool("accuracy", false, "write the table of tests of equal accuracy of two forecasts alone")
	decided := flag.Bool("decisions", false, "write the tables of confidence sets for the best, of families of tests and of runs alone")
	out := flag.String("out", "docs/calibration.md", "`FILE` whose tables are rewritten; -: print them")
	flag.Parse()
	if flag.NArg() > 0 || *draws < 2 {
		return fmt.Errorf("want no arguments and at least 2 draws")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *studies {
		return runStudies(ctx, *draws, *seed, *threads, *out)
	}
	if *accuracy {
		return runAccuracy(ctx, *draws, *seed, *threads, *out)
	}
	if *comparisons || *decided {
		var b bytes.Buffer
		name, at := "comparisons", ofComparisons
		var err error
		if *decided {
			name, at = "decisions", ofDecisions
			err = writeDecisions(ctx, &b, *draws, *seed, *threads)
		} else {
			err = writeComparisons(ctx, &b, comparisonDesigns(), *draws, *seed, *threads)
		}
		if err != nil {
			return err
		}
		if *out == "-" {
			_, err := os.Stdout.Write(b.Bytes())
			return err
		}
		return replace(*out, at, fmt.Sprintf("`go run ./docs/calibration -%s -draws %d -seed %d`\n\n%s", name, *draws, *seed, b.Bytes()))
	}
	designs, err := choose("design", append(grid(), others()...), Design.String, *which)
	if err != nil {
		return err
	}
	chosen, err := choose("room", rooms(), func(r Room) string { return r.Name }, *only)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	started := time.Now()
	for _, room := range chosen {
		var tallies []*Tally
		for _, d := range designs {
			t, err := tally(ctx, room, d, *draws, *seed, *threads)
			if err != nil {
				return err
			}
			tallies = append(tallies, t)
			fmt.Fprintf(os.Stderr, "%-12s %-8s %5.0f s\n", room.Name, d, time.Since(started).Seconds())
		}
		worse, err := tally(ctx, room, power(), *draws, *seed, *threads)
		if err != nil {
			return err
		}
		write(&b, tallies, worse)
	}
	if *only == "" {
		if err := writeSizes(&b, designs, 4**draws, *seed); err != nil {
			return err
		}
	}
	if *out == "-" {
		_, err := os.Stdout.Write(b.Bytes())
		return err
	}
	return replace(*out, tables, fmt.Sprintf("`go run ./docs/calibration -draws %d -seed %d`\n\n%s", *draws, *seed, b.Bytes()))
}

// choose keeps what a list names, in its order; an empty list is all.
func choose[T any](kind string, all []T, name func(T) string, list string) ([]T, error) {
	if list == "" {
		return all, nil
	}
	var out []T
	for part := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(all, func(v T) bool { return name(v) == part })
		if i < 0 {
			var names []string
			for _, v := range all {
				names = append(names, name(v))
			}
			return nil, fmt.Errorf("there is no %s %q; there are %s", kind, part, strings.Join(names, ", "))
		}
		out = append(out, all[i])
	}
	return out, nil
}

// runStudies writes the tables of studies.
func runStudies(ctx context.Context, draws int, seed uint64, threads int, out string) error {
	var b bytes.Buffer
	if err := writeStudies(ctx, &b, studyDesigns(), draws, seed, threads); err != nil {
		return err
	}
	if out == "-" {
		_, err := os.Stdout.Write(b.Bytes())
		return err
	}
	return replace(out, ofStudies, fmt.Sprintf("`go run ./docs/calibration -studies -draws %d -seed %d`\n\n%s", draws, seed, b.Bytes()))
}

// A place is two lines of the document with tables between them.
type place struct{ begin, end string }

var (
	tables        = place{"<!-- tables: written by the command above -->\n", "<!-- end of tables -->\n"}
	ofComparisons = place{"<!-- comparisons: written by the command above -->\n", "<!-- end of comparisons -->\n"}
	ofDecisions   = place{"<!-- decisions: written by the command above -->\n", "<!-- end of decisions -->\n"}
	ofAccuracy    = place{"<!-- accuracy: written by the command above -->\n", "<!-- end of accuracy -->\n"}
	ofStudies     = place{"<!-- studies: written by the command below -->\n", "<!-- end of studies -->\n"}
)

// replace puts tables into their place in the document.
func replace(path string, at place, tables string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(text), at.begin)
	_, after, closed := strings.Cut(rest, at.end)
	if !found || !closed {
		return fmt.Errorf("%s: want the lines %q and %q around the tables", path, at.begin, at.end)
	}
	return os.WriteFile(path, []byte(before+at.begin+"\n"+tables+at.end+after), 0o644)
}
