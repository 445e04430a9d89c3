// Tests of the program that writes the frames.

package main

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"repscope/dataset"
	"repscope/dataset/protein"
	"repscope/internal/example"
	"repscope/internal/example/sequences"
)

// Written files read back as the played game.
func TestFilesReadBack(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new", "folder")
	if err := run([]string{"--out", folder, "--seed", "7", "--frames", "90"}); err != nil {
		t.Fatal(err)
	}
	want, err := example.Generate(example.Config{Seed: 7, Frames: 90})
	if err != nil {
		t.Fatal(err)
	}
	open := func(name string, shape ...int) *dataset.Array {
		t.Helper()
		array, err := dataset.Open(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { array.Close() })
		if !slices.Equal(array.Shape(), shape) {
			t.Fatalf("%s: shape %v, want %v", name, array.Shape(), shape)
		}
		return array
	}
	frames := make([]uint8, len(want.Frames))
	if err := open("frames.npy", 90, 64, 64).ReadUint8(frames, 0, 90); err != nil || !bytes.Equal(frames, want.Frames) {
		t.Errorf("frames differ, error %v", err)
	}
	episodes := make([]int64, 90)
	if err := open("episodes.npy", 90).ReadInt64(episodes, 0, 90); err != nil || !slices.Equal(episodes, want.Episode) {
		t.Errorf("episodes differ, error %v", err)
	}
	rewards := make([]float32, 90)
	if err := open("rewards.npy", 90).ReadFloat32(rewards, 0, 90); err != nil || !slices.Equal(rewards, want.Reward) {
		t.Errorf("rewards differ, error %v", err)
	}
	for name, values := range map[string][]int32{"actions.npy": want.Action, "factors.npy": want.Factors} {
		shape := []int{90}
		if name == "factors.npy" {
			shape = append(shape, len(example.FactorNames))
		}
		array := open(name, shape...)
		got := make([]int64, len(values))
		if err := array.ReadInt64(got, 0, 90); err != nil {
			t.Fatal(err)
		}
		for i, v := range values {
			if got[i] != int64(v) {
				t.Fatalf("%s: element %d is %d, want %d", name, i, got[i], v)
			}
		}
	}
}

func TestUsage(t *testing.T) {
	for _, arguments := range [][]string{{"--seed", "7"}, {"--frames", "7"}, {"--train", "--seed", "7", "--frames", "7"}, {"extra"}, {"--nosuch"}} {
		if err := run(arguments); !errors.Is(err, errUsage) {
			t.Errorf("%v: want a usage error, got %v", arguments, err)
		}
	}
	if err := run([]string{"--out", t.TempDir(), "--seed", "7", "--frames", "-1"}); err == nil || errors.Is(err, errUsage) {
		t.Errorf("negative number of frames: want an error of the run, got %v", err)
	}
}

// The paired chains read back as sequences with everything that is known of them.
func TestSequencesReadBack(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := run([]string{"--out", folder, "--sequences"}); err != nil {
		t.Fatal(err)
	}
	file, err := protein.Open(filepath.Join(folder, "sequences.csv"), protein.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	want := sequences.Example().Sequences
	if file.Len() != len(want) {
		t.Fatalf("%d sequences, want %d", file.Len(), len(want))
	}
	for i := range want {
		var s protein.Sequence
		if err := file.Read(i, &s); err != nil {
			t.Fatal(err)
		}
		w := &want[i]
		if s.ID != w.ID || s.Chains != w.Residues || file.Clusters()[i] != w.Cluster {
			t.Fatalf("sequence %d is %s %v of cluster %d, want %s %v of %d", i, s.ID, s.Chains, file.Clusters()[i], w.ID, w.Residues, w.Cluster)
		}
		for chain := range w.Residues {
			for k, c := range w.Coordinates[chain] {
				for d := range c {
					if got := s.Coordinates[chain][3*k+d]; got != c[d] && (got == got || c[d] == c[d]) {
						t.Fatalf("sequence %d: coordinate %d of residue %d is %v, want %v", i, d, k, got, c[d])
					}
				}
				if s.CDR[chain][k] != '0'+byte(w.CDR[chain][k]) || s.NonTemplated[chain][k] != '0'+byte(w.NonTemplated[chain][k]) {
					t.Fatalf("sequence %d: the masks of residue %d differ", i, k)
				}
			}
		}
	}
	rows := 0
	err = protein.ReadSubstitutions(filepath.Join(folder, "substitutions.csv"), func(*protein.Substitution) error { rows++; return nil })
	if err != nil || rows != 480 {
		t.Errorf("%d variants, want 480; error %v", rows, err)
	}
	if err := run([]string{"--out", folder, "--sequences", "--seed", "3", "--frames", "5"}); !errors.Is(err, errUsage) {
		t.Errorf("--sequences with --seed: %v", err)
	}
}
