// The built-in example: made weather, and ensembles of one known defect each.

package command

import (
	"fmt"
	"sync"

	"repscope/dataset"
	"repscope/internal/example"
	"repscope/internal/input"
)

// exampleVariables are the names of the example's variables.
var exampleVariables = []string{"temperature", "precipitation"}

// exampleUnits are their units.
var exampleUnits = []string{"°C", "mm/h"}

// exampleArrays are what --example brings.
var exampleArrays = input.ArrayExample{
	Name:  "weather",
	Usage: "run on the built-in example: synthetic weather with known truth, and ensembles with one defect each",
	Arrays: map[string][]string{
		"target": {""}, "input": {""}, "leads": {""}, "groups": {""}, "weights": {""},
		"forecast": {example.WeatherCalibrated, example.WeatherUnderdispersive, example.WeatherOverdispersive, example.WeatherBiased, example.WeatherBlurred},
	},
	Open: openExample,
}

// weather is made once.
var weather = sync.OnceValue(example.ExampleWeather)

func openExample(path, role, name string) (*dataset.Array, error) {
	w := weather()
	n, v := w.Len(), len(w.Variables)
	field := []int{n, v, w.Height, w.Width}
	switch role {
	case "target":
		return dataset.NewArray(path, field, w.Target)
	case "input":
		return dataset.NewArray(path, field, w.Input)
	case "leads":
		return dataset.NewArray(path, []int{n}, w.Lead)
	case "groups":
		return dataset.NewArray(path, []int{n}, w.Case)
	case "weights":
		return dataset.NewArray(path, []int{w.Height, w.Width}, w.Weights)
	case "forecast":
		for _, f := range w.Forecasts {
			if f.Name == name {
				return dataset.NewArray(path, []int{n, f.Members, v, w.Height, w.Width}, f.Values)
			}
		}
	}
	return nil, fmt.Errorf("%s: the example has no such array", path)
}
