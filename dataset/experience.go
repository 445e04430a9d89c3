// The published experience datasets: datasets/<name>.pth.

package dataset

// Experience is one split of a published dataset, a PyTorch file that holds
// {train_dataset, val_dataset, metadata} with objects of class
// src.data.dataset.ExperienceDataset.
type Experience struct {
	Frames         *Array // float32 [F H W], read lazily
	Actions        *Array // int32 [F], nil when absent
	Rewards        *Array // float32 [F], nil when absent
	Stop           []bool // end-of-episode flag per frame
	SequenceLength int    // window of a state
	ValidStart     []int  // the starts that the file lists, nil when absent
	Split          string // "train" or "val"
}

// OpenExperience opens "FILE", "FILE:val" (the default) or "FILE:train".
func OpenExperience(spec string) (*Experience, error) { return nil, nil }

// States returns the windows of the split by the rule of StateOptions. A zero
// Window means SequenceLength; Episodes and Ends must be unset.
func (e *Experience) States(o StateOptions) (*States, error) { return nil, nil }

// Close releases the file.
func (e *Experience) Close() error { return nil }
