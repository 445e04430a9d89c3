// Tests of encoding to files: resumed, restarted and locked runs.

package encode

// Runs that are cut off anywhere end with the bytes of one that was not.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"repscope/dataset"
	"repscope/latent"
)

// frames are clips [1 3 32 32] that are not stored; hook is called before each read.
type frames struct {
	n, seed int
	hook    func(lo int)
}

func (f *frames) Len() int     { return f.n }
func (f *frames) Shape() []int { return []int{1, 3, 32, 32} }
func (f *frames) Float32(dst []float32, lo, _ int) error {
	if f.hook != nil {
		f.hook(lo)
	}
	for i := range dst {
		dst[i] = float32((i*7 + (lo*3072+i)/3072*13 + f.seed) % 256)
	}
	return nil
}
func (f *frames) Fingerprint() (string, error) { return fmt.Sprintf("frames %d %d", f.n, f.seed), nil }

const convFile = "../../latent/testdata/conv.pth"

// models are two: one of two layers, one of the pooled output.
func models(t *testing.T) []Model {
	t.Helper()
	open := func(layers ...string) latent.Encoder {
		e, err := latent.Open(convFile, latent.OpenOptions{Layers: layers, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { e.Close() })
		return e
	}
	return []Model{
		{Name: "deep", Encoder: open("fc", "conv_layers.3"), Options: latent.EncodeOptions{Batch: 2, Pool: latent.PoolKeep}},
		{Name: "plain", Encoder: open(), Options: latent.EncodeOptions{Batch: 3}},
	}
}

// list is the content of a folder.
func list(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(data)
	}
	return files
}

// snapshot copies a folder as a crash would leave it.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	for name, data := range list(t, dir) {
		if err := os.WriteFile(filepath.Join(to, name), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// whole runs to the end and returns the files.
func whole(t *testing.T, source latent.Source, models []Model, o Options) map[string]string {
	t.Helper()
	w, err := Write(t.Context(), source, models, o)
	if err != nil {
		t.Fatal(err)
	}
	if w.Encoded+w.Resumed != source.Len()*len(models) {
		t.Errorf("%d rows encoded and %d taken over, want %d", w.Encoded, w.Resumed, source.Len()*len(models))
	}
	if err := errors.Join(w.Commit(), w.Done()); err != nil {
		t.Fatal(err)
	}
	files := list(t, o.Dir)
	for _, f := range w.Files {
		if data, ok := files[f.Name]; !ok || int64(len(data)) != f.Bytes {
			t.Errorf("%s: %d bytes, want %d", f.Name, len(data), f.Bytes)
		}
		if sum, _, err := digest(filepath.Join(o.Dir, f.Name)); err != nil || sum != f.SHA256 {
			t.Errorf("%s: SHA-256 %s, want %s: %v", f.Name, sum, f.SHA256, err)
		}
	}
	if len(files) != len(w.Files) {
		t.Errorf("%d files, want %d", len(files), len(w.Files))
	}
	return files
}

func same(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d files, want %d", what, len(got), len(want))
	}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s: %s differs from that of a run without interruption", what, name)
		}
	}
}

func TestResume(t *testing.T) {
	const rows = 11
	for _, format := range dataset.AppendFormats() {
		for _, half := range []bool{false, true} {
			if half && format != "npy" {
				continue
			}
			options := func(dir string) Options {
				return Options{Dir: dir, Format: format, Float16: half, Interval: time.Hour}
			}
			want := whole(t, &frames{n: rows}, models(t), options(t.TempDir()))

			// A crash before every batch, with a journal of every batch or of none.
			var crashed []string
			for _, interval := range []time.Duration{1, time.Hour} {
				o := options(t.TempDir())
				o.Interval = interval
				source := &frames{n: rows, hook: func(int) { crashed = append(crashed, snapshot(t, o.Dir)) }}
				w, err := Write(t.Context(), source, models(t), o)
				if err != nil {
					t.Fatal(err)
				}
				crashed = append(crashed, snapshot(t, o.Dir))
				if err := w.Commit(); err != nil {
					t.Fatal(err)
				}
				crashed = append(crashed, snapshot(t, o.Dir))
			}
			if half {
				crashed = []string{crashed[1], crashed[len(crashed)/3], crashed[len(crashed)-1]} // the rest is as above
			}
			for i, dir := range crashed {
				same(t, fmt.Sprintf("%s, crash %d", format, i), whole(t, &frames{n: rows}, models(t), options(dir)), want)
			}

			// Cancelled again and again.
			dir := t.TempDir()
			for range 40 {
				ctx, cancel := context.WithCancel(t.Context())
				reads := 0
				source := &frames{n: rows, hook: func(int) {
					if reads++; reads == 2 {
						cancel()
					}
				}}
				w, err := Write(ctx, source, models(t), options(dir))
				cancel()
				if err == nil {
					if err := w.Close(); err != nil {
						t.Fatal(err)
					}
					break
				}
				if !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				for name := range list(t, dir) {
					if name != JournalName && !strings.HasSuffix(name, Partial) {
						t.Fatalf("a cancelled run left %s", name)
					}
				}
			}
			same(t, format+", cancelled", whole(t, &frames{n: rows}, models(t), options(dir)), want)
		}
	}
}

