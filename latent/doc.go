// Package latent turns frames into latents. It opens an encoder (an ONNX file, a PyTorch checkpoint or a safetensors
// file of a known architecture, or a baseline), streams states through it in batches and returns one latent vector per
// state. Package latent/dense does the same with tensors of gorgonia.org/tensor.
//
//	encoder, err := latent.Open("weights/jepa/best_encoder.pth", latent.OpenOptions{})
//	if err != nil {
//		return err
//	}
//	defer encoder.Close()
//	z, err := latent.Latents(ctx, encoder, states, latent.EncodeOptions{Batch: 64})
//	// z.F32 are z.N latents of z.Dim dimensions, row-major
//
// Latents do not depend on the batch size or on the number of threads: a row has the same bits whatever rows it is
// encoded with.
package latent
