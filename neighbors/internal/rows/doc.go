// Package rows computes rows of distances, from some points to all points, and answers queries about them: the nearest
// neighbors of a point, and the ranks of others among its candidates. The answers always equal the direct computation
// in float64.
//
//	o := &rows.Options{Metric: rows.Euclidean}
//	s, err := rows.Open(ctx, pts, pts, true, false, o, nil)
//	err = s.Load(ctx, 0, 100)
//	list := s.Worker().Nearest(7, 20, nil)
//
// direct.go is the definition. uint8.go and exact.go hold rows of its keys. bounded.go holds rows of approximations
// with a proven bound; open comparisons are decided by the definition. symmetric.go computes every pair once, layout.go
// divides the memory, tiles.go searches without rows.
package rows
