// Made weather: ensemble forecasts of two variables whose truth is known, each model
// with one known defect.

package example

import (
	"context"
	"fmt"
	"math"

	"repscope/internal/parallel"
)

// WeatherSeed is the seed of the built-in weather.
const WeatherSeed uint64 = 20_240_601

// The models of the weather, in the order of [Weather.Forecasts].
const (
	// WeatherCalibrated draws its members from the law of the truth.
	WeatherCalibrated = "calibrated"
	// WeatherUnderdispersive perturbs its members by less than the truth departs.
	WeatherUnderdispersive = "underdispersive"
	// WeatherOverdispersive perturbs its members by more.
	WeatherOverdispersive = "overdispersive"
	// WeatherBiased is calibrated but too warm and too wet.
	WeatherBiased = "biased"
	// WeatherBlurred is one field, the mean over draws of the law: the limit of a network trained on squared error.
	WeatherBlurred = "blurred"
)

// WeatherConfig is the size of a weather example.
type WeatherConfig struct {
	Seed uint64
	// Cases is the number of initial times.
	Cases int
	// Leads are the hours that each case is forecast ahead, ascending from above 0.
	Leads []float64
	// Members is the number of members of an ensemble, 1 or more.
	Members int
	// Height and Width are the size of the grid in cells, 8 or more each.
	Height, Width int
}

// Weather holds forecasts, the truth, and the initial state. A sample is a lead of a case: cases follow each other, and
// within each the leads ascend. Fields are stored by rows from north to south.
type Weather struct {
	WeatherConfig
	// Variables are the names of the V variables, Units their units.
	Variables, Units []string
	// Lead is the lead of each of the N samples in hours, Case its initial time from 0.
	Lead []float64
	Case []int64
	// Target holds the truth, Input the observations at the initial time, [N,V,H,W].
	Target, Input []float32
	// Latitude is the latitude of each row in degrees, Weights its cosine in every cell, [H,W].
	Latitude []float64
	Weights  []float32
	// Forecasts are the forecasts of the models.
	Forecasts []WeatherForecast
}

// WeatherForecast is the ensemble of one model.
type WeatherForecast struct {
	Name    string
	Members int
	// Values are its fields, [N,S,V,H,W].
	Values []float32
}

// weatherVariables is V.
const weatherVariables = 2

// Len is the number of samples N.
func (w *Weather) Len() int { return len(w.Lead) }

// ExampleWeather makes the built-in weather: 24 cases, four leads from 6 hours to three
// days, ensembles of 12 members on 24 × 36 cells.
func ExampleWeather() *Weather {
	w, err := MakeWeather(WeatherConfig{Seed: WeatherSeed, Cases: 24, Leads: []float64{6, 24, 48, 72}, Members: 12, Height: 24, Width: 36})
	if err != nil {
		panic(err) // the configuration is a constant and valid
	}
	return w
}

// MakeWeather generates the weather of a configuration, on all processors; a case depends only on the seed and its
// number.
//
// The law: vortices are carried eastward along a jet and twist the front under it, over which a texture drifts. Their
// positions, their strength, the front and the texture depart from the analysis by amounts that grow with the root of
// the lead. Rain falls at the front where vortices lift it, and has many zeros. The truth is one draw of the law, and
// so is each member of the calibrated ensemble.
func MakeWeather(c WeatherConfig) (*Weather, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	n, field := c.Cases*len(c.Leads), weatherVariables*c.Height*c.Width
	w := &Weather{
		WeatherConfig: c,
		Variables:     []string{"temperature", "precipitation"}, Units: []string{"°C", "mm/h"},
		Target: make([]float32, n*field), Input: make([]float32, n*field),
	}
	for _, name := range []string{WeatherCalibrated, WeatherUnderdispersive, WeatherOverdispersive, WeatherBiased, WeatherBlurred} {
		members := c.Members
		if name == WeatherBlurred {
			members = 1
		}
		w.Forecasts = append(w.Forecasts, WeatherForecast{Name: name, Members: members, Values: make([]float32, n*members*field)})
	}
	for i := range c.Cases {
		for _, lead := range c.Leads {
			w.Lead, w.Case = append(w.Lead, lead), append(w.Case, int64(i))
		}
	}
	for y := range c.Height {
		const north, south = 65, 25
		latitude := north + (south-north)*(float64(y)+0.5)/float64(c.Height)
		w.Latitude = append(w.Latitude, latitude)
		for range c.Width {
			w.Weights = append(w.Weights, float32(math.Cos(latitude*math.Pi/180)))
		}
	}
	return w, parallel.For(context.Background(), 0, c.Cases, func(_, i int) { newWeatherCase(c, i).fill(w) })
}

func (c WeatherConfig) check() error {
	const smallest = 8
	switch {
	case c.Cases < 1 || c.Members < 1 || len(c.Leads) == 0:
		return fmt.Errorf("weather: want at least one case, lead and member, got %d, %d and %d",
			c.Cases, len(c.Leads), c.Members)
	case c.Height < smallest || c.Width < smallest:
		return fmt.Errorf("weather: a grid of %d × %d cells: want at least %d × %d", c.Height, c.Width, smallest, smallest)
	}
	for i, lead := range c.Leads {
		if !(lead > 0 && lead < 1000) || i > 0 && lead <= c.Leads[i-1] {
			return fmt.Errorf("weather: leads %v: want ascending hours above 0", c.Leads)
		}
	}
	return nil
}
