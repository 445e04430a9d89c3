// Package torchfile reads files written by PyTorch's torch.save: the zip format and the older one. Nothing in a file is
// ever executed: the pickle inside is interpreted by a small machine that knows tensors, plain Python containers and
// numbers, and a short list of inert classes. Anything else is an error that names it. Tensors stay in the file until
// they are read.
//
//	file, err := torchfile.Open("weights/jepa/best_encoder.pth")
//	if err != nil { … }
//	defer file.Close()
//	state := file.Root().(*torchfile.Dict)
//	for key, value := range state.All() {
//		tensor := value.(*torchfile.Tensor)
//		weights, err := tensor.Float32() // contiguous, strides applied
//	}
package torchfile
