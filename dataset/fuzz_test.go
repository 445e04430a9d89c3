// Fuzz targets of the readers: damaged files are errors and take little memory.

package dataset

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"repscope/internal/dtype"
	"repscope/internal/readtest"
	"repscope/internal/torchfile"
)

// seed adds the golden files that match the patterns.
func seed(f *testing.F, patterns ...string) {
	f.Helper()
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		if len(files) == 0 {
			f.Fatalf("no files %s", pattern)
		}
		for _, name := range files {
			data, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
}

// exercise opens data as a file of the given name and reads what it holds. No
// more memory may be taken than the size of the file explains.
func exercise(t *testing.T, name string, data []byte, open func(path string) ([]*Array, error)) {
	path := filepath.Join(t.TempDir(), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	var arrays []*Array
	var err error
	readtest.Memory(t, len(data), readtest.Limit{Base: 200 << 20, PerByte: 8192}, func() { arrays, err = open(path) })
	if err != nil {
		if !strings.Contains(err.Error(), filepath.Base(filepath.Dir(path))) {
			t.Errorf("the error does not name the file: %v", err)
		}
		return
	}
	for _, a := range arrays {
		rows := min(a.Len(), 3)
		if a.RowLen() < 1<<20 {
			_ = a.ReadFloat32(make([]float32, rows*a.RowLen()), 0, rows)
			_ = a.ReadInt64(make([]int64, rows*a.RowLen()), 0, rows)
			if s, err := NewStates(a, StateOptions{SkipNaN: true}); err == nil && s.Size() < 1<<16 {
				s = s.LastFrame()
				_ = s.Float32(make([]float32, s.Size()), s.Len()-1, s.Len())
			}
		}
		a.Close()
	}
}

// one adapts the opening of a single array to several.
func one(spec string) func(path string) ([]*Array, error) {
	return func(path string) ([]*Array, error) {
		a, err := Open(path + spec)
		return []*Array{a}, err
	}
}

func FuzzNPY(f *testing.F) {
	seed(f, "testdata/*.npy", "testdata/bad/*.npy")
	f.Fuzz(func(t *testing.T, data []byte) { exercise(t, "a.npy", data, one("")) })
}

func FuzzNPYHeader(f *testing.F) {
	f.Add("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }", false)
	f.Add(`{"shape": [3L], "descr": u'|b1', 'fortran_order': True}`, true)
	f.Add("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ((((6,),),),)}", true)
	f.Fuzz(func(t *testing.T, text string, unicode bool) {
		var h npyHeader
		if h.parse(text, unicode) == nil {
			if size, err := dtype.ArraySize(h.shape, h.dtype); err != nil || size != h.size || size < 0 {
				t.Errorf("%q: size %d, %v", text, size, err)
			}
		}
	})
}

func FuzzNPZ(f *testing.F) {
	seed(f, "testdata/*.npz", "testdata/bad/[!b]*.npz")
	f.Fuzz(func(t *testing.T, data []byte) { exercise(t, "a.npz", data, OpenAll) })
}

func FuzzSafetensors(f *testing.F) {
	seed(f, "testdata/*.safetensors", "testdata/bad/*.safetensors")
	f.Fuzz(func(t *testing.T, data []byte) { exercise(t, "a.safetensors", data, OpenAll) })
}

func FuzzExperience(f *testing.F) {
	seed(f, "../internal/torchfile/testdata/experience*.pth")
	f.Fuzz(func(t *testing.T, data []byte) {
		exercise(t, "a.pth", data, func(path string) ([]*Array, error) {
			e, err := openExperience(path)
			if err != nil {
				return nil, err
			}
			if s, err := e.States(StateOptions{SkipNaN: true}); err == nil && s.Size() < 1<<16 {
				_ = s.Float32(make([]float32, s.Size()), s.Len()-1, s.Len())
			}
			return []*Array{e.Frames}, e.Close()
		})
	})
}

// FuzzTorch reads the tensors of any file, by their paths.
func FuzzTorch(f *testing.F) {
	seed(f, "testdata/torch/*.pt", "../internal/torchfile/testdata/*.pt")
	f.Fuzz(func(t *testing.T, data []byte) {
		exercise(t, "a.pt", data, func(path string) ([]*Array, error) {
			file, err := torchfile.Open(path)
			if err != nil {
				return nil, err
			}
			names := tensorPaths(file.Root())
			if err := file.Close(); err != nil {
				return nil, err
			}
			var arrays []*Array
			for _, name := range append([]string{""}, names[:min(len(names), 2)]...) {
				spec := path
				if name != "" {
					spec += ":" + name
				}
				if a, err := Open(spec); err == nil {
					arrays = append(arrays, a)
				}
			}
			return arrays, nil
		})
	})
}

func FuzzImage(f *testing.F) {
	seed(f, "testdata/grey/frame1*.png", "testdata/rgb/*.png", "testdata/deep/*.png", "testdata/palette/*.png", "testdata/bad/*/*.png")
	for _, c := range photoCases(f) {
		f.Add(c.Data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		exercise(t, "frames/a.png", data, func(path string) ([]*Array, error) {
			a, err := Open(filepath.Dir(path))
			return []*Array{a}, err
		})
	})
}

// FuzzTIFF reads any bytes as pages, and as a file of a folder.
func FuzzTIFF(f *testing.F) {
	for _, compression := range []int{tiffPlain, tiffLZW, tiffDeflate} {
		field, _ := exampleField(Uint8)
		path, err := writeTIFF(f.TempDir(), field, compression)
		if err != nil {
			f.Fatal(err)
		}
		seed(f, path)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		exercise(t, "frames/a.tif", data, func(path string) ([]*Array, error) {
			a, err := Open(path)
			if err != nil {
				return nil, err
			}
			b, err := Open(filepath.Dir(path))
			if err != nil {
				return []*Array{a}, nil
			}
			return []*Array{a, b}, nil
		})
	})
}

// A range of pixels is finite and ascending, and shown in its own form it is the same; a file and a
// key put together are what they were taken from.
func FuzzSpecs(f *testing.F) {
	for _, s := range []string{"0,255", "-1..1", "0:1", "1,0", "nan,1", "0,inf", "a.npz:key", "C:x", "a:b:c", ":", "", "1e308,1.7e308", "0, 1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if r, err := ParsePixelRange(text); err == nil {
			if !(r.Low < r.High) || math.IsInf(r.Low, 0) || math.IsInf(r.High, 0) {
				t.Errorf("%q is the range %v", text, r)
			}
			if again, err := ParsePixelRange(fmt.Sprintf("%v,%v", r.Low, r.High)); err != nil || again != r {
				t.Errorf("%q is %v, and that %v: %v", text, r, again, err)
			}
		}
		if path, key := SplitSpec(text); path+":"+key != text && !(path == text && key == "") {
			t.Errorf("%q is %q and %q", text, path, key)
		}
	})
}

