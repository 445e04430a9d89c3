// Package cells finds most of the nearest neighbors of very many points: an inverted file of about 2√n cells by
// k-means, with exact distances. The number of cells searched follows from the true neighbors of a few points.
//
//	found, err := cells.Search(ctx, pts, 10, &rows.Options{}, cells.Options{Seed: 1, Exact: exact})
//
// A nil result means that an exact search is as fast.
package cells
