// Structural similarity of frames of bytes in windows of equal weights.

package image

import "repscope/internal/kernel/vector"

// byteWindow is the scratch memory of windows of bytes.
type byteWindow struct {
	sums       vector.ByteMoments
	nothing    []uint8   // the row above the frame
	row, total []float64 // similarities of a row of windows, and their sums over rows
}

// bytesOf is a frame of bytes, nil of another type.
func bytesOf[A Number](frame []A) []uint8 {
	bytes, _ := any(frame).([]uint8)
	return bytes
}

// meanOfBytes is mean of frames of bytes, with the same bits. Interleaved channels are one row, whose
// windows take every element of one channel.
func (s *SSIM) meanOfBytes(dst []float64, a, b []uint8) float64 {
	parts, step := s.shape.Channels, 1
	if s.shape.ChannelsLast {
		parts, step = 1, s.shape.Channels
	}
	n := s.shape.Width * step
	if s.bytes == nil {
		up := (n - (vector.Window-1)*step + vector.Lanes - 1) / vector.Lanes * vector.Lanes
		s.bytes = &byteWindow{vector.NewByteMoments(n, step), make([]uint8, n), make([]float64, up), make([]float64, up)}
	}
	h, w := s.MapSize()
	sum := 0.0
	for part := range parts {
		offset := part * s.shape.Height * n
		var full []float64
		if dst != nil {
			full = dst[part*h*w:]
		}
		s.slideBytes(full, a[offset:][:s.shape.Height*n], b[offset:][:s.shape.Height*n], step)
		for c := range step {
			channel := 0.0
			for j := c; j < w*step; j += step {
				channel += s.bytes.total[j]
			}
			sum += channel / float64(h*w)
		}
	}
	return sum / float64(s.shape.Channels)
}

// slideBytes sums the similarities of interleaved channels, with their maps in dst unless it is nil.
func (s *SSIM) slideBytes(dst []float64, a, b []uint8, step int) {
	h, w := s.MapSize()
	k, n := s.bytes, s.shape.Width*step
	clear(k.sums)
	clear(k.total)
	oldA, oldB := k.nothing, k.nothing
	for r := range s.shape.Height {
		first := r - vector.Window + 1
		if first > 0 {
			oldA, oldB = a[(first-1)*n:][:n], b[(first-1)*n:][:n]
		}
		vector.SlideBytes(k.sums, a[r*n:][:n], b[r*n:][:n], oldA, oldB)
		if first < 0 {
			continue
		}
		vector.ByteSimilarities(k.row, k.total, k.sums, step, s.c1, s.c2)
		if dst == nil {
			continue
		}
		for c := range step {
			to := dst[(c*h+first)*w:][:w]
			for j := range to {
				to[j] = k.row[j*step+c]
			}
		}
	}
}
