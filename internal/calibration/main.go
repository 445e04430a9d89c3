// Command calibration measures the coverage of repscope's intervals and the false-positive rates of its tests. It
// draws dependent states and passes models that are equal by construction through the same Analyze functions that
// the binaries call. The tables are written to docs/statistics/tables, and the pages of docs/statistics with them.
//
//	go run ./internal/calibration                              # every analysis: minutes to hours
//	go run ./internal/calibration -draws 1000                  # hours
//	go run ./internal/calibration -analyses smoothness            # one analysis
//	go run ./internal/calibration -analyses manifold -designs 0.8/16,differ -draws 50 -out -
//	go run ./internal/calibration -harness -draws 2000         # one section
//	go run ./internal/calibration -pages                       # the pages again, from the tables
//
// Sections are sizes, studies, comparisons, harness, decisions, accuracy, lines, logarithms and windows.
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
	"path/filepath"
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
	only := flag.String("analyses", "", "`LIST` of analyses (default all)")
	which := flag.String("designs", "", "`LIST` of designs (default all)")
	chosen := map[string]*bool{}
	for _, part := range sections() {
		chosen[part.name] = flag.Bool(part.name, false, "write the tables of "+part.about+" alone")
	}
	pages := flag.Bool("pages", false, "only write the pages again, from the tables")
	out := flag.String("out", "docs/statistics", "`FOLDER` of the pages; -: print the tables")
	flag.Parse()
	if flag.NArg() > 0 || *draws < 2 {
		return fmt.Errorf("want no arguments and at least 2 draws")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *pages {
		return writePages(*out)
	}
	for _, part := range sections() {
		if *chosen[part.name] {
			return writeSection(ctx, part, *draws, *seed, *threads, *out)
		}
	}
	if *which != "" && *only == "" && *out != "-" {
		return fmt.Errorf("-designs would leave designs out of the tables of all analyses: add -analyses LIST or -out -")
	}
	return runAnalyses(ctx, *only, *which, *draws, *seed, *threads, *out)
}

// runAnalyses writes the tables of the analyses of a list, each when it is done; an empty list is all, with the sizes.
func runAnalyses(ctx context.Context, only, which string, draws int, seed uint64, threads int, out string) error {
	designs, err := choose("design", append(grid(), others()...), Design.String, which)
	if err != nil {
		return err
	}
	selected, err := choose("analysis", analyses(), func(r Analysis) string { return r.Name }, only)
	if err != nil {
		return err
	}
	started := time.Now()
	for _, subject := range selected {
		var tallies []*Tally
		for _, d := range append(slices.Clone(designs), power()) {
			t, err := tally(ctx, subject, d, draws, seed, threads)
			if err != nil {
				return err
			}
			tallies = append(tallies, t)
			fmt.Fprintf(os.Stderr, "%-12s %-8s %5.0f s\n", subject.Name, d, time.Since(started).Seconds())
		}
		var tables bytes.Buffer
		write(&tables, tallies[:len(designs)], tallies[len(designs)])
		command := "go run ./internal/calibration -analyses " + subject.Name
		if which != "" {
			command += " -designs " + which
		}
		command += fmt.Sprintf(" -draws %d -seed %d", draws, seed)
		if err := store(out, subject.Name, command, tables.String()); err != nil {
			return err
		}
	}
	if only != "" {
		return nil
	}
	return writeSection(ctx, sections()[0], draws, seed, threads, out)
}

// store saves the tables of an analysis or section, and writes the pages again; or prints them.
func store(out, name, command, tables string) error {
	if out == "-" {
		_, err := os.Stdout.WriteString(tables)
		return err
	}
	parsed, err := parseTables(tables)
	if err != nil {
		return err
	}
	f := &tableFile{Name: name, Command: command, Tables: parsed}
	if err := f.save(filepath.Join(out, tablesFolder)); err != nil {
		return err
	}
	return writePages(out)
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

// A writer writes tables of a number of draws.
type writer = func(ctx context.Context, w io.Writer, draws int, seed uint64, threads int) error

// under makes a writer of one that takes designs.
func under[D any](designs []D, write func(context.Context, io.Writer, []D, int, uint64, int) error) writer {
	return func(ctx context.Context, w io.Writer, draws int, seed uint64, threads int) error {
		return write(ctx, w, designs, draws, seed, threads)
	}
}

func sections() []section {
	return []section{
		{"sizes", "effective sample sizes", under(append(grid(), others()...), writeSizes)},
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

// writeSection writes the tables of a section.
func writeSection(ctx context.Context, part section, draws int, seed uint64, threads int, out string) error {
	var b bytes.Buffer
	if err := part.write(ctx, &b, draws, seed, threads); err != nil {
		return err
	}
	command := fmt.Sprintf("go run ./internal/calibration -%s -draws %d -seed %d", part.name, draws, seed)
	return store(out, part.name, command, b.String())
}