// interrupted leaves an unfinished run in a folder.
func interrupted(t *testing.T) Options {
	t.Helper()
	o := Options{Dir: t.TempDir(), Interval: 1, Program: "test 1"}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	source := &frames{n: 9, hook: func(lo int) {
		if lo == 4 {
			cancel()
		}
	}}
	if _, err := Write(ctx, source, models(t), o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	return o
}

func TestOtherRun(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(o *Options, source *frames, m []Model) []Model
		want   string
	}{
		{"program", func(o *Options, _ *frames, m []Model) []Model { o.Program = "test 2"; return m }, "program was test 1, is test 2"},
		{"states", func(_ *Options, s *frames, m []Model) []Model { s.seed = 1; return m }, "SHA-256 frames 9 1"},
		{"number of states", func(_ *Options, s *frames, m []Model) []Model { s.n = 8; return m }, "is 8 of shape [1 3 32 32]"},
		{"type", func(o *Options, _ *frames, m []Model) []Model { o.Float16 = true; return m }, "is float16"},
		{"format", func(o *Options, _ *frames, m []Model) []Model { o.Format = "npz"; return m }, "file plain.npy is gone"},
		{"scale", func(_ *Options, _ *frames, m []Model) []Model {
			m[0].Options.Scale, m[0].Options.High = latent.ScaleUnit, 255
			return m
		}, "preprocessing of deep was scale raw, is scale unit of 0 to 255"},
		{"pooling", func(_ *Options, _ *frames, m []Model) []Model { m[1].Options.Pool = latent.PoolMean; return m }, "pooling last, format npy, is float32 [9 8], model plain, layer"},
		{"models", func(_ *Options, _ *frames, m []Model) []Model { return m[:1] }, "model plain is gone"},
	} {
		o := interrupted(t)
		before := list(t, o.Dir)
		source := &frames{n: 9}
		changed := c.change(&o, source, models(t))
		_, err := Write(t.Context(), source, changed, o)
		var other *OtherRunError
		if !errors.As(err, &other) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
		if after := list(t, o.Dir); len(after) != len(before) {
			t.Errorf("%s: %d files, were %d", c.name, len(after), len(before))
		}
		o.Restart = true
		got := whole(t, source, changed, o)
		o.Dir, o.Restart = t.TempDir(), false
		same(t, c.name, got, whole(t, source, c.change(&o, source, models(t)), o))
	}

	// The order of models does not matter.
	o := interrupted(t)
	m := models(t)
	slices.Reverse(m)
	want := whole(t, &frames{n: 9}, models(t), Options{Dir: t.TempDir(), Program: o.Program})
	same(t, "models in another order", whole(t, &frames{n: 9}, m, o), want)
}

