// The mask plan that --mask-plan writes in the place of a result.

package command

import (
	"context"
	"fmt"
	"io"
	"strings"

	"repscope/analysis/sequence"
	"repscope/analysis/sequence/source"
	"repscope/internal/run"
)

// maskPlan is the plan that --mask-plan writes.
func (s *settings) maskPlan(env *run.Env) (*source.MaskPlan, error) {
	l, err := s.newLoader(env)
	if err != nil {
		return nil, err
	}
	if err := l.substitutions(); err != nil {
		return nil, err
	}
	c, from := l.in.Datasets[0].Choice, l.files[0]
	kinds, wants, err := sequence.NeededPasses(registry, c, from)
	if err != nil {
		return nil, err
	}
	digest, err := from.SHA256()
	if err != nil {
		return nil, err
	}
	return &source.MaskPlan{Alphabet: l.in.Alphabet, Sequences: from, Mask: c.Mask, Kinds: kinds, Wants: wants,
		Identity: source.PlanIdentity{Sequences: digest, Masking: c.Masking, Seed: env.Options.Seed, Alphabet: strings.Join(l.in.Alphabet.Names, " ")}}, nil
}

// writePlan writes the plan in the place of a result.
func (s *settings) writePlan(ctx context.Context, env *run.Env) error {
	p, err := s.maskPlan(env)
	if err != nil {
		return err
	}
	if err := env.Files.Elsewhere(s.planFile, func(w io.Writer) error { return source.WritePlan(ctx, w, p) }); err != nil {
		return fmt.Errorf("mask-plan: %w", err)
	}
	env.InPlaceOfResult(s.planFile)
	return nil
}
