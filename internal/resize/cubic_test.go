// Bicubic resizing against Pillow and the formula, and its properties.

package resize

import (
	_ "embed"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

//go:embed testdata/cubic.json
var cubicJSON []byte

// TestCubic holds bytes against Pillow's, all of them, and numbers against the formula.
func TestCubic(t *testing.T) {
	t.Parallel()
	var golden struct {
		Cases []struct {
			From, To      [2]int
			Channels      int
			Src, Dst      []byte
			Numbers, Want []float64
		}
	}
	if err := json.Unmarshal(cubicJSON, &golden); err != nil || len(golden.Cases) < 40 {
		t.Fatal(len(golden.Cases), err)
	}
	for _, g := range golden.Cases {
		c := NewCubic(g.From[0], g.From[1], g.To[0], g.To[1])
		if g.Channels > 0 {
			got := make([]byte, len(g.Dst))
			c.Bytes(got, g.Src, g.Channels)
			if !slices.Equal(got, g.Dst) {
				t.Errorf("%v to %v, %d channels: %v, want %v", g.From, g.To, g.Channels, got, g.Dst)
			}
			continue
		}
		got := make([]float64, len(g.Want))
		c.Floats(got, g.Numbers)
		for i, want := range g.Want {
			if math.Abs(got[i]-want) > 1e-12 {
				t.Errorf("%v to %v: number %d is %v, want %v", g.From, g.To, i, got[i], want)
			}
		}
	}
}

// TestCubicProperties: constant images stay, equal sizes stay, three channels are as one each, and mirrored images
// become mirrored ones.
func TestCubicProperties(t *testing.T) {
	t.Parallel()
	size := rapid.IntRange(1, 40)
	rapid.Check(t, func(t *rapid.T) {
		h, w, rows, columns := size.Draw(t, "h"), size.Draw(t, "w"), size.Draw(t, "rows"), size.Draw(t, "columns")
		c := NewCubic(h, w, rows, columns)
		flat, out := slices.Repeat([]byte{rapid.Byte().Draw(t, "value")}, h*w), make([]byte, rows*columns)
		c.Bytes(out, flat, 1)
		if slices.ContainsFunc(out, func(v byte) bool { return v != flat[0] }) {
			t.Errorf("a constant image of %d becomes %v", flat[0], out)
		}
		src := rapid.SliceOfN(rapid.Byte(), 3*h*w, 3*h*w).Draw(t, "src")
		dst := make([]byte, 3*rows*columns)
		c.Bytes(dst, src, 3)
		if h == rows && w == columns && !slices.Equal(src, dst) {
			t.Error("an image of its own size changes")
		}
		plane, mirrored := make([]byte, h*w), make([]byte, h*w)
		for i := range plane {
			plane[i] = src[3*i+1]
			mirrored[i/w*w+w-1-i%w] = plane[i]
		}
		c.Bytes(out, plane, 1)
		for i, v := range out {
			if dst[3*i+1] != v {
				t.Errorf("pixel %d of a channel is %d, %d alone", i, dst[3*i+1], v)
			}
		}
		back := make([]byte, len(out))
		c.Bytes(back, mirrored, 1)
		for i, v := range out {
			if d := int(back[i/columns*columns+columns-1-i%columns]) - int(v); d < -1 || d > 1 {
				t.Errorf("pixel %d is %d, mirrored it is %d off", i, v, d)
			}
		}
	})
}

// TestCubicNaN: a NaN stays where its kernel reaches.
func TestCubicNaN(t *testing.T) {
	t.Parallel()
	src, dst := make([]float64, 40), make([]float64, 20)
	src[20] = math.NaN()
	NewCubic(1, 40, 1, 20).Floats(dst, src)
	for i, v := range dst {
		if near := i >= 8 && i <= 12; math.IsNaN(v) && !near || !math.IsNaN(v) && i == 10 {
			t.Errorf("pixel %d is %v", i, v)
		}
	}
}

func BenchmarkCubic(b *testing.B) {
	src, dst := make([]byte, 3*1624*750), make([]byte, 3*812*375)
	for b.Loop() {
		NewCubic(1624, 750, 812, 375).Bytes(dst, src, 3)
	}
}
