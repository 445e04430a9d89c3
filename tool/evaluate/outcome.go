// The outcome of a study: which of its numbers predict it, by validate, after all tasks.

package evaluate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"repscope/internal/run"
	"repscope/report"
)

// outcomeFolder is where the validation of a study is.
const outcomeFolder = "validation"

// outcomeKeys are the options of validate that a suite may give.
var outcomeKeys = []string{"outcome", "outcome-se", "outcome-halves", "run", "after", "validation-loss", "numbers",
	"higher", "lower", "permutations"}

// outcome reads the key outcome: the name of a number of the study, or options of validate.
func (r *reader) outcome(e *entry) ([]string, error) {
	if e == nil {
		return nil, nil
	}
	if n := resolve(e.value); n.Kind == yaml.ScalarNode {
		name, err := r.text(e)
		return []string{"--outcome=" + name}, err
	}
	keys, err := r.optionsOf(e)
	if err != nil {
		return nil, err
	}
	var flags []string
	for _, k := range keys {
		if !slices.Contains(outcomeKeys, k.name) {
			return nil, r.unknown(k, "outcome", outcomeKeys)
		}
		values, err := r.texts(&k)
		if err != nil {
			return nil, err
		}
		var list []string
		for _, v := range values {
			list = append(list, v.Value)
		}
		flags = append(flags, "--"+k.name+"="+strings.Join(list, ","))
	}
	if find(keys, "outcome") == nil && find(keys, "outcome-halves") == nil {
		return nil, r.errorf(e.key, "outcome names no number: want outcome: ANALYSIS.METRIC, as in summary.csv")
	}
	return flags, nil
}

// validate runs validate on the summary of a study whose suite names an outcome.
func (s *settings) validate(ctx context.Context, env *run.Env, st *study) error {
	if s.suite.Outcome == nil {
		return nil
	}
	if s.validation == nil {
		return errors.New("outcome: this program has no validate")
	}
	args := slices.Concat([]string{filepath.Join(st.folder, "summary.csv")}, s.suite.Outcome,
		[]string{"--out", filepath.Join(st.folder, outcomeFolder), "--quiet"})
	var out, messages bytes.Buffer
	ctx = context.WithoutCancel(ctx) // it ends when the files of the study have their names
	if run.Run(ctx, *s.validation, args, &out, &messages) != 0 {
		return fmt.Errorf("outcome: %s", strings.TrimSpace(messages.String()))
	}
	result, err := report.Read(filepath.Join(st.folder, outcomeFolder, "validate.json"))
	if err != nil {
		return err
	}
	sentence, _ := result.Extra.Get("sentence")
	env.Message("%s: %v", outcomeFolder, sentence)
	return nil
}
