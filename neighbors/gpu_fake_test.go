//go:build cuda && fakecuda

// What only the fake driver can show: several devices, little memory, failures.

package neighbors

import (
	"errors"
	"strings"
	"testing"

	"repscope/internal/cuda"
	"repscope/internal/cuda/fakecuda"
	"repscope/internal/device"
	"repscope/points"
)

// reset gives the fake devices so much memory, until the end of the test.
func reset(t *testing.T, devices int, memory int64) {
	t.Cleanup(func() { fakecuda.Reset(1, 1<<30) })
	fakecuda.Reset(devices, memory)
}

func TestSeveralGPUs(t *testing.T) {
	reset(t, 2, 64<<20)
	d := openDevice(t, "cuda:1,cuda:0")
	original := gpuTestPoints("uint8", 61, 20, 1)
	embedded := []points.Points{gpuTestPoints("float32", 61, 3, 2)}
	done := 0
	o := Options{CoRanking: CoRankingOff, PerPoint: true}
	want, err := Compare(t.Context(), original, embedded, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Device = d
	o.Progress = func(d, total int) {
		if done = d; total != 61 {
			t.Errorf("progress of %d", total)
		}
	}
	got, err := Compare(t.Context(), original, embedded, o)
	if err != nil {
		t.Fatal(err)
	}
	sameButMethod(t, "two devices", got, want)
	if done != 61 {
		t.Errorf("progress ended at %d", done)
	}
	for device := range 2 {
		if n := fakecuda.Used(device); n != 0 {
			t.Errorf("device %d: %d bytes were not freed", device, n)
		}
	}
}

// Ranges of points on GPUs give what one pass on the processor gives, wherever they are cut.
func TestGPUAnySplitSameBytes(t *testing.T) {
	reset(t, 2, 64<<20)
	checkSplits(t, openDevice(t, "cuda:0,cuda:1"))
}

// Parts of GPUs and of the processor merge.
func TestGPUPartsBesideProcessor(t *testing.T) {
	reset(t, 1, 64<<20)
	original := gpuTestPoints("uint8", 61, 20, 1)
	embedded := []points.Points{gpuTestPoints("float32", 61, 3, 2)}
	o := Options{CoRanking: CoRankingOff, PerPoint: true}
	want, err := Compare(t.Context(), original, embedded, o)
	if err != nil {
		t.Fatal(err)
	}
	var parts []*Partial
	var pass *Pass
	for _, d := range []*device.Device{nil, openDevice(t, "cuda")} {
		o.Device = d
		if pass, err = NewPass(original, embedded, o); err != nil {
			t.Fatal(err)
		}
		lo, hi := 0, 30
		if d != nil {
			lo, hi = 30, 61
		}
		part, err := pass.Map(t.Context(), lo, hi)
		if err != nil {
			t.Fatal(err)
		}
		if on := strings.Contains(part.Original.Method, "cuda"); on != (d != nil) {
			t.Errorf("device %v: method %q", d, part.Original.Method)
		}
		parts = append(parts, part)
	}
	got, err := pass.Merge(parts...)
	if err != nil {
		t.Fatal(err)
	}
	if m := got[0].Original.Method; !strings.Contains(m, ", ") || !strings.Contains(m, "cuda") {
		t.Errorf("method %q, want both", m)
	}
	sameButMethod(t, "half on a GPU", got, want)
}

func TestGPUFailures(t *testing.T) {
	reset(t, 1, 100<<10)
	d, _, err := device.Open("cuda")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close() // which fails on a lost device
	original := gpuTestPoints("uint8", 200, 1000, 1)
	embedded := []points.Points{gpuTestPoints("float32", 200, 3, 2)}
	o := Options{CoRanking: CoRankingOff, Device: d}
	_, err = Compare(t.Context(), original, embedded, o)
	if !errors.Is(err, cuda.ErrOutOfMemory) || !strings.Contains(err.Error(), "bytes of device memory") {
		t.Errorf("200 kB of points in 100 kB: %v", err)
	}
	if n := fakecuda.Used(0); n != 0 {
		t.Errorf("%d bytes were not freed", n)
	}
	small := gpuTestPoints("uint8", 20, 10, 1)
	fakecuda.Fail("cuLaunchKernel", 5, 719) // in the second search
	_, err = KNearest(t.Context(), small, 3, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = KNearest(t.Context(), small, 3, o); !errors.Is(err, cuda.ErrDeviceLost) || strings.Contains(err.Error(), "\n") {
		t.Errorf("a device that is lost: %v", err)
	}
}
