// Boxes, and the overlap of boxes and of masks.

package box

// Box is an axis-aligned rectangle of the points X0 ≤ x < X1, Y0 ≤ y < Y1: the pixel in
// column j and row i is {j, i, j+1, i+1}.
type Box struct{ X0, Y0, X1, Y1 float64 }

// Area is the width times the height; 0 for a box that ends before it begins.
func (b Box) Area() float64 { return float64(max(0, b.X1-b.X0) * max(0, b.Y1-b.Y0)) }

// Intersect is the box of the points in both; its area is 0 where there are none.
func (b Box) Intersect(other Box) Box {
	return Box{max(b.X0, other.X0), max(b.Y0, other.Y0), min(b.X1, other.X1), min(b.Y1, other.Y1)}
}

// IoU returns the area of the intersection of two boxes divided by the area of their union (Jaccard
// 1912), in [0, 1]: 1 for equal boxes, 0 for boxes that only touch. NaN for two boxes without area and
// for NaN coordinates.
func IoU(a, b Box) float64 {
	both := a.Intersect(b).Area()
	return both / (a.Area() + b.Area() - both)
}
