// Package vector holds the loops over rows of float32 that the encoder executor needs besides the products of package
// kernel. They are elementary functions, arithmetic with broadcasting, the exponentials of a softmax, normalization,
// reductions, rotations, convolutions of few channels per group, and the bias and activation after a product. It also
// has the sliding windows of the structural similarity of images, in float64 and in integers of bytes, and weighted
// sums of rows of bytes.
//
//	vector.Gelu(dst, src)                // dst[i] = src[i]·Φ(src[i])
//	sum := vector.SoftmaxRow(scores, 1)  // scores[i] ← exp(scores[i] − max); multiply by 1/sum for the softmax
//
// Go assembly for AVX2 and AVX-512 follows the choice of package kernel at run time ([kernel.Name]), so that one
// variable forces the portable code everywhere. The assembly takes elements in groups of [Lanes] and keeps as many
// partial sums. The portable twins do the same, with the same fused multiply-adds, so that every path gives the same
// bits. Twins use only operations that every machine rounds alike: products are converted explicitly, so that no
// compiler fuses them.
package vector

// Lanes is the number of elements that the functions take together.
const Lanes = 16
