// Scores of a forecast field.

package verification_test

import (
	"fmt"

	"repscope/measure/verification"
)

// Rain of at least 20 mm in a field of six cells: one hit, one miss, one false alarm.
func ExampleEvent_Table() {
	forecast := []float64{25, 5, 30, 0, 1, 2} // [cells], in mm
	truth := []float64{22, 21, 3, 0, 0, 4}
	event := verification.Event{Threshold: 20}
	table := event.Table(forecast, truth, nil) // all cells weigh the same
	csi, err := table.CSI()
	if err != nil {
		fmt.Println(err)
		return
	}
	far, err := table.FAR()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%+v\n", table)
	fmt.Printf("critical success index %.3f, false alarm ratio %.2f\n", csi, far)
	// Output:
	// {Hits:1 Misses:1 FalseAlarms:1 CorrectNegatives:3}
	// critical success index 0.333, false alarm ratio 0.50
}

// Errors of a field in units of its own variation.
func ExampleNewFieldErrors() {
	grid := verification.Grid{Height: 2, Width: 2}
	e := verification.NewFieldErrors([]float64{1, 2, 3, 6}, []float64{1, 2, 3, 4}, grid, nil)
	vrmse, err := e.VRMSE()
	fmt.Printf("mean error %.2f, largest %.0f, VRMSE %.3f %v\n", e.MeanError(), e.Maximum, vrmse, err)
	// Output:
	// mean error 0.50, largest 2, VRMSE 0.894 <nil>
}
