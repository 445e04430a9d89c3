// The published experience datasets: datasets/<name>.pth.

package dataset

import (
	"errors"
	"fmt"
	"strings"

	"repscope/internal/torchfile"
)

// experience is one split of a published dataset, a PyTorch file that holds
// {train_dataset, val_dataset, metadata} with objects of class
// src.data.dataset.ExperienceDataset.
type experience struct {
	Frames         *Array // float32 [F H W], read lazily
	Actions        *Array // int32 [F], nil when absent
	Rewards        *Array // float32 [F], nil when absent
	Stop           []bool // end-of-episode flag per frame
	SequenceLength int    // window of a state
	ValidStart     []int  // the starts that the file lists, nil when absent
	Split          string // "train" or "val"

	file *torchfile.File
}

// splits maps the name of a split to its key in the file.
var splits = map[string]string{"train": "train_dataset", "val": "val_dataset"}

// isExperience reports whether the root of a file is a published dataset.
func isExperience(root any) bool {
	if o, ok := root.(*torchfile.Object); ok {
		return o.Class == torchfile.ExperienceDataset
	}
	d, ok := root.(*torchfile.Dict)
	if !ok {
		return false
	}
	for _, key := range splits {
		if v, ok := d.Get(key); ok {
			if o, ok := v.(*torchfile.Object); ok && o.Class == torchfile.ExperienceDataset {
				return true
			}
		}
	}
	return false
}

// experienceSplit returns the object of a split; "" means "val". A file that is
// one dataset by itself has no splits.
func experienceSplit(path string, root any, split string) (*torchfile.Object, string, error) {
	if o, ok := root.(*torchfile.Object); ok {
		if split != "" {
			return nil, "", fmt.Errorf("%s: has one dataset, without the split %q", path, split)
		}
		return o, "", nil
	}
	if split == "" {
		split = "val"
	}
	key, ok := splits[split]
	if !ok {
		return nil, "", fmt.Errorf("%s: no split %q, want val or train", path, split)
	}
	v, _ := root.(*torchfile.Dict).Get(key)
	o, ok := v.(*torchfile.Object)
	if !ok || o.Class != torchfile.ExperienceDataset {
		return nil, "", fmt.Errorf("%s: %s is a %s, want an object of class %s", path, key, torchfile.TypeName(v), torchfile.ExperienceDataset)
	}
	return o, split, nil
}

// experienceArray returns an attribute of a split as an array. The states lose
// the leading axis of length 1 that some versions write.
func experienceArray(path, split, attribute string, o *torchfile.Object) (*Array, error) {
	key := attribute
	if split != "" {
		key = split + "." + attribute
	}
	v, ok := o.Attribute(attribute)
	if !ok {
		return nil, fmt.Errorf("%s: %s has no attribute %q; want states, actions, rewards or stop_episodes",
			path, o.Class, attribute)
	}
	switch v := v.(type) {
	case *torchfile.Tensor:
		if attribute == "states" && len(v.Shape) == 4 && v.Shape[0] == 1 {
			frames, err := v.Select(0)
			if err != nil {
				return nil, fmt.Errorf("%s:%s: %w", path, key, err)
			}
			v = frames
		}
		return tensorArray(path, key, v)
	case []any:
		return listArray(path, key, v)
	}
	return nil, fmt.Errorf("%s: array %q is a %s, want a tensor", path, key, torchfile.TypeName(v))
}

// ExperienceAttribute is the spec of an attribute, "actions" or "rewards", of the split of
// a published dataset that the spec of frames names: "FILE:val.rewards" for "FILE". It is
// empty where these frames are none of such a dataset, or it lacks the attribute.
func ExperienceAttribute(frames, attribute string) string {
	path, split := SplitSpec(frames)
	file, err := torchfile.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	if !isExperience(file.Root()) {
		return ""
	}
	split = strings.TrimSuffix(split, ".states")
	o, split, err := experienceSplit(path, file.Root(), split)
	if err != nil {
		return ""
	}
	if v, ok := o.Attribute(attribute); !ok || v == nil {
		return ""
	}
	if split != "" {
		attribute = split + "." + attribute
	}
	return path + ":" + attribute
}

// experienceAttributes are the arrays of a split by their names.
var experienceAttributes = []string{"states", "actions", "rewards", "stop_episodes", "valid_start_indices"}

