// Package neighbors measures how well an embedding keeps the neighborhoods of the original space, exactly and over all
// points, without an n × n matrix. Trustworthiness, continuity, MRRE, Q_NX and the co-ranking curves all come from one
// pass, for any number of neighborhood sizes and embedded spaces. The distances of the original space are computed once
// for all of them.
//
//	original := points.Uint8(frames, 64*64)
//	jepa := points.Float32(latents, 64)
//	result, err := neighbors.Compare(ctx, original, []points.Points{jepa}, neighbors.Options{Ks: []int{5, 10, 20}})
//	if err != nil { … }
//	fmt.Println(result[0].ByK[0].Trustworthiness)
//
// # Order of neighbors
//
// The neighbors of point i are ordered by the key of their distance; the point itself is excluded by its index, not
// because it comes first. At equal keys scores are means over all orders, independent in both spaces, unless
// Options.Ties says otherwise; lists of neighbors have the lower index first. A space with ties therefore does not
// score perfectly against itself: equal distances have no order to keep. The key is
//
//   - uint8 points, Euclidean: the squared distance, an exact integer;
//   - float32 and float64 points, Euclidean: the squared distance Σ (x_k − y_k)²
//     of the differences in float64, added in index order in float64;
//   - cosine: 1 − Σ x_k·y_k / √(Σ x_k² · Σ y_k²), the sums exact for uint8 and in
//     index order in float64 otherwise, clamped at 0.
//
// Fast paths use matrix products in float32 with an error bound. Comparisons that the bound cannot decide are decided
// again on these keys, so the ranks always equal the direct float64 computation.
//
// # Splitting the work
//
// A Pass maps a range of points to a Partial and merges Partials to the result. Partials hold integers only, fractions
// in units of 2⁻⁶⁴ (see Fixed). Threads, memory budgets, shards of a cluster job and resumed runs therefore give the
// same bytes for any split.
//
// References: Venna and Kaski 2001 (trustworthiness, continuity); Lee and Verleysen 2009 (co-ranking, Q_NX, LCMC,
// MRRE); Lee, Renard, Bernard, Dupont and Verleysen 2013 (R_NX and its area).
package neighbors
