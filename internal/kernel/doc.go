// Package kernel holds the matrix kernels shared by the encoder executor and the neighbor search. They are float32 and
// float64 products through packed panels, exact uint8 dot products and squared distances, int16 products that are exact
// within blocks, and a few row reductions. Go assembly for AVX2 and AVX-512, and for the tiles of AMX, is chosen at run
// time; everything has a pure-Go twin.
//
//	// C = A·Bᵀ for row-major A [m×k] and B [n×k].
//	p := kernel.Product[float32]{
//		M: m, N: n, K: k,
//		A: kernel.Rows(a, k), B: kernel.Rows(b, k),
//		C: c, Stride: n,
//	}
//	err := p.Run()
//
// # Numerical contract
//
// The depth 0…K−1 is cut into blocks of [KC] (the last one shorter). Within a block an accumulator starts at +0 and
// takes the products strictly in k order, each with one fused multiply-add, rounded once to the element type:
//
//	s_b = fma(a[k], b[k], s_b)   for k = b·KC … min(K, (b+1)·KC)−1
//
// The first block's partial sum is stored in C, each later one is added to C in block order, with one rounded addition:
//
//	c = s_0;  c = c + s_1;  c = c + s_2;  …
//
// With Accumulate the first one is added to the value C held before. No other operation changes the numbers, so the
// result has the same bits on every path (generic, AVX2, AVX-512), for every tile, blocking and number of threads. Only
// a NaN's sign and payload are unspecified. Subnormals are kept, zeros are not skipped: 0·Inf and 0·NaN give NaN.
//
// Error bound: with u = 2⁻²⁴ (float32) or 2⁻⁵³ (float64) and g = [Additions](K)·u, barring underflow and overflow,
//
//	|c − Σ a[k]·b[k]| ≤ g/(1−g) · Σ |a[k]·b[k]|
//
// (N. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., §3.1 and §4.2). Blocks make the bound much
// smaller than the bound of one running sum: a product passes through at most KC + K/KC roundings.
//
// uint8 products are exact integers on every path: pairs of 16-bit numbers with AVX2, four bytes at a time with VNNI,
// 64 with AMX. The tiles of AMX need a system that permits them. Before they are used, each micro-kernel computes a
// known product; a wrong number, like a refusal, leaves the products to AVX-512. REPSCOPE_KERNEL=avx512 does without
// them.
package kernel
