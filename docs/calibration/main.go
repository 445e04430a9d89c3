// Command calibration measures what repscope's intervals and tests hold: draws of
// dependent states with models that are equal by construction, through the same
// Analyze functions that the binaries call.
//
//	go run ./docs/calibration                    # minutes; rewrites the tables of docs/calibration.md
//	go run ./docs/calibration -draws 1000        # hours
//	go run ./docs/calibration -rooms manifold -designs 0.8/16,differ -draws 50 -out -
//	go run ./docs/calibration -rooms smoothness          # rewrites the tables of one room
//	go run ./docs/calibration -harness -draws 2000       # rewrites the tables of one section
//
// Sections are studies, comparisons, harness, decisions, accuracy, lines, logarithms and windows.
//
// Results depend on the seed and the number of draws, not on the number of threads.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
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
	chosen := map[string]*bool{}
	for _, part := range sections() {
		chosen[part.name] = flag.Bool(part.name, false, "write the tables of "+part.about+" alone")
	}
	out := flag.String("out", "docs/calibration.md", "`FILE` whose tables are rewritten; -: print them")
	flag.Parse()
	if flag.NArg() > 0 || *draws < 2 {
		return fmt.Errorf("want no arguments and at least 2 draws")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	for _, part := range sections() {
		if *chosen[part.name] {
			return writeSection(ctx, part, *draws, *seed, *threads, *out)
		}
	}
	if *which != "" && *out != "-" {
		return fmt.Errorf("-designs prints tables that are not those of the document: add -out -")
	}
	return runRooms(ctx, *only, *which, *draws, *seed, *threads, *out)
}

// runRooms writes the tables of the rooms of a list under the designs of another: all tables of
// rooms, or those of some rooms each in its place.
func runRooms(ctx context.Context, only, which string, draws int, seed uint64, threads int, out string) error {
	designs, err := choose("design", append(grid(), others()...), Design.String, which)
	if err != nil {
		return err
	}
	selected, err := choose("room", rooms(), func(r Room) string { return r.Name }, only)
	if err != nil {
		return err
	}
	var all bytes.Buffer
	started := time.Now()
	for _, room := range selected {
		var tallies []*Tally
		for _, d := range append(slices.Clone(designs), power()) {
			t, err := tally(ctx, room, d, draws, seed, threads)
			if err != nil {
				return err
			}
			tallies = append(tallies, t)
			fmt.Fprintf(os.Stderr, "%-12s %-8s %5.0f s\n", room.Name, d, time.Since(started).Seconds())
		}
		var tables bytes.Buffer
		if only != "" {
			fmt.Fprintf(&tables, "\n`go run ./docs/calibration -rooms %s -draws %d -seed %d`\n", room.Name, draws, seed)
		}
		write(&tables, tallies[:len(designs)], tallies[len(designs)])
		if only != "" && out != "-" {
			if err := replace(out, ofRoom(room.Name), tables.String()); err != nil {
				return err
			}
		}
		fmt.Fprintf(&all, "### %s\n%s", room.Name, tables.Bytes())
	}
	if only == "" {
		if err := writeSizes(&all, designs, 4*draws, seed); err != nil {
			return err
		}
	}
	switch {
	case out == "-":
		_, err := os.Stdout.Write(all.Bytes())
		return err
	case only != "":
		return nil // each in its place
	}
	command := fmt.Sprintf("\n`go run ./docs/calibration -draws %d -seed %d`\n\n", draws, seed)
	return replace(out, ofSection("tables"), command+all.String())
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

// A section has tables of its own, which a flag of its name writes.
type section struct {
	name, about string
	write       writer
}

// A writer writes tables of so many draws.
type writer = func(ctx context.Context, w io.Writer, draws int, seed uint64, threads int) error

// under makes a writer of one that takes designs.
func under[D any](designs []D, write func(context.Context, io.Writer, []D, int, uint64, int) error) writer {
	return func(ctx context.Context, w io.Writer, draws int, seed uint64, threads int) error {
		return write(ctx, w, designs, draws, seed, threads)
	}
}

func sections() []section {
	return []section{
		{"studies", "studies over tasks and runs", under(studyDesigns(), writeStudies)},
		{"comparisons", "what compare makes of two models", under(comparisonDesigns(), writeComparisons)},
		{"harness", "what compare makes of results of lm-evaluation-harness", under(harnessSizes(), writeHarness)},
		{"decisions", "confidence sets for the best, of families of tests and of runs", writeDecisions},
		{"accuracy", "tests of equal accuracy of two forecasts", under(accuracyDesigns(), writeAccuracy)},
		{"lines", "lines, ranks and the pairs that decide them", under(lineDesigns(), writeLines)},
		{"logarithms", "intervals of logarithms", under(logarithmDesigns(), writeLogarithms)},
		{"windows", "automatic exclusion windows", under(windowDesigns(), writeWindows)},
	}
}

// writeSection writes the tables of a section to where they stand in the document.
func writeSection(ctx context.Context, part section, draws int, seed uint64, threads int, out string) error {
	var b bytes.Buffer
	if err := part.write(ctx, &b, draws, seed, threads); err != nil {
		return err
	}
	if out == "-" {
		_, err := os.Stdout.Write(b.Bytes())
		return err
	}
	command := fmt.Sprintf("\n`go run ./docs/calibration -%s -draws %d -seed %d`\n\n", part.name, draws, seed)
	return replace(out, ofSection(part.name), command+b.String())
}

// A place is between a line of the document and the next one that begins like another.
type place struct{ begin, end string }

func ofSection(name string) place {
	return place{"<!-- " + name + ": written by the command above -->\n", "<!-- end of " + name + " -->\n"}
}

// ofRoom is where the tables of a room stand among those of all rooms: up to the next heading.
func ofRoom(name string) place { return place{"### " + name + "\n", "### "} }

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
	return os.WriteFile(path, []byte(before+at.begin+tables+at.end+after), 0o644)
}
