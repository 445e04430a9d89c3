// One score of a pair of arrays, and nothing beside it, for programs that want the number alone.

package repscope

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"repscope/dataset"
	"repscope/internal/memory"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/neighbors"
	"repscope/report"
)

// score prints trustworthiness or continuity as JSON: the score, null where all rows of an array are equal.
func score(_ []run.Command, args []string, w io.Writer) error {
	flags := flag.NewFlagSet("score", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	k := flags.Int("k", 5, "")
	metricName := flags.String("metric", "euclidean", "")
	var given []string
	for len(args) > 0 { // flags may stand anywhere
		if err := flags.Parse(args); err != nil {
			return run.Usage("score: %v", err)
		}
		if args = flags.Args(); len(args) > 0 {
			given, args = append(given, args[0]), args[1:]
		}
	}
	metric, err := neighbors.ParseMetric(*metricName)
	if err != nil {
		return run.Usage("--%v", err)
	}
	if len(given) != 3 {
		return run.Usage("score: want trustworthiness or continuity and two arrays, %s", text.Count(len(given), "argument"))
	}
	if given[0] != "trustworthiness" && given[0] != "continuity" {
		return run.Usage("score %s: want trustworthiness or continuity", given[0])
	}
	memory.Apply()
	ctx := run.ForCaller(context.Background())
	original, err := space(given[1], metric)
	if err != nil {
		return err
	}
	embedded, err := space(given[2], neighbors.Euclidean)
	if err != nil {
		return err
	}
	n := original.Points().N
	switch {
	case embedded.Points().N != n:
		return fmt.Errorf("%s has %s, %s has %d", given[1], text.Count(n, "row"), given[2], embedded.Points().N)
	case *k < 1 || *k > n-2:
		return run.Usage("--k %d: want 1 to %d, the rows less two", *k, n-2)
	}
	var result report.Object
	if original.Collapsed() || embedded.Collapsed() {
		result.Set(given[0], nil)
		return report.Encode(w, result)
	}
	if given[0] == "continuity" {
		original, embedded = embedded, original
	}
	value, err := neighbors.Trustworthiness(ctx, original, embedded, *k, neighbors.Options{})
	if errors.Is(err, context.Canceled) {
		return errors.New("interrupted")
	}
	if err != nil {
		return err
	}
	result.Set(given[0], value)
	return report.Encode(w, result)
}

// space reads an array of a row per sample. float32 and float64 stay what they are, where they lie if they can.
func space(spec string, metric neighbors.Metric) (neighbors.Space, error) {
	array, err := dataset.Open(spec)
	if err != nil {
		return neighbors.Space{}, err
	}
	if len(array.Shape()) < 2 || array.Len() == 0 || array.RowLen() == 0 {
		return neighbors.Space{}, fmt.Errorf("%s: shape %s, want a row of numbers for each of several samples", spec, strings.ReplaceAll(fmt.Sprint(array.Shape()), " ", ", "))
	}
	pts, err := array.Points()
	if err != nil {
		return neighbors.Space{}, err
	}
	if metric == neighbors.Precomputed && pts.U8 != nil {
		return neighbors.Space{}, fmt.Errorf("%s: distances of type %v, want float32 or float64", spec, array.DType())
	}
	return neighbors.NewSpace(spec, pts, metric)
}
