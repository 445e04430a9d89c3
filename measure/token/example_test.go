// The prediction of one masked token.

package token_test

import (
	"fmt"
	"math"

	"repscope/measure/token"
)

// Four tokens with probabilities 1/8, 1/2, 1/8 and 1/4; the truth is token 3, which is second.
func ExamplePredict() {
	logits := []float32{0, float32(math.Log(4)), 0, float32(math.Log(2))} // [V]
	p, err := token.Predict(logits, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("predicted %d, rank %d, correct %v\n", p.Predicted, p.Rank, p.Correct())
	fmt.Printf("NLL %.4f nats, probability %.3f, confidence %.3f, entropy %.4f nats\n", p.NLL, p.Prob, p.Confidence, p.Entropy)
	// Output:
	// predicted 1, rank 1, correct false
	// NLL 1.3863 nats, probability 0.250, confidence 0.500, entropy 1.2130 nats
}
