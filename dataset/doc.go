// Package dataset reads arrays and frame sets from disk and presents them as
// sequences of states: .npy, .npz, .safetensors, folders of PNG and JPEG
// files, PyTorch files and the published experience datasets. Large files are
// mapped or read row by row, never loaded whole.
//
//	frames, err := dataset.Open("val.npz:frames")          // an Array, say uint8 [N 84 84]
//	if err != nil { … }
//	defer frames.Close()
//	states, err := dataset.NewStates(frames, dataset.StateOptions{Window: 4})
//	if err != nil { … }
//	batch := make([]float32, 64*states.Size())
//	err = states.Float32(batch, 0, 64)                     // states 0..63, [64 4 84 84]
//	for _, pair := range states.Pairs(1) { … }             // consecutive, never across episodes
package dataset
