// Tests of channels made of one, and of the preset of ImageNet.

package latent

import (
	"errors"
	"slices"
	"testing"

	"repscope/model/graph"
)

// Channels are moved behind rows and columns after everything else.
func TestChannelsMovedLast(t *testing.T) {
	t.Parallel()
	src := &memorySource{shape: []int{2, 2, 3, 4, 5}} // two clips of two frames of three channels
	for i := range graph.Count(src.shape) {
		src.values = append(src.values, float32(i*i%251))
	}
	p := Preprocessing{Layout: "TCHW", Height: 2, Width: 7, Scale: ScaleUnit, High: 255, Mean: []float64{0.1, 0.2, 0.3}}
	first, err := Prepared(src, p)
	if err != nil {
		t.Fatal(err)
	}
	p.ChannelsLast = true
	last, err := Prepared(src, p)
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{2, 2, 7, 3}; !slices.Equal(last.Shape(), want) {
		t.Fatalf("shape %v, want %v", last.Shape(), want)
	}
	const size = 2 * 3 * 2 * 7
	a, b := make([]float32, 2*size), make([]float32, 2*size)
	if err := errors.Join(first.Float32(a, 0, 2), last.Float32(b, 0, 2)); err != nil {
		t.Fatal(err)
	}
	for frame := range 4 {
		for c := range 3 {
			for k := range 14 {
				if v, want := b[frame*42+k*3+c], a[frame*42+c*14+k]; v != want {
					t.Fatalf("frame %d, channel %d, pixel %d: %v, want %v", frame, c, k, v, want)
				}
			}
		}
	}
	sums := [2]string{}
	for i, s := range []Source{first, last} {
		if sums[i], err = s.Fingerprint(); err != nil {
			t.Fatal(err)
		}
	}
	if sums[0] == sums[1] && sums[0] != "" {
		t.Error("both orders have one fingerprint")
	}
	if _, err := Prepared(src, Preprocessing{Layout: "CTHW", ChannelsLast: true}); err == nil {
		t.Error("channels that are not next to rows were moved")
	}
}

// One channel repeated to three is the same as frames that hold it three times.
func TestRepeatedChannels(t *testing.T) {
	t.Parallel()
	const n = 3
	for _, c := range []struct {
		layout      string
		state, like []int // states, and the same with three channels
		as          string
	}{
		{"HW", []int{6, 5}, []int{3, 6, 5}, "CHW"},
		{"", []int{6, 5}, []int{3, 6, 5}, "CHW"},
		{"CHW", []int{1, 6, 5}, []int{3, 6, 5}, "CHW"},
		{"THW", []int{4, 6, 5}, []int{4, 3, 6, 5}, "TCHW"},
		{"TCHW", []int{4, 1, 6, 5}, []int{4, 3, 6, 5}, "TCHW"},
		{"CTHW", []int{1, 4, 6, 5}, []int{3, 4, 6, 5}, "CTHW"},
	} {
		src := &memorySource{shape: append([]int{n}, c.state...)}
		size := graph.Count(c.state)
		for i := range n * size {
			src.values = append(src.values, float32(i*i%251))
		}
		thrice := &memorySource{shape: append([]int{n}, c.like...)}
		block := 6 * 5
		if c.as == "CTHW" {
			block *= 4
		}
		for offset := 0; offset < len(src.values); offset += block {
			for range 3 {
				thrice.values = append(thrice.values, src.values[offset:offset+block]...)
			}
		}
		for _, p := range []Preprocessing{
			{},
			{Height: 8, Width: 9},
			{Height: 3, Width: 4, Interpolation: Nearest, Scale: ScaleUnit, High: 255, Mean: []float64{0.1, 0.2, 0.3}, Std: []float64{1, 2, 4}},
			{Scale: ScaleUnit, High: 250, Mean: []float64{0.1, 0.2, 0.3}},
		} {
			q := p
			p.Layout, p.Channels, q.Layout = c.layout, 3, c.as
			got, err := Prepared(src, p)
			if err != nil {
				t.Fatal(err)
			}
			want, err := Prepared(thrice, q)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Shape(), want.Shape()) {
				t.Fatalf("%q %v: shape %v, want %v", c.layout, c.state, got.Shape(), want.Shape())
			}
			a, b := make([]float32, n*graph.Count(got.Shape())), make([]float32, n*graph.Count(got.Shape()))
			if err := got.Float32(a, 0, n); err != nil {
				t.Fatal(err)
			}
			if err := want.Float32(b, 0, n); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(a, b) {
				t.Errorf("%q %v, %+v: other values than of three equal channels", c.layout, c.state, p)
			}
		}
		plain, _ := Prepared(src, Preprocessing{Layout: c.layout})
		color, _ := Prepared(src, Preprocessing{Layout: c.layout, Channels: 3})
		x, _ := plain.Fingerprint()
		y, _ := color.Fingerprint()
		if x == y {
			t.Errorf("%q: one channel and three have one fingerprint", c.layout)
		}
	}

	for _, c := range []struct {
		state []int
		p     Preprocessing
		want  string
	}{
		{[]int{2, 8, 8}, Preprocessing{Layout: "CHW", Channels: 3}, "repeating to 3 channels: states of shape [2 8 8] have 2 channels (layout CHW), want 1"},
		{[]int{8}, Preprocessing{Layout: "D", Channels: 3}, "have no frames"},
		{[]int{8}, Preprocessing{Channels: 3}, "have no frames"},
		{[]int{8, 8}, Preprocessing{Channels: -1}, "-1 channels"},
	} {
		_, err := newPreprocessor(c.p, c.state)
		wantError(t, err, c.want)
	}
	same, err := newPreprocessor(Preprocessing{Layout: "CHW", Channels: 3}, []int{3, 8, 8})
	if err != nil || same.reshapes() || same.key() != "raw" {
		t.Errorf("three channels to three: %+v, %v", same, err)
	}
}

