// Brightness and color of frames of red, green and blue.

package image

// The weights of red, green and blue in the brightness (ITU-R BT.601) and in the two colors of NTSC, as published code
// for image quality rounds them.
var (
	lumaWeights  = [3]float64{0.299, 0.587, 0.114}
	inPhase      = [3]float64{0.596, -0.274, -0.322}
	inQuadrature = [3]float64{0.211, -0.523, 0.312}
)

// Luma returns the brightness 0.299·R + 0.587·G + 0.114·B [height, width] of a frame of three channels, in units of its
// pixels, not rounded; of a frame of one channel the channel. Nil for other numbers of channels and for frames of
// another size than the shape.
func Luma[A Number](shape Shape, frame []A) []float64 {
	if !shape.valid() || len(frame) != shape.Size() {
		return nil
	}
	switch shape.Channels {
	case 1:
		out := make([]float64, len(frame))
		for i, v := range frame {
			out[i] = float64(v)
		}
		return out
	case 3:
		return mixed(shape, frame, lumaWeights)
	}
	return nil
}

// mixed is a sum of the three channels.
func mixed[A Number](shape Shape, frame []A, w [3]float64) []float64 {
	channel, pixel := shape.strides()
	out := make([]float64, shape.Height*shape.Width)
	if bytes := bytesOf(frame); bytes != nil {
		mixBytes(out, bytes, channel, pixel, w)
		return out
	}
	red, green, blue := frame, frame[channel:], frame[2*channel:]
	// The end of the last channel is the end of the frame, whatever the order of channels.
	last := (len(out) - 1) * pixel
	_, _, _ = red[last], green[last], blue[last]
	for i, at := 0, 0; i < len(out); i, at = i+1, at+pixel {
		out[i] = float64(w[0]*float64(red[at])) + float64(w[1]*float64(green[at])) + float64(w[2]*float64(blue[at]))
	}
	return out
}

// mixBytes is the sum of channels of bytes, each from a table of its products.
func mixBytes(out []float64, frame []uint8, channel, pixel int, w [3]float64) {
	var table [3][256]float64
	for c := range table {
		for v := range table[c] {
			table[c][v] = float64(w[c] * float64(v))
		}
	}
	red, green, blue := frame, frame[channel:], frame[2*channel:]
	last := (len(out) - 1) * pixel
	_, _, _ = red[last], green[last], blue[last]
	for i, at := 0, 0; i < len(out); i, at = i+1, at+pixel {
		out[i] = table[0][red[at]] + table[1][green[at]] + table[2][blue[at]]
	}
}
