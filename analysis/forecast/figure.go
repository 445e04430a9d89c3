// The figures.

package forecast

import (
	"context"

	"repscope/internal/run"
)

// figures draws what a result looks like.
func (s *settings) figures(_ context.Context, _ *run.Env, _ *Input, _ Options, _ *Result) error {
	return nil
}

// planFigures says which figures a run would write.
func (s *settings) planFigures(_ *run.Env, _ *plan) error { return nil }