func TestImageNet(t *testing.T) {
	t.Parallel()
	gray := &memorySource{shape: []int{1, 84, 84}, values: slices.Repeat([]float32{255}, 84*84)}
	p := ImageNet()
	p.High, p.Layout = 255, "HW"
	prepared, err := Prepared(gray, p)
	if err != nil || !slices.Equal(prepared.Shape(), []int{3, 224, 224}) {
		t.Fatalf("%v, %v", prepared, err)
	}
	got := make([]float32, 3*224*224)
	if err := prepared.Float32(got, 0, 1); err != nil {
		t.Fatal(err)
	}
	// White is (1 − mean)/std: torchvision.transforms.Normalize of ones.
	for c, want := range []float32{2.2489083, 2.4285715, 2.64} {
		for i, v := range got[c*224*224 : (c+1)*224*224] {
			if d := v - want; d > 1e-6 || d < -1e-6 {
				t.Fatalf("channel %d, pixel %d is %v, want %v", c, i, v, want)
			}
		}
	}
}

// What an encoder takes is found out before anything is read.
func TestCheck(t *testing.T) {
	conv, tokens := open(t, "conv.pth"), open(t, "tokens_opset17.onnx")
	input, dtype, err := Check(conv, []int{32, 32}, PoolNone)
	if want := conv.Info().Input[1:]; err != nil || dtype != "float32" || len(input) != len(want) || graph.Count(input) != 32*32 {
		t.Errorf("input %v %s, %v, want one like %v", input, dtype, err, want)
	}
	_, _, err = Check(conv, []int{2, 7, 32, 32}, PoolNone)
	var shape *ShapeError
	if !errors.As(err, &shape) {
		t.Errorf("error %v, want a ShapeError", err)
	}
	state := tokens.Info().Input[1:]
	_, _, err = Check(tokens, state, PoolNone)
	var pool *PoolError
	if !errors.As(err, &pool) || len(pool.Output) != 3 {
		t.Errorf("error %v, want a PoolError", err)
	}
	if _, _, err = Check(tokens, state, PoolMean); err != nil {
		t.Error(err)
	}
	_, _, err = PoolNone.Resolve([]int{-1, 64, 9, 9}, PoolNone)
	wantError(t, err, "the output has shape [-1 64 9 9], maps of vectors: choose pooling flatten")
	_, _, err = PoolMean.Resolve([]int{-1, 64, 9, 9}, PoolNone)
	wantError(t, err, "choose pooling flatten, not mean")
}
