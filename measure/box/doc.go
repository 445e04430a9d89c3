// Package box finds objects in masks and matches them: overlap of boxes and of masks,
// connected components, assignments of least cost and matchings of the largest weight; and it
// measures what many boxes cover together and which of them are aligned.
//
//	labels, found, err := box.Components(mask, 84, 84, box.Eight)
//	…
//	overlap := box.IoU(found[0].Box, box.Box{X0: 10, Y0: 20, X1: 14, Y1: 24})
//	match, cost, err := box.Assign([]float64{1 - overlap}, 1, 1)
//
// Coordinates are image coordinates: x counts columns to the right, y rows downward.
package box
