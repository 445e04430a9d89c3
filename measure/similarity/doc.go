// Package similarity compares latent spaces of the same points: linear CKA, the
// orthogonal Procrustes distance, and the rank correlation of distances (RSA).
// Dimensions may differ; none of the measures changes when a space is rotated,
// scaled or moved.
//
//	x, err := similarity.NewSpace(a, nil) // a: points.Points, [N, D]; nil: no blocks
//	y, err := similarity.NewSpace(b, nil) // b: [N, E]
//	s, err := similarity.Compare(x, y)
//	pairs, err := similarity.DrawPairs(x.Len(), 2_000_000, seed)
//	ranks, err := similarity.RSA(ctx, []*similarity.Space{x, y}, pairs, 0)
//	fmt.Println(s.CKA.Value, s.Procrustes.Value, ranks[0].Value)
//
// Given blocks of dependent points, every measure also comes without each block in
// turn, for a delete-block jackknife, at the cost of a few passes.
package similarity
