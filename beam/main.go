// Package main runs analyses on Apache Beam.
package main

import (
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "repscope/shard"
)

func main() { beam.Init(); _ = beamx.Run }
