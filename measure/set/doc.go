// Package set measures collections of finite sets, such as binary grids: how much two of
// them overlap, how different the sets of a collection are from each other, how many are
// distinct, and how many are new against a reference.
//
//	grids, err := set.FromPoints(p, 0.5) // p: points.Points, [N, C]; in where a value exceeds 0.5
//	pairs, err := grids.Pairwise(ctx, 0)
//	fmt.Println(pairs.Hamming.Mean()/594, grids.Distinct().Ratio())
//	nearest, err := grids.Nearest(ctx, training, 0)
//	fmt.Println(stat.Mean(nearest.Jaccard), nearest.Novel())
//
// Sets are packed into bits. Distances of pairs are integers, and similarities are added
// as integers of 2⁻⁴⁰, so that sums over any division of the pairs merge to the same
// bytes.
package set