// A model that sees other states than the run's has its own; a run with others is not
// continued.
func TestOwnStates(t *testing.T) {
	own := func(seed int) []Model {
		m := models(t)
		m[1].States = &frames{n: 9, seed: seed}
		return m
	}
	alone := whole(t, &frames{n: 9, seed: 5}, models(t)[1:], Options{Dir: t.TempDir()})
	both := whole(t, &frames{n: 9}, own(5), Options{Dir: t.TempDir()})
	if alone["plain.npy"] != both["plain.npy"] {
		t.Error("the states of a model of its own were not taken")
	}
	o := interrupted(t)
	_, err := Write(t.Context(), &frames{n: 9}, own(5), o)
	var other *OtherRunError
	if !errors.As(err, &other) || !strings.Contains(err.Error(), "states of plain is new") {
		t.Errorf("error %v, want one of other states", err)
	}
	m := models(t)
	m[1].States = &frames{n: 8}
	if _, err := Write(t.Context(), &frames{n: 9}, m, Options{Dir: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "model plain: 8 states of 9") {
		t.Errorf("error %v, want one of 8 states of 9", err)
	}
}

func TestDamage(t *testing.T) {
	check := func(o Options, want string) {
		t.Helper()
		_, err := Write(t.Context(), &frames{n: 9}, models(t), o)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--restart") {
			t.Errorf("error %v, want %q and --restart", err, want)
		}
		o.Restart = true
		whole(t, &frames{n: 9}, models(t), o)
	}
	change := func(o Options, name string, f func([]byte) []byte) Options {
		path := filepath.Join(o.Dir, name)
		data, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, f(data), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	deep := "deep.fc.npy" + Partial
	for _, name := range slices.Sorted(maps.Keys(list(t, interrupted(t).Dir))) {
		if strings.Contains(name, "gemm") {
			deep = name
		}
	}
	check(change(interrupted(t), deep, func(b []byte) []byte { b[len(b)-1] ^= 1; return b }), "rows have changed")
	check(change(interrupted(t), deep, func(b []byte) []byte { return b[:len(b)-1] }), "truncated")
	check(change(interrupted(t), deep, func(b []byte) []byte { b[20] = 'x'; return b }), "header")
	line := func(b []byte, n int) int { // the middle of a line
		lines := bytes.SplitAfter(b, []byte{'\n'})
		return len(bytes.Join(lines[:n], nil)) + len(lines[n])/2
	}
	both := func(b []byte) []byte { b[line(b, 0)] ^= 1; b[line(b, 1)] ^= 1; return b }
	check(change(interrupted(t), JournalName, both), "cannot be read")
	check(change(interrupted(t), JournalName, func(b []byte) []byte { return b[:100] }), "cannot be read")
	check(change(interrupted(t), JournalName, func([]byte) []byte { return []byte("slot 0000000090 0000000009 00\n{}\n") }), "another version wrote it")
	check(change(interrupted(t), JournalName, func([]byte) []byte {
		return fmt.Appendf(nil, "%08x%s\n", crc32.ChecksumIEEE([]byte(`{"schema":"other/1"}`)), `{"schema":"other/1"}`)
	}), `schema "other/1"`)
	o := interrupted(t)
	if err := os.Remove(filepath.Join(o.Dir, deep)); err != nil {
		t.Fatal(err)
	}
	check(o, "no such file")

	// One whole line of the journal is enough: the rows since it was written are encoded again.
	want := whole(t, &frames{n: 9}, models(t), Options{Dir: t.TempDir(), Program: o.Program})
	for name, f := range map[string]func([]byte) []byte{
		"first line":      func(b []byte) []byte { b[line(b, 0)] ^= 1; return b },
		"second line":     func(b []byte) []byte { b[line(b, 1)] ^= 1; return b },
		"last line":       func(b []byte) []byte { b[len(b)-3] ^= 1; return b },
		"a cut last line": func(b []byte) []byte { return b[:len(b)-3] },
		"two lines":       func(b []byte) []byte { return b[:line(b, 1)] },
	} {
		same(t, name, whole(t, &frames{n: 9}, models(t), change(interrupted(t), JournalName, f)), want)
	}

	// Another run at work.
	o = interrupted(t)
	source := &frames{n: 9}
	source.hook = func(int) {
		source.hook = nil
		for _, restart := range []bool{false, true} {
			again := o
			again.Restart = restart
			_, err := Write(t.Context(), &frames{n: 9}, models(t), again)
			want := fmt.Sprintf("another process (pid %d) is writing into %s", os.Getpid(), o.Dir)
			if !errors.Is(err, dataset.ErrLocked) || err.Error() != want {
				t.Errorf("a second run beside the first: %v", err)
			}
			again.Program = "test 2"
			if _, err = Write(t.Context(), &frames{n: 9}, models(t), again); !errors.Is(err, dataset.ErrLocked) {
				t.Errorf("another run beside the first: %v", err)
			}
		}
	}
	whole(t, source, models(t), o)
}

// A run that fails before its first row leaves nothing.
func TestFailures(t *testing.T) {
	dir := t.TempDir()
	check := func(source latent.Source, m []Model, o Options, want string) {
		t.Helper()
		o.Dir = dir
		_, err := Write(t.Context(), source, m, o)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		if files := list(t, dir); len(files) > 0 {
			t.Errorf("%q left %d files", want, len(files))
		}
	}
	bad := &broken{}
	check(bad, models(t), Options{}, "model deep: encoder ../../latent/testdata/conv.pth: states 0 to 1: the disk is gone")
	check(&frames{n: 2}, models(t), Options{Format: "csv"}, "npy, npz, safetensors")
	check(&frames{n: 2}, models(t), Options{Pattern: "{model}.npy"}, "add {layer} to it")
	check(&frames{n: 2}, models(t)[1:], Options{Pattern: "a/{model}.npy"}, "want a plain name")
	check(&frames{n: 2}, models(t)[1:], Options{Pattern: "{modle}.npy"}, "want a plain name")
	check(&frames{n: 2}, append(models(t)[1:], Model{Name: "other", Encoder: models(t)[1].Encoder}), Options{Pattern: "z.npy"}, "add {model} to it")
	wrong := models(t)
	wrong[1].Options.Pool = latent.PoolIndex(3)
	check(&frames{n: 2}, wrong, Options{}, "model plain: ")
}

type broken struct{ frames }

func (b *broken) Len() int { return 4 }
func (b *broken) Float32([]float32, int, int) error {
	return errors.New("the disk is gone")
}

func TestNames(t *testing.T) {
	layer := func(model, name string) File {
		return File{Model: model, Output: latent.StreamOutput{Layer: latent.Layer{Name: name}}}
	}
	files := []File{layer("a", "/conv1/Conv_output_0"), layer("a", "conv1:Conv_output_0"), layer("b", "z"), layer("a", "conv1_Conv_output_0")}
	if err := name(files, Options{Format: "npz"}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		got = append(got, f.Name)
	}
	want := []string{"a.conv1_Conv_output_0.npz", "a.conv1_Conv_output_0~2.npz", "b.npz", "a.conv1_Conv_output_0~3.npz"}
	if !slices.Equal(got, want) {
		t.Errorf("names %v, want %v", got, want)
	}
}

// The memory does not grow with the number of states.
func TestConstantMemory(t *testing.T) {
	peak := func(n int) uint64 {
		var most uint64
		source := &frames{n: n}
		source.hook = func(lo int) {
			if lo >= 16 { // the first batch makes the buffers
				var s runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&s)
				most = max(most, s.HeapAlloc)
			}
		}
		m := models(t)[1:]
		m[0].Options.Batch = 16
		whole(t, source, m, Options{Dir: t.TempDir()})
		return most
	}
	few, many := peak(64), peak(1024)
	if many > few+1<<20 {
		t.Errorf("%d bytes for 64 states, %d for 1,024", few, many)
	}
}

