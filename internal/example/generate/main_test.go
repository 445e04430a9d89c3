// Tests of the program that writes the frames.

package main

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"repscope/dataset"
	"repscope/internal/example"
)

// What is written reads back as what was played.
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
