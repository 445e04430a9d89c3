// Package neighbors measures how well an embedding keeps the neighborhoods of
// the original space, exactly, over all points and without ever holding an
// n × n matrix. It is the hot loop of the toolkit: trustworthiness, continuity,
// MRRE, Q_NX and the co-ranking curves all come from the same pass, for any
// number of neighborhood sizes and any number of embedded spaces, and the
// distances of the original space are computed once for all of them.
//
//	original := points.Uint8(frames, 64*64)
//	jepa := points.Float32(latents, 64)
//	result, err := neighbors.Compare(ctx, original, []points.Points{jepa}, neighbors.Options{Ks: []int{5, 10, 20}})
//	if err != nil { … }
//	fmt.Println(result[0].ByK[0].Trustworthiness)
//
// # Order of neighbors
//
// The neighbors of point i are ordered by the key of their distance; the point itself is
// left out by its identity, not because it comes first. At equal keys scores are means
// over all orders, independent in both spaces, unless Options.Ties says otherwise; lists of
// neighbors have the lower index first. A space with ties is therefore not perfect beside
// itself: what is equally far has no order that could be kept. The key is
//
//   - uint8 points, Euclidean: the squared distance, an exact integer;
//   - float32 and float64 points, Euclidean: the squared distance Σ (x_k − y_k)²
//     of the differences in float64, added in index order in float64;
//   - cosine: 1 − Σ x_k·y_k / √(Σ x_k² · Σ y_k²), the sums exact for uint8 and in
//     index order in float64 otherwise, clamped at 0.
//
// Whatever is done for speed (matrix products in float32 with an error bound),
// every comparison the bound cannot decide is decided again on these keys, so
// that the ranks are those of the direct float64 computation, always.
//
// # Splitting the work
//
// A Pass maps a range of points to a Partial and merges Partials to the result.
// Partials hold integers only, fractions in units of 2⁻⁶⁴ (see Fixed), so that threads, memory
// budgets, shards of a cluster job and resumed runs give the same bytes for any split.
//
// References: Venna and Kaski 2001 (trustworthiness, continuity); Lee and
// Verleysen 2009 (co-ranking, Q_NX, LCMC, MRRE); Lee, Renard, Bernard, Dupont
// and Verleysen 2013 (R_NX and its area).
package neighbors
