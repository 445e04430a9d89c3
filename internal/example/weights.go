// The encoders inside the binaries, each with a predictor and a decoder.

package example

import (
	"bytes"
	"compress/bzip2"
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

// A variable for each kind, so that a binary holds only the models of its analyses, compressed: see train/round.py.
var (
	//go:embed weights/*/best_encoder.pth.bz2
	encoders embed.FS
	//go:embed weights/*/predictor.onnx.bz2
	predictors embed.FS
	//go:embed weights/*/decoder.onnx.bz2
	decoders embed.FS
)

// Models names the shipped encoders: a joint-embedding predictive one and an
// encoder-decoder, both trained on episodes of TrainSeed.
func Models() []string { return []string{"jepa", "encoder_decoder"} }

// Encoder is the content of one model's best_encoder.pth: a PyTorch state dict in half
// precision of the published ConvEncoder, [B,1,T,64,64] → [B,T,64], for pixels of 0 to 255.
func Encoder(model string) ([]byte, error) {
	return file(encoders, model, "encoder", "best_encoder.pth")
}

// Predictor is the content of an ONNX file that maps latents of a model (latent, float32 [B,64]) and the actions taken
// (action, int64 [B], 0 to 5) to the latents of the next frames (next, [B,64]).
func Predictor(model string) ([]byte, error) {
	return file(predictors, model, "predictor", "predictor.onnx")
}

// Decoder is the content of an ONNX file that maps latents of a model (latent, float32
// [B,64]) to their frames (frame, [B,64,64], 0 to 255).
func Decoder(model string) ([]byte, error) { return file(decoders, model, "decoder", "decoder.onnx") }

// unpacked are the contents of files already used: the tasks of a study use the same ones, and unpacking takes longer
// than the rest of opening a model.
var unpacked sync.Map // of functions func() ([]byte, error), by path

func file(files embed.FS, model, what, name string) ([]byte, error) {
	path := "weights/" + model + "/" + name + ".bz2"
	packed, err := files.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("arcade: no %s %q: want one of %s", what, model, strings.Join(Models(), ", "))
	}
	once, _ := unpacked.LoadOrStore(path, sync.OnceValues(func() ([]byte, error) { return io.ReadAll(bzip2.NewReader(bytes.NewReader(packed))) }))
	content, err := once.(func() ([]byte, error))()
	return slices.Clone(content), err // the caller's own
}
