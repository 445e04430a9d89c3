// Tests of made screens: that they are clean, read by the readers of files, and damaged more and
// more.

package screens

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"repscope/dataset"
	"repscope/dataset/casefile"
)

// set makes screens.
func set(t testing.TB, c Config) *Set {
	t.Helper()
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []Config{{}, {Samples: -1}, {Samples: maxSamples + 1}, {Samples: 1, Scale: -1}, {Samples: 1, Scale: 9}} {
		if _, err := New(c); err == nil {
			t.Errorf("%+v: want an error", c)
		}
	}
}

// References have no defects: children are inside their container, siblings do not overlap, and every text is readable.
func TestScreensAreClean(t *testing.T) {
	t.Parallel()
	s := set(t, Config{Seed: 7, Samples: 40, Scale: 0.1})
	for i := range s.samples {
		sample := &s.samples[i]
		count := 0
		behind := map[*node]*node{}
		sample.screen.root.each(func(n, parent *node, _ int) {
			if count++; parent == nil || n.hidden || parent.hidden {
				return
			}
			if n.x < parent.x || n.y < parent.y || n.x+n.width > parent.x+parent.width || n.y+n.height > parent.y+parent.height {
				t.Errorf("%s: %q %q is not inside of %q", sample.gid, n.name, n.text, parent.name)
			}
			if behind[n] = behind[parent]; parent.fill != nil {
				behind[n] = parent
			}
			if n.kind == typeText && behind[n].fill.kind != fillImage && contrast(n.fill.from, behind[n].fill.from) < 4.5 {
				t.Errorf("%s: %q has a contrast of %.2f", sample.gid, n.text, contrast(n.fill.from, behind[n].fill.from))
			}
			for _, other := range parent.children {
				if other != n && !other.hidden && n.x < other.x+other.width && other.x < n.x+n.width && n.y < other.y+other.height && other.y < n.y+n.height {
					t.Errorf("%s: %q %q and %q %q overlap", sample.gid, n.name, n.text, other.name, other.text)
				}
			}
		})
		if count < 40 || count > 90 {
			t.Errorf("%s has %d nodes", sample.gid, count)
		}
	}
}

// What a model gets wrong, all worse ones get wrong too: elements that are lost stay lost.
func TestDamageGrows(t *testing.T) {
	t.Parallel()
	s := set(t, Config{Seed: 3, Samples: 10, Scale: 0.1})
	for i := range s.samples {
		root := s.samples[i].screen.root
		var before map[string]bool
		for l, level := range Levels() {
			made := map[string]bool{}
			damage(root, level.Strength, s.key.Derive(uint64(i)).Derive(1)).each(func(n, _ *node, _ int) { made[n.id] = true })
			for id := range made {
				if l > 0 && !before[id] {
					t.Errorf("%s: node %s is back at %s", s.samples[i].gid, id, level.Model)
				}
			}
			before = made
		}
		all := 0
		root.each(func(*node, *node, int) { all++ })
		if len(before) == all || len(before) < all/4 {
			t.Errorf("%s: %d of %d nodes at the end", s.samples[i].gid, len(before), all)
		}
	}
}

// The readers of files take every file for what it is.
func TestFilesAreRead(t *testing.T) {
	t.Parallel()
	s := set(t, Config{Seed: 5, Samples: 3, Scale: 0.25})
	counts := map[string]int{}
	for name := range s.content {
		data, err := s.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		kind := "other"
		switch {
		case strings.HasSuffix(name, "-json-response.json"):
			kind = "trace"
			trace, err := casefile.ParseTraces(casefile.TraceFile{Name: name, Data: data})
			if err != nil || len(trace.Calls) == 0 || strings.HasPrefix(name, "results/") && (trace.Steps == nil || *trace.Steps != (len(trace.Calls)+perStep-1)/perStep) {
				t.Errorf("%s: %+v, %v", name, trace, err)
			}
		case strings.HasSuffix(name, "precomputed_blip_scores.json"):
		case path.Ext(name) == ".json":
			kind = "design"
			if d, err := casefile.ParseDesign(name, data); err != nil || d.Nodes[0].Bounds.Width != Width {
				t.Errorf("%s: %v", name, err)
			}
		case path.Ext(name) == ".png":
			kind = "image"
			if m, err := dataset.ParseScreen(name, data); err != nil || m.Width != 90 || m.Height != 195 || m.Alpha {
				t.Errorf("%s: %v", name, err)
			}
		}
		counts[kind]++
	}
	// Three samples and their models with steps, two that are modified; maps of attention.
	want := map[string]int{"trace": 3 + 15 + 10, "design": 3 + 15*(1+Steps) + 4 + 10, "image": 3 + 15*(1+Steps) + 4 + 10 + 3 + 15, "other": 3 + 3}
	if fmt.Sprint(counts) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", counts, want)
	}
}

// A case whose calls nothing happened to has those that are expected.
func TestCopyCallsWhatIsExpected(t *testing.T) {
	t.Parallel()
	s := set(t, Config{Seed: 5, Samples: 2, Scale: 0.1})
	for i, gid := range s.Samples() {
		id := s.Case(gid, s.Models()[0])
		var calls [2][]string
		for k, name := range []string{s.Reference(gid), path.Join("results", Task, Variant, id, id)} {
			data, err := s.ReadFile(name + "-json-response.json")
			if err != nil {
				t.Fatal(err)
			}
			trace, err := casefile.ParseTraces(casefile.TraceFile{Name: name, Data: data})
			if err != nil {
				t.Fatal(err)
			}
			calls[k] = trace.Calls
		}
		if want := callsFor(s.samples[i].screen.root); fmt.Sprint(calls[0]) != fmt.Sprint(want) || fmt.Sprint(calls[1]) != fmt.Sprint(want) {
			t.Errorf("%s: %v and %v, want %v", gid, calls[0], calls[1], want)
		}
	}
}

// BenchmarkExample makes everything of the example.
func BenchmarkExample(b *testing.B) {
	for b.Loop() {
		s := set(b, Config{Seed: exampleSeed, Samples: exampleSamples, Scale: exampleScale})
		for name := range s.content {
			if _, err := s.ReadFile(name); err != nil {
				b.Fatal(err)
			}
		}
	}
}
