// Connected components of masks.

package box

import "fmt"

// Connectivity says which pixels are neighbors.
type Connectivity int

const (
	Four  Connectivity = 4 // those that share an edge
	Eight Connectivity = 8 // those that share an edge or a corner
)

// Component is a set of connected pixels.
type Component struct {
	Area int     // its pixels
	Box  Box     // the smallest box that holds them
	X, Y float64 // the centroid: mean column and mean row, counted from 0
}

// Components finds the connected components of a mask [height, width]. labels has 0 for
// pixels outside the mask, else 1 + the index of the pixel's component in components;
// components stand in the order of their first pixels, row by row. Masks of another
// size and other connectivities than [Four] and [Eight] are an error. Time and memory
// grow with the pixels alone.
func Components(mask []bool, height, width int,
	neighbors Connectivity) (labels []int32, components []Component, err error) {
	if height < 0 || width < 0 || len(mask) != height*width {
		return nil, nil, fmt.Errorf("components of a mask of %d pixels: want %d × %d", len(mask), height, width)
	}
	if neighbors != Four && neighbors != Eight {
		return nil, nil, fmt.Errorf("components with %d neighbors of a pixel: want 4 or 8", neighbors)
	}
	l := labeler{labels: make([]int32, len(mask)), parent: []int32{0}}
	for y := range height {
		for x := range width {
			if mask[y*width+x] {
				l.join(x, y, width, neighbors)
			}
		}
	}
	return l.labels, l.collect(width), nil
}

// labeler gives pixels provisional labels in one pass and knows which are the same.
type labeler struct {
	labels []int32
	parent []int32 // of provisional labels, never larger than the label; 0 is none
}

// join labels a pixel as its neighbors that came before it.
func (l *labeler) join(x, y, width int, neighbors Connectivity) {
	pixel := y*width + x
	var root int32
	with := func(other int) {
		if l.labels[other] == 0 {
			return
		}
		r := l.find(l.labels[other])
		switch {
		case root == 0:
			root = r
		case r < root:
			l.parent[root], root = r, r
		case root < r:
			l.parent[r] = root
		}
	}
	if x > 0 {
		with(pixel - 1)
	}
	if y > 0 {
		with(pixel - width)
		if neighbors == Eight && x > 0 {
			with(pixel - width - 1)
		}
		if neighbors == Eight && x+1 < width {
			with(pixel - width + 1)
		}
	}
	if root == 0 {
		root = int32(len(l.parent))
		l.parent = append(l.parent, root)
	}
	l.labels[pixel] = root
}

// find is the smallest label that is the same, and shortens the way to it.
func (l *labeler) find(label int32) int32 {
	for l.parent[label] != label {
		l.parent[label] = l.parent[l.parent[label]]
		label = l.parent[label]
	}
	return label
}

// collect numbers the components and measures them.
func (l *labeler) collect(width int) []Component {
	var components []Component
	number := make([]int32, len(l.parent)) // of the component, by its smallest provisional label
	for pixel, label := range l.labels {
		if label == 0 {
			continue
		}
		root := l.find(label)
		x, y := float64(pixel%width), float64(pixel/width)
		if number[root] == 0 {
			components = append(components, Component{Box: Box{x, y, x + 1, y + 1}})
			number[root] = int32(len(components))
		}
		l.labels[pixel] = number[root]
		c := &components[number[root]-1]
		c.Area++
		c.X += x
		c.Y += y
		c.Box = Box{min(c.Box.X0, x), c.Box.Y0, max(c.Box.X1, x+1), y + 1}
	}
	for i := range components {
		components[i].X /= float64(components[i].Area)
		components[i].Y /= float64(components[i].Area)
	}
	return components
}
