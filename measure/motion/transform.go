// Fourier transforms of series whose lengths are powers of two.

package motion

import "math"

// fourier transforms complex series of a length that is a power of two: by passes of radix 4, after one of radix 2
// where the length asks for it; each sorts its output (Stockham). Every operation is rounded on its own,
// so that the outcome is the same on every processor, and equals the outcome of FFTPACK's passes.
type fourier struct {
	passes []pass
	work   []complex128
}

// pass combines radix parts, each in groups of length values.
type pass struct {
	radix, groups, length int
	// turns are the factors of the values of the second part, and of the third and the fourth, side by side for each
	// value.
	turns []complex128
}

// newFourier prepares transforms of n values, a power of two.
func newFourier(n int) *fourier {
	f := &fourier{work: make([]complex128, n)}
	angle := 2 * math.Pi / float64(n)
	for groups := 1; groups < n; {
		p := pass{radix: 4, groups: groups}
		for rest := n / groups; groups == 1 && rest > 1; rest /= 4 {
			if rest == 2 {
				p.radix = 2
			}
		}
		groups *= p.radix
		p.length = n / groups
		p.turns = make([]complex128, 0, (p.radix-1)*p.length)
		for i := range p.length {
			for part := 1; part < p.radix; part++ {
				at := float64(i) * (float64(part*p.groups) * angle)
				p.turns = append(p.turns, complex(math.Cos(at), -math.Sin(at)))
			}
		}
		f.passes = append(f.passes, p)
	}
	return f
}

// transform replaces x_t by Σ_s x_s·e^{−2πist/n}.
func (f *fourier) transform(x []complex128) {
	from, to := x, f.work
	for i := range f.passes {
		if p := &f.passes[i]; p.radix == 2 {
			p.two(from, to)
		} else if p.length == 1 {
			p.fourOfOne(from, to)
		} else {
			p.four(from, to)
		}
		from, to = to, from
	}
	if len(f.passes)%2 != 0 {
		copy(x, f.work)
	}
}

// times is a·b without fused operations.
func times(a, b complex128) complex128 {
	return complex(float64(real(a)*real(b))-float64(imag(a)*imag(b)), float64(real(a)*imag(b))+float64(imag(a)*real(b)))
}

func (p *pass) two(from, to []complex128) {
	n := p.length
	for g := range p.groups {
		a, b := from[2*g*n:][:n], from[(2*g+1)*n:][:n]
		sum, difference, turns := to[g*n:][:n], to[(g+p.groups)*n:][:n], p.turns[:n]
		for i, x := range a {
			y := b[i]
			sum[i], difference[i] = x+y, times(turns[i], x-y)
		}
	}
}

func (p *pass) four(from, to []complex128) {
	n := p.length
	for g := range p.groups {
		a, b := from[4*g*n:][:n], from[(4*g+1)*n:][:n]
		c, d := from[(4*g+2)*n:][:n], from[(4*g+3)*n:][:n]
		first, second := to[g*n:][:n], to[(g+p.groups)*n:][:n]
		third, fourth := to[(g+2*p.groups)*n:][:n], to[(g+3*p.groups)*n:][:n]
		turns := p.turns
		for i := 0; i < n && len(turns) >= 3; i++ {
			w, x, y, z := butterfly(a[i], b[i], c[i], d[i])
			first[i], second[i], third[i], fourth[i] = w, times(turns[0], x), times(turns[1], y), times(turns[2], z)
			turns = turns[3:]
		}
	}
}

// fourOfOne is four for groups of one value, which are not turned.
func (p *pass) fourOfOne(from, to []complex128) {
	n := p.groups
	first, second, third, fourth := to[:n], to[n:][:n], to[2*n:][:n], to[3*n:][:n]
	for g := range first {
		v := from[4*g:][:4]
		first[g], second[g], third[g], fourth[g] = butterfly(v[0], v[1], v[2], v[3])
	}
}

// butterfly is the transform of four values.
func butterfly(a, b, c, d complex128) (first, second, third, fourth complex128) {
	difference, sum, others, turned := a-c, a+c, b+d, d-b
	turned = complex(-imag(turned), real(turned))
	return sum + others, difference + turned, sum - others, difference - turned
}
