//go:build !amd64 || noasm

package cpu

func logistic(dst, src []float32, unit bool) { logisticGeneric(dst, src, unit) }

func relu(dst, src []float32) { reluGeneric(dst, src) }

// addTo adds x to dst, element by element.
func addTo(dst, x []float32) { addToGeneric(dst, x) }
