// Identities of encoders without a file.

package latent

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
)

// hashFloats identifies an encoder by its weights.
func hashFloats(kind string, shape []int, all [][]float32) string {
	hash := sha256.New()
	fmt.Fprint(hash, kind, shape)
	var buffer []byte
	for _, values := range all {
		buffer = buffer[:0]
		for _, v := range values {
			buffer = binary.LittleEndian.AppendUint32(buffer, math.Float32bits(v))
		}
		hash.Write(buffer)
	}
	return hex.EncodeToString(hash.Sum(nil))
}
