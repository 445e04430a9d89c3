// Package tex stands for boxes of formulas.
package tex

// A Node is a box.
type Node interface {
	Width() float64
	Height() float64
	Depth() float64
}

// A Tree is a box with others in it.
type Tree interface{ Node }

// Ship would draw boxes.
type Ship struct{}

// Call draws nothing.
func (*Ship) Call(_, _ float64, _ Tree) {}
