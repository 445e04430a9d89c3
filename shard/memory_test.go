// Tests of parts kept from one run to another.

package shard_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"repscope/shard"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	identity := shard.Identity{Analysis: "first", Definition: 1, Inputs: []shard.Field{{Name: "frames", Value: "f"}}}
	calls := 0
	get := func(m *shard.Memory, id shard.Identity) []float64 {
		t.Helper()
		ctx := context.Background()
		if m != nil {
			ctx = m.In(ctx)
		}
		v, err := shard.Remember(ctx, func() shard.Identity { return id }, func() ([]float64, error) { calls++; return []float64{1, 2.5}, nil })
		if err != nil || !slices.Equal(v, []float64{1, 2.5}) {
			t.Fatalf("%v, %v", v, err)
		}
		return v
	}
	m := &shard.Memory{Dir: dir, Program: "1"}
	a, b := identity.OfModel("a"), identity.OfModel("b")
	entry := func() string {
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || len(files) != 1 {
			t.Fatalf("%v, %v", files, err)
		}
		return files[0]
	}
	damage := func(change func(data []byte) []byte) func() {
		return func() {
			data, err := os.ReadFile(entry())
			if err == nil {
				err = os.WriteFile(entry(), change(data), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, step := range []struct {
		what   string
		before func()
		m      *shard.Memory
		id     shard.Identity
		want   int // computations
	}{
		{"nothing is remembered", nil, m, a, 1},
		{"the same", nil, m, a, 0},
		{"another process", nil, &shard.Memory{Dir: dir, Program: "1"}, a, 0},
		{"without a memory", nil, nil, a, 1},
		{"a byte is another", damage(func(d []byte) []byte { d[3] ^= 1; return d }), m, a, 1},
		{"it was written again", nil, m, a, 0},
		{"a part of it", damage(func(d []byte) []byte { return d[:len(d)-1] }), m, a, 1},
		{"nothing in it", damage(func([]byte) []byte { return nil }), m, a, 1},
		{"an unknown input", nil, m, identity.OfModel(""), 1},
		{"an unknown input again", nil, m, identity.OfModel(""), 1},
		{"another model", nil, m, b, 1},
		{"the first model", nil, m, a, 0},
		{"another version", nil, &shard.Memory{Dir: dir, Program: "2"}, a, 1},
		{"another option", nil, m, identity.OfModel("a", shard.Option("k", 5)), 1},
		{"the entry of another key", func() {
			files, _ := filepath.Glob(filepath.Join(dir, "*"))
			data, err := os.ReadFile(files[0])
			for _, f := range files {
				if err == nil {
					err = os.WriteFile(f, data, 0o600)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(files) != 4 {
				t.Fatalf("%d entries", len(files))
			}
			for _, f := range files[1:] {
				_ = os.Remove(f)
			}
		}, m, identity.OfModel("c"), 1},
	} {
		if step.before != nil {
			step.before()
		}
		calls = 0
		if get(step.m, step.id); calls != step.want {
			t.Errorf("%s: computed %d times, want %d", step.what, calls, step.want)
		}
	}
}

// Parts of equal identity are computed once where there is a memory, and each is a copy of its own. A part that is not
// kept is computed for each.
func TestRememberEach_Equal(t *testing.T) {
	t.Parallel()
	contents := []string{"a", "b", "a", "a"}
	all := func(*[]int) bool { return true }
	none := func(*[]int) bool { return false }
	for _, c := range []struct {
		what string
		m    *shard.Memory
		keep func(*[]int) bool
		want [][]int // indices of each call
	}{
		{"a memory", &shard.Memory{Dir: t.TempDir()}, all, [][]int{{0, 1}}},
		{"no memory", nil, all, [][]int{{0, 1, 2, 3}}},
		{"nothing is kept", &shard.Memory{Dir: t.TempDir()}, none, [][]int{{0, 1}, {2}, {3}}},
	} {
		ctx := context.Background()
		if c.m != nil {
			ctx = c.m.In(ctx)
		}
		var calls [][]int
		parts, err := shard.RememberEach(ctx, len(contents),
			func(i int) shard.Identity { return shard.Identity{Analysis: "equal"}.OfModel(contents[i]) },
			func(missing []int) ([]*[]int, error) {
				calls = append(calls, missing)
				var list []*[]int
				for _, i := range missing {
					list = append(list, &[]int{int(contents[i][0])})
				}
				return list, nil
			}, c.keep)
		if err != nil || !slices.EqualFunc(calls, c.want, slices.Equal) {
			t.Errorf("%s: calls %v, want %v: %v", c.what, calls, c.want, err)
			continue
		}
		for i, p := range parts {
			if (*p)[0] != int(contents[i][0]) {
				t.Errorf("%s: part %d is %v", c.what, i, *p)
			}
			(*p)[0] = -1
		}
	}
}

// The entries that were used last stay, and what others wrote there.
func TestMemory_Trim(t *testing.T) {
	t.Parallel()
	m := &shard.Memory{Dir: t.TempDir(), MaxBytes: 3400}
	part := make([]byte, 700) // which no compression makes smaller
	r := rand.New(rand.NewPCG(1, 2))
	for i := range part {
		part[i] = byte(r.Uint32())
	}
	keep := func(content string) {
		shard.Keep(m.In(context.Background()), func() shard.Identity { return shard.Identity{}.OfModel(content) }, part)
	}
	recall := func(content string) bool {
		_, ok := shard.Recall[[]byte](m.In(context.Background()), func() shard.Identity { return shard.Identity{}.OfModel(content) })
		return ok
	}
	for _, content := range []string{"a", "b", "c", "d"} {
		keep(content)
	}
	files, _ := filepath.Glob(filepath.Join(m.Dir, "*"))
	old := time.Now().Add(-time.Hour)
	for _, f := range files {
		if err := os.Chtimes(f, old, old); err != nil {
			t.Fatal(err)
		}
	}
	foreign := filepath.Join(m.Dir, "notes.txt")
	if err := os.WriteFile(foreign, make([]byte, 5000), 0o600); err != nil {
		t.Fatal(err)
	}
	if !recall("a") || !recall("b") || !recall("c") {
		t.Fatal("what was kept is not there")
	}
	keep("e")
	m.Trim()
	for content, want := range map[string]bool{"a": true, "b": true, "c": true, "d": false, "e": true} {
		if got := recall(content); got != want {
			t.Errorf("%s is there: %v, want %v", content, got, want)
		}
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Error(err)
	}
}
