// The pipeline: shards of an analysis, and what they make together.

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"repscope/internal/run"
	"repscope/suite"
)

func init() {
	register.DoFn3x1[context.Context, int, func(int, []byte), error](&shardFn{})
	register.DoFn3x1[context.Context, int, func(*[]byte) bool, error](&mergeFn{})
	register.Emitter2[int, []byte]()
	register.Iter1[[]byte]()
}

// work is an analysis with its flags, in so many shards. Its fields go to the workers as JSON.
type work struct {
	Analysis string
	Args     []string
	Out      string
	Of       int
}

// newWork finds what is wrong with the flags before anything is sent to workers.
func newWork(args []string, out string, of int) (*work, error) {
	entry, ok := suite.Find(args[0])
	if !ok || !entry.Analysis {
		return nil, fmt.Errorf("%q is not an analysis", args[0])
	}
	task := run.Task{Command: entry.Command, Args: append(args[1:len(args):len(args)], "--shard", "0/1")}
	if _, err := task.Settle(); err != nil {
		_, lines := run.Exit(err)
		return nil, errors.New(strings.Join(lines, "\n"))
	}
	return &work{args[0], args[1:], out, of}, nil
}

// build adds the pipeline to a scope: numbers → shards → one result. Shards are grouped under one key, as they are
// kilobytes.
func (w *work) build(s beam.Scope) {
	numbers := make([]int, w.Of)
	for i := range numbers {
		numbers[i] = i
	}
	spread := beam.Reshuffle(s, beam.CreateList(s, numbers)) // so that workers share them
	states := beam.ParDo(s, &shardFn{*w}, spread)
	beam.ParDo0(s, &mergeFn{*w}, beam.GroupByKey(s, states))
}

// shardFn computes a shard.
type shardFn struct{ Work work }

// ProcessElement emits what shard i leaves, under the one key.
func (f *shardFn) ProcessElement(ctx context.Context, i int, emit func(int, []byte)) error {
	folder, err := os.MkdirTemp("", "shard-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	w := &f.Work
	args := append(w.Args[:len(w.Args):len(w.Args)], "--quiet", "--out", folder, "--shard", fmt.Sprintf("%d/%d", i, w.Of))
	if err := call(ctx, w.Analysis, args); err != nil {
		return fmt.Errorf("shard %d/%d of %s: %w", i, w.Of, w.Analysis, err)
	}
	state, err := os.ReadFile(filepath.Join(folder, fmt.Sprintf("%s.%d-of-%d.shard", w.Analysis, i, w.Of)))
	if err != nil {
		return err
	}
	emit(0, state)
	return nil
}

// mergeFn makes the result of all shards.
type mergeFn struct{ Work work }

// ProcessElement writes the result. What is tried twice writes the same.
func (f *mergeFn) ProcessElement(ctx context.Context, _ int, states func(*[]byte) bool) error {
	folder, err := os.MkdirTemp("", "shards-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	var state []byte
	for n := 0; states(&state); n++ {
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.shard", n)), state, 0o666); err != nil {
			return err
		}
	}
	return call(ctx, "scale", []string{"merge", folder, "--quiet", "--out", f.Work.Out})
}

// call runs a binary in this process.
func call(ctx context.Context, name string, args []string) error {
	entry, ok := suite.Find(name)
	if !ok {
		return fmt.Errorf("this worker has no %s", name)
	}
	var messages bytes.Buffer
	if code := run.Run(ctx, entry.Command, args, io.Discard, &messages); code != 0 {
		return fmt.Errorf("status %d: %s", code, strings.TrimSpace(messages.String()))
	}
	return nil
}