// Episodes of any values: one number or flag per row, and episodes that follow each other are
// numbered in order of appearance.
func FuzzReadEpisodes(f *testing.F) {
	for _, s := range [][]byte{{0, 0, 1, 1, 2}, {0, 1, 0, 1}, {1, 0, 0, 1, 0}, {5}, {}, {0, 0, 0, 1}} {
		for kind := range EpisodeKinds() {
			f.Add(s, uint8(kind), uint8(0))
			f.Add(s, uint8(kind), uint8(2))
		}
	}
	f.Fuzz(func(t *testing.T, values []byte, kind, element uint8) {
		var a *Array
		var err error
		shape := []int{len(values)}
		switch element % 4 {
		case 0:
			a, err = NewArray("e", shape, values)
		case 1:
			signed := make([]int64, len(values))
			for i, v := range values {
				signed[i] = int64(int8(v))
			}
			a, err = NewArray("e", shape, signed)
		case 2:
			flags := make([]bool, len(values))
			for i, v := range values {
				flags[i] = v&1 == 1
			}
			a, err = NewArray("e", shape, flags)
		default:
			floats := make([]float32, len(values))
			for i, v := range values {
				floats[i] = float32(v) / 2
			}
			a, err = NewArray("e", shape, floats)
		}
		if err != nil {
			return
		}
		kinds := EpisodeKinds()
		rows := []int{int(kind) * len(values)}
		for _, v := range values {
			rows[0] += int(v) >> (kind % 2)
		}
		e, err := ReadEpisodes(a, kinds[int(kind)%len(kinds)], rows...)
		if err != nil {
			return
		}
		if n := len(e.Numbers) + len(e.Ends); n != len(values) && n != rows[0] || n != e.Rows() {
			t.Fatalf("%d numbers and %d flags for %d values and %d rows", len(e.Numbers), len(e.Ends), len(values), rows[0])
		}
		next := 0
		for _, number := range NumberEpisodes(e.Rows(), e.Numbers, e.Ends) {
			if number > next {
				t.Fatalf("episode %d before %d", number, next)
			}
			next = max(next, number+1)
		}
	})
}
