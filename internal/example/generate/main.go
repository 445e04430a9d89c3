// Command generate writes frames of the arcade example as NumPy files: frames.npy (uint8 [N,64,64]), episodes.npy
// (int64 [N]), actions.npy (int32 [N]), rewards.npy (float32 [N]) and factors.npy (int32 [N,8], the game's own state in
// the order of example.FactorNames). With --sequences it writes the paired chains of the example, sequences.csv, and
// the measurements of their variants, substitutions.csv.
//
//	go run ./internal/example/generate --out data           # the evaluation set
//	go run ./internal/example/generate --out data --train   # the training set
//	go run ./internal/example/generate --out data --seed 7 --frames 5000
//	go run ./internal/example/generate --out data --sequences [--train]
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"repscope/dataset"
	"repscope/internal/example"
	"repscope/internal/example/sequences"
)

const trainFrames = 100_000

func main() {
	err := run(os.Args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errUsage):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// errUsage marks a usage error that has been reported already.
var errUsage = errors.New("wrong usage")

func run(arguments []string) error {
	flags := flag.NewFlagSet("generate", flag.ContinueOnError)
	out := flags.String("out", "example-data", "folder to write to; created if absent")
	train := flags.Bool("train", false, "write the training data of the shipped models")
	chains := flags.Bool("sequences", false, "write paired chains instead of frames")
	seed := flags.Uint64("seed", 0, "seed of a new game; needs --frames")
	frames := flags.Int("frames", 0, "number of frames of a new game")
	if err := flags.Parse(arguments); errors.Is(err, flag.ErrHelp) {
		return err
	} else if err != nil {
		return errUsage
	}
	explicit := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { explicit[f.Name] = true })
	switch {
	case flags.NArg() > 0:
		fmt.Fprintf(os.Stderr, "generate: unexpected argument %q\n", flags.Arg(0))
		return errUsage
	case *chains && (explicit["seed"] || explicit["frames"]):
		fmt.Fprintln(os.Stderr, "generate: --sequences takes no --seed and no --frames")
		return errUsage
	case explicit["seed"] != explicit["frames"] || *train && explicit["seed"]:
		fmt.Fprintln(os.Stderr, "generate: give --seed together with --frames, and neither with --train")
		return errUsage
	}
	if *chains {
		return writeSequences(*out, *train)
	}
	config := example.Config{Seed: example.ExampleSeed, Episodes: example.ExampleEpisodes}
	switch {
	case *train:
		config = example.Config{Seed: example.TrainSeed, Frames: trainFrames}
	case explicit["seed"]:
		config = example.Config{Seed: *seed, Frames: *frames}
	}
	set, err := example.Generate(config)
	if err != nil {
		return err
	}
	return write(*out, set)
}

func writeSequences(folder string, train bool) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	create := func(name string, write func(w io.Writer) error) error {
		file, err := os.Create(filepath.Join(folder, name))
		if err != nil {
			return err
		}
		return errors.Join(write(file), file.Close())
	}
	if train {
		return create("sequences.csv", func(w io.Writer) error { return sequences.WriteCSV(w, sequences.Train(), false) })
	}
	e := sequences.Example()
	return errors.Join(
		create("sequences.csv", func(w io.Writer) error { return sequences.WriteCSV(w, e.Sequences, true) }),
		create("substitutions.csv", func(w io.Writer) error { return sequences.WriteAssaysCSV(w, e.Assays) }),
	)
}

func write(folder string, set *example.Set) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	n := set.Len()
	path := func(name string) string { return filepath.Join(folder, name) }
	return errors.Join(
		dataset.WriteNPY(path("frames.npy"), []int{n, example.Height, example.Width}, set.Frames),
		dataset.WriteNPY(path("episodes.npy"), []int{n}, set.Episode),
		dataset.WriteNPY(path("actions.npy"), []int{n}, set.Action),
		dataset.WriteNPY(path("rewards.npy"), []int{n}, set.Reward),
		dataset.WriteNPY(path("factors.npy"), []int{n, len(example.FactorNames)}, set.Factors),
	)
}
