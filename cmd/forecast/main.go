// Forecast scores ensemble forecasts of fields. Run it with --help for its manual, with
// --example on made weather.
package main

import (
	"repscope/analysis/forecast/command"
	"repscope/internal/run"
)

func main() { run.Main(command.Command) }
