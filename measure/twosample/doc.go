// Package twosample measures how far two samples are apart: in one dimension the Wasserstein and Kolmogorov–Smirnov
// distances, in many the energy distance, the maximum mean discrepancy and the Fréchet distance of Gaussians; with
// permutation tests, and the distance of two halves of one sample as a reference for any of them.
//
//	w, err := twosample.Wasserstein1(generated, real)
//	ks, err := twosample.KolmogorovSmirnov(generated, real)
//	d, err := twosample.Energy(ctx, x, y, twosample.Options{Permutations: 999, Seed: 42})
//	fmt.Println(w, ks.P, d.Root().Value, d.P)
//
// The first sample is x, the second y; every distance is symmetric unless it says
// otherwise. Matrices of pairs are never held: they are added up in tiles, between units
// of points that a permutation keeps together.
package twosample
