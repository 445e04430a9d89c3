// Package gpu finds neighbor lists and ranks on NVIDIA GPUs: [Search] for lists alone, [Run]
// for the rows of a pass, whose meaning is the business of a [Counter].
//
//	if gpu.Possible(d, pts.N, 0) {
//		result, ok, err := gpu.Search(ctx, d, pts, pts, 10, true, &rows.Options{})
//	}
//
// It is the only package of neighbors that knows CUDA. Builds without the tag cuda have no GPU.
package gpu
