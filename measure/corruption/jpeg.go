// Compression by JPEG.

package corruption

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"math"

	"repscope/stat"
)

// compress is [JPEG]: every plane is encoded and decoded as an 8-bit gray image.
func compress(c *Corrupter, dst, _ []float32, level float64, _ stat.Key) error {
	gray := image.NewGray(image.Rect(0, 0, c.width, c.height))
	span := c.high - c.low
	var buffer bytes.Buffer
	for plane := range c.planes(dst) {
		for i, v := range plane {
			gray.Pix[i] = uint8(min(max(math.Round(float64((v-c.low)/span)*255), 0), 255))
		}
		buffer.Reset()
		if err := jpeg.Encode(&buffer, gray, &jpeg.Options{Quality: min(max(round(100*(1-level)), 1), 100)}); err != nil {
			return fmt.Errorf("jpeg corruption: %w", err)
		}
		decoded, err := jpeg.Decode(&buffer)
		if err != nil {
			return fmt.Errorf("jpeg corruption: %w", err)
		}
		out, ok := decoded.(*image.Gray)
		if !ok {
			return fmt.Errorf("jpeg corruption: decoded a %T, want a gray image", decoded)
		}
		for y := range c.height {
			for x := range c.width {
				plane[y*c.width+x] = c.low + span*float32(out.Pix[y*out.Stride+x])/255
			}
		}
	}
	return nil
}
