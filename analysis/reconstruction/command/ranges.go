// The flag of the pixel ranges of predictions.

package command

import (
	"fmt"
	"strings"

	"repscope/dataset"
	"repscope/internal/run"
)

// The words of --predictions-range.
const (
	rangeAuto   = "auto"
	rangeFrames = "frames"
)

// rangeFlag is a pixel range for the predictions of all models, with others for some.
type rangeFlag struct {
	all    string
	given  bool
	names  []string
	byName map[string]string
}

func (f *rangeFlag) String() string {
	if f.all == "" {
		return rangeAuto
	}
	parts := []string{f.all}
	for _, name := range f.names {
		parts = append(parts, run.JoinName(name, f.byName[name]))
	}
	return strings.Join(parts, "; ")
}

func (f *rangeFlag) Get() any { return f.String() }

// Repeats says that the flag may be given several times.
func (f *rangeFlag) Repeats() bool { return true }

// Joins says that a list in a configuration is one value.
func (f *rangeFlag) Joins() bool { return true }

// Set takes a range, or the text of String.
func (f *rangeFlag) Set(text string) error {
	for part := range strings.SplitSeq(text, "; ") {
		if err := f.set(part); err != nil {
			return err
		}
	}
	return nil
}

func (f *rangeFlag) set(text string) error {
	name, value, named := run.CutName(text)
	if value != rangeAuto && value != rangeFrames {
		if _, err := parseRange(value); err != nil {
			return err
		}
	}
	switch _, again := f.byName[name]; {
	case !named && f.given && f.all != value:
		return fmt.Errorf("%q is a second range for all models; want one, and others as NAME=RANGE", f.all)
	case !named:
		f.all, f.given = value, true
		return nil
	case name == "":
		return fmt.Errorf("%q has no model name before the equals sign", text)
	case again && f.byName[name] != value:
		return fmt.Errorf("%s=%s occurs twice", name, f.byName[name])
	}
	if f.byName == nil {
		f.byName = map[string]string{}
	}
	if _, again := f.byName[name]; !again {
		f.names = append(f.names, name)
	}
	f.byName[name] = value
	return nil
}

// of is the range of one model.
func (f *rangeFlag) of(name string) string {
	if v, ok := f.byName[name]; ok {
		return v
	}
	return f.all
}

// parseRange reads LOW,HIGH.
func parseRange(text string) (dataset.PixelRange, error) {
	if err := dataset.CheckPixelRange(text); err != nil || text == "" || text == rangeAuto {
		return dataset.PixelRange{}, fmt.Errorf(
			"%q is not a range, want LOW,HIGH such as 0,1, or frames (range of the frames), or auto", text)
	}
	return dataset.ParsePixelRange(text)
}
