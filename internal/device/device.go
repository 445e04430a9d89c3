// Package device chooses the device for encoders and neighborhoods: the CPU or NVIDIA GPUs.
//
//	d, note, err := device.Open("auto")
//	if err != nil {
//		return err
//	}
//	defer d.Close()
//	fmt.Fprintln(os.Stderr, note)
//	e, err := latent.Open("encoder.onnx", latent.OpenOptions{Backend: &model.Backend{Device: d}})
//
// A nil *Device is the CPU. GPUs need a build with the tag cuda (make cuda).
package device

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"repscope/internal/cuda"
)

// ErrNone is the cause of errors that say why there is no GPU to use.
var ErrNone = cuda.ErrNoDevice

// Device is one or more GPUs in use, or the processor.
type Device struct {
	contexts []*cuda.Context
	names    []string
}

// Check reports whether a text names a device: auto, cpu, cuda (the first GPU), or
// a list of GPUs by their ordinals such as cuda:0,cuda:1.
func Check(name string) error {
	_, err := ordinals(name)
	return err
}

// ordinals reads the GPUs that a list names; auto, cpu and cuda name none.
func ordinals(name string) ([]int, error) {
	switch name {
	case "auto", "cpu", "cuda":
		return nil, nil
	}
	var list []int
	seen := map[int]bool{}
	for part := range strings.SplitSeq(name, ",") {
		text, ok := strings.CutPrefix(strings.TrimSpace(part), "cuda:")
		n, err := strconv.Atoi(text)
		switch {
		case !ok || err != nil || n < 0:
			return nil, fmt.Errorf("%q is not a device: want auto, cpu, cuda or a list such as cuda:0,cuda:1", name)
		case seen[n]:
			return nil, fmt.Errorf("%q names cuda:%d twice", name, n)
		}
		seen[n] = true
		list = append(list, n)
	}
	return list, nil
}

// Open opens the named device; see Check. For auto it is the first GPU, or the CPU if there is none; the note, if not
// empty, then gives the reason. A GPU that is named but absent is an error that wraps ErrNone.
func Open(name string) (d *Device, note string, err error) {
	wanted, err := ordinals(name)
	if err != nil || name == "cpu" {
		return nil, "", err
	}
	available, err := cuda.Devices()
	if err != nil {
		if name == "auto" && errors.Is(err, ErrNone) {
			if cuda.Built {
				note = fmt.Sprintf("%v; the CPU is used", err)
			}
			return nil, note, nil
		}
		return nil, "", fmt.Errorf("device %s: %w", name, err)
	}
	if wanted == nil {
		wanted = []int{available[0].Ordinal}
	}
	var chosen []cuda.Device
	for _, n := range wanted {
		exists := false
		for _, a := range available {
			if a.Ordinal == n {
				chosen, exists = append(chosen, a), true
			}
		}
		if !exists {
			var have []string
			for _, a := range available {
				have = append(have, a.String())
			}
			return nil, "", fmt.Errorf("device %s: %w with ordinal %d; there is %s", name, ErrNone, n, strings.Join(have, ", "))
		}
	}
	d = &Device{}
	for _, c := range chosen {
		context, err := cuda.Open(c)
		if err != nil {
			return nil, "", errors.Join(err, d.Close())
		}
		d.contexts = append(d.contexts, context)
		d.names = append(d.names, fmt.Sprintf("cuda:%d %s", c.Ordinal, c.Name))
	}
	return d, "", nil
}

// String names the device for messages and results: cpu, or each GPU's ordinal and name.
func (d *Device) String() string {
	if d == nil {
		return "cpu"
	}
	return strings.Join(d.names, ", ")
}

// Contexts are the GPUs in use; none means the processor.
func (d *Device) Contexts() []*cuda.Context {
	if d == nil {
		return nil
	}
	return d.contexts
}

// Close gives the GPUs back. Whatever uses them must have been closed before.
func (d *Device) Close() error {
	if d == nil {
		return nil
	}
	var all error
	for _, c := range d.contexts {
		all = errors.Join(all, c.Close())
	}
	d.contexts = nil
	return all
}
