// The first stage of eigenvalues: a full symmetric matrix becomes a band, by products.

package spectrum

import "repscope/internal/kernel"

// reduction is the state of reduceToBand.
type reduction struct {
	n, b, threads int
	a             []float64
	// stride is the length of rows over the columns of the trailing matrix.
	stride int
	// rows are b rows N, b rows V and N once more: V·A + N·V and so on read two neighbors at a time.
	rows []float64
	// panel is the part of the rows that are being reduced which lies beyond the band.
	panel []float64
	y     []float64 // the trailing matrix times Vᵀ
	small [3][]float64
	tau   []float64
}

// reduceToBand reduces the symmetric n × n matrix a, given by its upper triangle, to b diagonals above the main one,
// which take the place of the triangle's; what lies beyond them is undefined then.
//
// The rows of a panel beyond the band are made triangular by b reflections, I − Vᵀ·T·V as one with the vectors in the
// rows of V. With X = A·Vᵀ·T for the trailing matrix A, and N = ½·Vᵀ·Tᵀ·V·X − X, this is brought up to date by
// A + Vᵀ·Nᵀ + N·V.
func reduceToBand(a []float64, n, b, threads int) error {
	if n < b+2 {
		return nil
	}
	widest := roundUp(n-b, kernel.PairDepth)
	r := &reduction{n: n, b: b, threads: threads, a: a, rows: make([]float64, 3*b*widest), panel: make([]float64, b*widest),
		y: make([]float64, (n-b)*b), tau: make([]float64, b)}
	for i := range r.small {
		r.small[i] = make([]float64, b*b)
	}
	for first := 0; n-first-b > 1; first += b {
		if err := r.step(first); err != nil {
			return err
		}
	}
	return nil
}

func roundUp(n, multiple int) int { return (n + multiple - 1) / multiple * multiple }

// step reduces the rows from first on, and brings what lies beyond them up to date.
func (r *reduction) step(first int) error {
	b, m := r.b, r.n-first-r.b
	r.stride = roundUp(m, kernel.PairDepth)
	r.reflectPanel(first, m)
	// The rest of a row of V is zero, and so are the terms added there.
	trailing := r.a[(first+b)*r.n+first+b:]
	v, n := r.rows[b*r.stride:][:b*r.stride], r.rows[:b*r.stride]
	t, s, u := r.small[0], r.small[1], r.small[2]
	product := func(p kernel.Product[float64]) error {
		p.Threads = r.threads
		return p.Run()
	}
	if err := product(kernel.Product[float64]{M: b, N: b, K: m, A: kernel.Rows(v, r.stride), B: kernel.Rows(v, r.stride), C: s, Stride: b}); err != nil {
		return err
	}
	r.negatedFactor(t, s)
	for _, p := range []kernel.Product[float64]{
		{M: m, N: b, K: m, A: kernel.Packing(&symmetricRows{trailing, r.n}), B: kernel.Rows(v, r.stride), C: r.y, Stride: b},
		{M: b, N: m, K: b, A: kernel.Columns(t, b), B: kernel.Rows(r.y, b), C: n, Stride: r.stride}, // −Xᵀ
		{M: b, N: b, K: m, A: kernel.Rows(v, r.stride), B: kernel.Rows(n, r.stride), C: u, Stride: b},
		{M: b, N: b, K: b, A: kernel.Columns(t, b), B: kernel.Columns(u, b), C: s, Stride: b},
	} {
		if err := product(p); err != nil {
			return err
		}
	}
	for i, x := range s {
		s[i] = x / 2
	}
	if err := product(kernel.Product[float64]{M: b, N: m, K: b, A: kernel.Rows(s, b), B: kernel.Columns(v, r.stride),
		C: n, Stride: r.stride, Accumulate: true}); err != nil {
		return err
	}
	copy(r.rows[2*b*r.stride:], n)
	return product(kernel.Product[float64]{M: m, N: m, K: 2 * b, A: kernel.Columns(r.rows[b*r.stride:], r.stride),
		B: kernel.Columns(r.rows, r.stride), C: trailing, Stride: r.n, Accumulate: true, Upper: true})
}

// reflectPanel makes the panel of m columns triangular and writes it back; V and τ are what does it.
func (r *reduction) reflectPanel(first, m int) {
	b, stride := r.b, r.stride
	panel, v := r.panel[:b*stride], r.rows[b*stride:][:b*stride]
	for i := range b {
		row := panel[i*stride:][:stride]
		copy(row, r.a[(first+i)*r.n+first+b:][:m])
		clear(row[m:])
	}
	clear(v)
	for i := range b {
		r.tau[i] = 0
		if i >= m {
			continue
		}
		row, u := panel[i*stride:][:stride], v[i*stride:][:stride]
		copy(u[i+1:], row[i+1:])
		row[i], r.tau[i] = reflect(u, row[i], i)
		clear(row[i+1:])
		from := i / kernel.PairDepth * kernel.PairDepth
		for k := i + 1; k < b && r.tau[i] != 0; k++ {
			x := panel[k*stride+from : (k+1)*stride]
			kernel.AddScaled(x, u[from:], -r.tau[i]*kernel.Dot(x, u[from:]))
		}
	}
	for i := range b {
		copy(r.a[(first+i)*r.n+first+b:][:m], panel[i*stride:])
	}
}

// negatedFactor sets t to −T from the products of the vectors of the reflections, Σ over H₀·H₁·…
func (r *reduction) negatedFactor(t, products []float64) {
	b := r.b
	clear(t)
	for i, tau := range r.tau {
		for k := range i {
			sum := 0.0
			for l := k; l < i; l++ {
				sum += float64(t[k*b+l] * products[l*b+i])
			}
			t[k*b+i] = -tau * sum
		}
		t[i*b+i] = -tau
	}
}

// symmetricRows are the rows of a symmetric matrix given by its upper triangle.
type symmetricRows struct {
	a      []float64
	stride int
}

// Pack writes rows first … first+count−1 at the columns k … k+depth−1 into panels.
func (s *symmetricRows) Pack(dst []float64, width, first, count, k, depth int) {
	switch {
	case k+depth <= first:
		kernel.PackColumns(dst, width, s.a[k*s.stride+first:], s.stride, count, depth)
		return
	case k >= first+count:
		kernel.PackRows(dst, width, s.a[first*s.stride+k:], s.stride, count, depth)
		return
	}
	for q := 0; q < count; q += width {
		n := min(width, count-q)
		row := first + q
		panel := dst[q*depth:][:width*depth]
		// Left of the diagonal block stand the columns above it.
		left := min(max(row-k, 0), depth)
		right := min(max(row+n-k, 0), depth)
		if left > 0 {
			kernel.PackColumns(panel, width, s.a[k*s.stride+row:], s.stride, n, left)
		}
		for d := left; d < right; d++ {
			to := panel[d*width:][:width]
			clear(to)
			for i := range n {
				to[i] = s.a[min(row+i, k+d)*s.stride+max(row+i, k+d)]
			}
		}
		if right < depth {
			kernel.PackRows(panel[right*width:], width, s.a[row*s.stride+k+right:], s.stride, n, depth-right)
		}
	}
}