func readExperience(file *torchfile.File, split string) (*experience, error) {
	path := file.Path()
	if !isExperience(file.Root()) {
		return nil, fmt.Errorf("%s: not an experience dataset: want a dict of train_dataset and val_dataset of class %s",
			path, torchfile.ExperienceDataset)
	}
	o, split, err := experienceSplit(path, file.Root(), split)
	if err != nil {
		return nil, err
	}
	e := &experience{Split: split, file: file}
	name := path
	if split != "" {
		name += ":" + split
	}
	if e.Frames, err = experienceArray(path, split, "states", o); err != nil {
		return nil, err
	}
	if shape := e.Frames.Shape(); len(shape) != 3 {
		return nil, fmt.Errorf("%s: shape %v, want [F H W] or [1 F H W]", e.Frames.Name(), shape)
	}
	length, ok := o.Attribute("sequence_length")
	n, isInt := length.(int64)
	if !ok || !isInt || n < 1 || n > int64(e.Frames.Len()) {
		return nil, fmt.Errorf("%s: sequence_length is %v, want a number from 1 to the %d frames",
			name, length, e.Frames.Len())
	}
	e.SequenceLength = int(n)
	if e.Stop, err = e.readStop(path, o); err != nil {
		return nil, err
	}
	for _, optional := range []struct {
		attribute string
		array     **Array
	}{{"actions", &e.Actions}, {"rewards", &e.Rewards}} {
		if v, ok := o.Attribute(optional.attribute); !ok || v == nil {
			continue
		}
		if *optional.array, err = experienceArray(path, split, optional.attribute, o); err != nil {
			return nil, err
		}
		if err := e.matches(*optional.array); err != nil {
			return nil, err
		}
	}
	e.ValidStart, err = e.readStarts(path, o)
	return e, err
}

// readStop returns the flags that end an episode.
func (e *experience) readStop(path string, o *torchfile.Object) ([]bool, error) {
	stop, err := experienceArray(path, e.Split, "stop_episodes", o)
	if err != nil {
		return nil, err
	}
	if err := e.matches(stop); err != nil {
		return nil, err
	}
	values := make([]int64, stop.Len())
	if err := stop.ReadInt64(values, 0, len(values)); err != nil {
		return nil, err
	}
	flags := make([]bool, len(values))
	for i, v := range values {
		if v != 0 && v != 1 {
			return nil, fmt.Errorf("%s: element %d is %d, want 0 or 1", stop.Name(), i, v)
		}
		flags[i] = v == 1
	}
	return flags, nil
}

// readStarts returns the starts that the file lists, nil when it lists none.
func (e *experience) readStarts(path string, o *torchfile.Object) ([]int, error) {
	if v, ok := o.Attribute("valid_start_indices"); !ok || v == nil {
		return nil, nil
	}
	starts, err := experienceArray(path, e.Split, "valid_start_indices", o)
	if err != nil {
		return nil, err
	}
	values := make([]int64, starts.Len()*starts.RowLen())
	if err := starts.ReadInt64(values, 0, starts.Len()); err != nil {
		return nil, err
	}
	list := make([]int, len(values))
	for i, v := range values {
		if v < 0 || v >= int64(e.Frames.Len()) {
			return nil, fmt.Errorf("%s: element %d is %d, want a frame below %d", starts.Name(), i, v, e.Frames.Len())
		}
		list[i] = int(v)
	}
	return list, nil
}

// matches checks that an array has one value per frame.
func (e *experience) matches(a *Array) error {
	if len(a.Shape()) < 1 || a.Len() != e.Frames.Len() || a.RowLen() != 1 {
		return fmt.Errorf("%s: shape %v, want one value for each of the %d frames", a.Name(), a.Shape(), e.Frames.Len())
	}
	return nil
}

// States returns the windows of the split by the rules of StateOptions, and pairs by the rule of published datasets:
// with all states present, Pairs(1) begin at ValidStart. A zero Window means SequenceLength; Episodes and Ends must be
// unset.
func (e *experience) States(o StateOptions) (*States, error) {
	if o.Episodes != nil || o.Ends != nil {
		return nil, errors.New("an experience dataset has its own episodes; leave --episodes out")
	}
	if o.Window == 0 {
		o.Window = e.SequenceLength
	}
	o.Ends, o.PairsBeforeEnd = e.Stop, true
	return NewStates(e.Frames, o)
}

// Close releases the file.
func (e *experience) Close() error { return e.file.Close() }
