//go:build amd64 && !noasm

// The choice between the generated functions of categories.

package vector

func distribution(x []float32, top float64) (sum, weighted, squares float64) {
	if !useAVX2 {
		return distributionGeneric(x, top)
	}
	var sums [3]float64
	if useAVX512 {
		distributionAVX512(&x[0], len(x), top, &sums)
	} else {
		distributionAVX2(&x[0], len(x), top, &sums)
	}
	return sums[0], sums[1], sums[2]
}

func standing(x []float32, logit float32) (top float32, first, larger, equal int) {
	if !useAVX2 {
		return standingGeneric(x, logit)
	}
	return standingAVX2(&x[0], len(x), logit)
}
