// Package dimension estimates the intrinsic dimension of points from the distances to
// their nearest neighbors: Two-NN, Gride and Levina–Bickel, without duplicates, on
// random subsets, and without each block of dependent points.
//
//	z, err := neighbors.NewSpace("latents", pts, neighbors.Euclidean) // pts: points.Points, [N, D]
//	d, err := dimension.NewDistinct(ctx, z, 64, dimension.Within(1e-7*rms), dimension.Search{})
//	twoNN, err := dimension.NewTwoNN(d.Ratios(1, 2))
//	gride, err := dimension.Gride(d.Ratios(32, 64), 32, 64)
//	fmt.Println(twoNN.MLE, twoNN.MLECI, gride)
//
// The estimates are of the set at the scale of those distances: [Distinct.Decimate]
// and higher orders show how they change with it. Points of one path are neighbors
// in time first; the exclusion window of [Search].Options leaves those out.
package dimension
