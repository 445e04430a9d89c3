// One score of a pair of arrays and nothing else, for programs that want the number alone.

package repscope

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"repscope/dataset"
	"repscope/internal/memory"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/neighbors"
	"repscope/report"
)

// The scores by name.
const trustworthiness, continuity = "trustworthiness", "continuity"

// score prints trustworthiness or continuity as JSON: the score, null where all rows of an array are equal.
func score(_ []run.Command, args []string, w io.Writer) error {
	flags := flag.NewFlagSet("score", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	k := flags.Int("k", 5, "")
	metricName := flags.String("metric", "euclidean", "")
	served := flags.Bool("serve", false, "")
	idle := flags.Duration("idle", time.Minute, "")
	var files []string
	for len(args) > 0 { // flags may stand anywhere
		if err := flags.Parse(args); err != nil {
			return run.Usage("score: %v", err)
		}
		if args = flags.Args(); len(args) > 0 {
			files, args = append(files, args[0]), args[1:]
		}
	}
	if *served {
		if len(files) > 0 || *idle <= 0 {
			return run.Usage("score --serve: want an --idle above 0 and no arguments; requests are lines of JSON on standard input")
		}
		return serve(os.Stdin, w, *idle)
	}
	metric, err := neighbors.ParseMetric(*metricName)
	if err != nil {
		return run.Usage("--%v", err)
	}
	if len(files) != 3 {
		return run.Usage("score: want trustworthiness or continuity and two arrays, %s", text.Count(len(files), "argument"))
	}
	if err := checkName(files[0]); err != nil {
		return err
	}
	memory.Apply()
	ctx := run.ForCaller(context.Background())
	original, err := space(files[1], metric)
	if err != nil {
		return err
	}
	embedded, err := space(files[2], neighbors.Euclidean)
	if err != nil {
		return err
	}
	if err := pair(files[1], original, files[2], embedded, []int{*k}); err != nil {
		return err
	}
	values, err := scores(ctx, original, embedded, files[:1], []int{*k})
	if errors.Is(err, context.Canceled) {
		return errors.New("interrupted")
	}
	if err != nil {
		return err
	}
	var result report.Object
	result.Set(files[0], values[files[0]][0])
	return report.Encode(w, result)
}

func checkName(name string) error {
	if name != trustworthiness && name != continuity {
		return run.Usage("score %s: want trustworthiness or continuity", name)
	}
	return nil
}

// pair checks that two spaces belong together and have enough neighbors.
func pair(name string, original neighbors.Space, other string, embedded neighbors.Space, ks []int) error {
	n := original.Points().N
	if embedded.Points().N != n {
		return fmt.Errorf("%s has %s, %s has %d", name, text.Count(n, "row"), other, embedded.Points().N)
	}
	for _, k := range ks {
		if k < 1 || k > n-2 {
			return run.Usage("--k %d: want 1 to %d, the number of rows minus two", k, n-2)
		}
	}
	return nil
}

// scores are the scores of a pair, by name and k; null where a space is collapsed.
func scores(ctx context.Context, original, embedded neighbors.Space, names []string,
	ks []int) (map[string][]*float64, error) {
	out := make(map[string][]*float64, len(names))
	for _, name := range names {
		out[name] = make([]*float64, len(ks))
	}
	if original.Collapsed() || embedded.Collapsed() {
		return out, nil
	}
	var values [2][]float64 // trustworthiness and continuity
	var err error
	switch {
	case len(out) == 2:
		values[0], values[1], err = neighbors.TrustworthinessAndContinuity(ctx, original, embedded, ks, neighbors.Options{})
	case out[continuity] != nil:
		values[1], err = neighbors.Trustworthiness(ctx, embedded, original, ks, neighbors.Options{})
	default:
		values[0], err = neighbors.Trustworthiness(ctx, original, embedded, ks, neighbors.Options{})
	}
	if err != nil {
		return nil, err
	}
	for side, name := range []string{trustworthiness, continuity} {
		for at := range out[name] {
			out[name][at] = &values[side][at]
		}
	}
	return out, nil
}

// space reads an array of a row per sample. float32 and float64 stay what they are, where they lie if they can.
func space(spec string, metric neighbors.Metric) (neighbors.Space, error) {
	array, err := dataset.Open(spec)
	if err != nil {
		return neighbors.Space{}, err
	}
	if len(array.Shape()) < 2 || array.Len() == 0 || array.RowLen() == 0 {
		return neighbors.Space{}, noRows(spec, array.Shape())
	}
	pts, err := array.Points()
	if err != nil {
		return neighbors.Space{}, err
	}
	return spaceOf(spec, pts, array.DType().String(), metric)
}