func ExampleWrite() {
	dir, err := os.MkdirTemp("", "latents")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	encoder, err := latent.RandomEncoder([]int{1, 3, 32, 32}, latent.RandomOptions{Dim: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer encoder.Close()
	w, err := Write(context.Background(), &frames{n: 5}, []Model{{Name: "random", Encoder: encoder}}, Options{Dir: dir})
	if err == nil {
		err = errors.Join(w.Commit(), w.Done())
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range w.Files {
		fmt.Println(f.Name, f.DType, f.Shape, f.Bytes)
	}
	// Output: random.npy float32 [5 8] 288
}

// FuzzJournal reads any lines as a journal: the progress has what the last whole record says.
func FuzzJournal(f *testing.F) {
	f.Add([]byte(`{"schema":"repscope/encode-journal/3","pid":7,"run":[{"what":"program","value":"test"}],"files":[{"file":"a.npy"}]}`),
		[]byte(`{"files":[{"file":"a.npy","position":{"rows":3},"complete":true}]}`))
	f.Add([]byte(`{"schema":"repscope/encode-journal/1"}`), []byte(`{}`))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		p, _, err := parseJournal("journal", [][]byte{first, second})
		if err != nil {
			return
		}
		var r record
		q, _, err := parseJournal("journal", [][]byte{first})
		if err == nil && (json.Unmarshal(second, &r) != nil || r.Schema == "") && len(p.Files) != len(q.Files) {
			t.Errorf("%d files, then %d", len(q.Files), len(p.Files))
		}
	})
}
