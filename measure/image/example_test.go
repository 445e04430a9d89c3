// The worked example of the package comment.

package image_test

import (
	"fmt"

	"repscope/measure/image"
)

// A square moves by one pixel; the prediction is a blur of both its places.
func Example() {
	shape := image.Shape{Channels: 1, Height: 16, Width: 16}
	now, next, predicted := make([]uint8, shape.Size()), make([]uint8, shape.Size()), make([]uint8, shape.Size())
	for i := range 4 {
		for j := range 4 {
			now[(6+i)*16+5+j], next[(6+i)*16+6+j] = 255, 255
		}
	}
	for i := range predicted {
		predicted[i] = now[i]/2 + next[i]/2
	}
	ssim, err := image.NewSSIM(shape, 255)
	if err != nil {
		fmt.Println(err)
		return
	}
	mask := make([]bool, shape.Size())
	moving := image.Moving(mask, now, next, 5)
	inside, outside := image.SquaresByMask(predicted, next, mask)
	mse := image.MSE(predicted, next)
	fmt.Printf("MSE %.1f, PSNR %.2f dB, SSIM %.4f\n", mse, image.PSNR(mse, 255), image.MeanSSIM(ssim, next, predicted))
	fmt.Printf("%d pixels move: MSE %.1f on them, %.1f on the others\n", moving, inside.Mean(), outside.Mean())
	fmt.Printf("sharpness ratio %.3f\n", image.SharpnessRatio(shape, predicted, next))
	// Output:
	// MSE 508.1, PSNR 21.07 dB, SSIM 0.8815
	// 8 pixels move: MSE 16256.5 on them, 0.0 on the others
	// sharpness ratio 0.682
}
