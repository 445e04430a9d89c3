// Beam runs an analysis on Apache Beam: elements are numbers of shards, values what the shards leave, and the result
// has the bytes of one process. It is a module of its own, so that the binaries need nothing of Beam.
//
//	go -C beam build -o ../bin/beam . && bin/beam --shards 16 --out results -- neighborhood --frames /data/f.npy --latents z=/data/z.npy
//
// Without further flags it runs in this process (prism). --runner=flink --endpoint=HOST:8081 and --runner=dataflow
// --project=… --region=… --staging_location=gs://… run elsewhere; see docs/guides/clusters.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
)

var (
	shards = flag.Int("shards", 8, "`N` shards of the work; shards beyond its number of units are empty")
	out    = flag.String("out", "", "`DIR` for the files of the result, on a disk that the workers share (required)")
)

func main() {
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: beam --out DIR [flags] -- ANALYSIS [its flags]")
		flag.PrintDefaults()
	}
	flag.Parse()
	beam.Init()
	if err := execute(context.Background(), *out, *shards, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "beam:", err)
		os.Exit(1)
	}
}

// execute builds the pipeline and runs it on the runner of the flags.
func execute(ctx context.Context, out string, shards int, args []string) error {
	switch {
	case out == "":
		return fmt.Errorf("--out is missing")
	case shards < 1:
		return fmt.Errorf("--shards %d: want at least 1", shards)
	case len(args) == 0:
		return fmt.Errorf("no analysis: want -- ANALYSIS and its flags")
	}
	folder, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	work, err := newWork(args, folder, shards)
	if err != nil {
		return err
	}
	pipeline, scope := beam.NewPipelineWithRoot()
	work.build(scope)
	return beamx.Run(ctx, pipeline)
}
