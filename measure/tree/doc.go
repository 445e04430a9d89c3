// Package tree compares ordered, labeled trees, such as the nodes of two designs, by their
// edit distance.
//
//	frame, err := tree.New([]string{"FRAME", "TEXT", "GROUP", "TEXT"}, []int{-1, 0, 0, 2})
//	…
//	other, err := tree.New([]string{"FRAME", "TEXT", "TEXT"}, []int{-1, 0, 0})
//	…
//	result, err := tree.Distance(ctx, frame, other, tree.Limits{})
//	fmt.Println(result.Distance, result.Normalized())
//
// Nothing recurses, so that trees may be as deep as they are large. What a comparison takes
// is known before it begins (Need), and is bounded (Limits).
package tree
