// The encoders that ship inside the binaries, with a predictor and a decoder beside each.

package example

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed weights/*/best_encoder.pth weights/*/predictor.onnx weights/*/decoder.onnx
var files embed.FS

// Models names the shipped encoders: a joint-embedding predictive one and an
// encoder-decoder, both trained on episodes of TrainSeed.
func Models() []string { return []string{"jepa", "encoder_decoder"} }

// Weights is the folder of what ships: <model>/best_encoder.pth, predictor.onnx and
// decoder.onnx for each name of Models. The encoders are PyTorch state dicts in half precision of the
// published ConvEncoder, [B,1,T,64,64] → [B,T,64], for pixels of 0 to 255.
func Weights() fs.FS {
	folder, err := fs.Sub(files, "weights")
	if err != nil {
		panic(err) // the path is a constant and valid
	}
	return folder
}

// Encoder is the content of one model's best_encoder.pth.
func Encoder(model string) ([]byte, error) { return file(model, "encoder", "best_encoder.pth") }

// Predictor is the content of an ONNX file that maps latents of a model (latent, float32
// [B,64]) and the actions taken (action, int64 [B], 0 to 5) to the latents of the next
// frames (next, [B,64]).
func Predictor(model string) ([]byte, error) { return file(model, "predictor", "predictor.onnx") }

// Decoder is the content of an ONNX file that maps latents of a model (latent, float32
// [B,64]) to their frames (frame, [B,64,64], 0 to 255).
func Decoder(model string) ([]byte, error) { return file(model, "decoder", "decoder.onnx") }

func file(model, what, name string) ([]byte, error) {
	content, err := fs.ReadFile(Weights(), model+"/"+name)
	if err != nil {
		return nil, fmt.Errorf("arcade: no %s %q: want one of %s", what, model, strings.Join(Models(), ", "))
	}
	return content, nil
}
