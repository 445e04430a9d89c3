// Forecasts that a model makes of the input fields: --model NAME=FILE.onnx.

package forecast

import (
	"context"
	"fmt"

	"repscope/internal/run"
)

// addModels adds the forecasts of the models that the flags name.
func (s *settings) addModels(_ context.Context, _ *run.Env, _ *Input) error {
	if names := s.models.Names(); len(names) > 0 {
		return fmt.Errorf("model %s: models are not run yet; give its members with --forecast", names[0])
	}
	return nil
}
