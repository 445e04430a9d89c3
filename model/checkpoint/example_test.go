// The example of the package.

package checkpoint

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"repscope/internal/torchfile/torchtest"
)

// A training checkpoint with the state dict of an encoder.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "checkpoint")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	var b bytes.Buffer
	if err := torchtest.Encode(&b, torchtest.Dict{{Key: "encoder_state_dict", Value: weights(1, "")}, {Key: "epoch", Value: 3}}); err != nil {
		log.Fatal(err)
	}
	path := filepath.Join(dir, "encoder.pth")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		log.Fatal(err)
	}
	network, err := Open(path, Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer network.Close()
	fmt.Println(network.Architecture, network.Chosen, network.Parameters)
	// Output: ConvEncoder encoder_state_dict 499
}
