// Package token measures predictions of masked tokens: how well a model fills in the
// positions of a sequence that were hidden from it, by region.
//
//	p, err := token.Predict([]float32{0.5, 2, -1, 0}, 1) // of one position: −ln p, rank, confidence
package token
