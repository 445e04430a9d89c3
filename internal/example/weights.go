// The encoders that ship inside the binaries.

package example

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed weights/*/best_encoder.pth
var files embed.FS

// Models names the shipped encoders: a joint-embedding predictive one and an
// encoder-decoder, both trained on episodes of TrainSeed.
func Models() []string { return []string{"jepa", "encoder_decoder"} }

// Weights is the folder of the shipped encoders: <model>/best_encoder.pth for
// each name of Models. They are PyTorch state dicts in half precision of the
// published ConvEncoder, [B,1,T,64,64] → [B,T,64], for pixels of 0 to 255.
func Weights() fs.FS {
	folder, err := fs.Sub(files, "weights")
	if err != nil {
		panic(err) // the path is a constant and valid
	}
	return folder
}

// Encoder is the content of one model's best_encoder.pth.
func Encoder(model string) ([]byte, error) {
	content, err := fs.ReadFile(Weights(), model+"/best_encoder.pth")
	if err != nil {
		return nil, fmt.Errorf("arcade: no encoder %q: want one of %s", model, strings.Join(Models(), ", "))
	}
	return content, nil
}
