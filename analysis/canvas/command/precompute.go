// Scores of captions that are computed once and kept.

package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"repscope/analysis/canvas"
	"repscope/analysis/canvas/internal/design"
	"repscope/analysis/canvas/internal/source"
	"repscope/analysis/canvas/internal/store"
	"repscope/dataset/casefile"
	"repscope/internal/atomicfile"
	"repscope/internal/regular"
)

// scoresFile holds scores of captions that were computed earlier, under the name that published
// tools give it.
const scoresFile = "precomputed_blip_scores.json"

// precomputeEvery is after how many cases the file is written: an interrupted run loses fewer.
const precomputeEvery = 32

// precomputeSemantic computes captions and scores of cases, and of the designs that modifications began with, and keeps
// them next to the file at path until it is written with all others. Rows of these cases in the file are replaced; rows
// of other cases stay, in their order. A case without a score has null. The file is whole at any time.
func precomputeSemantic(ctx context.Context, o *canvas.Setting, cases []source.Case, read source.Reader,
	path string, progress func(done, total int)) error {
	rows, err := readScores(o, path)
	if err != nil {
		return err
	}
	all := semanticCases(cases)
	for i := range all {
		row, err := scoreCaptions(ctx, o, &all[i], read)
		if err != nil {
			return errors.Join(err, rows.write(path))
		}
		rows.set(row)
		if progress != nil {
			progress(i+1, len(all))
		}
		if (i+1)%precomputeEvery == 0 && i+1 < len(all) {
			if err := rows.write(path); err != nil {
				return err
			}
		}
	}
	return rows.write(path)
}

// semanticCases are the cases and the cases of the designs that modifications began with.
func semanticCases(cases []source.Case) []source.Case {
	var out []source.Case
	seen := map[string]bool{}
	add := func(c source.Case) {
		if id := c.FileName(); !seen[id] {
			seen[id] = true
			out = append(out, c)
		}
	}
	for i := range cases {
		add(cases[i])
		if cases[i].Base != (source.Side{}) {
			add(cases[i].BaseCase())
		}
	}
	return out
}

// scoreCaptions are the captions and the score of a case. Only the end of the context is an
// error: a case that cannot be scored has no score, and fails when it is scored.
func scoreCaptions(ctx context.Context, o *canvas.Setting, c *source.Case,
	read source.Reader) (casefile.SemanticScore, error) {
	pair := canvas.NewPair(ctx, c, o, read, design.NewView(c.Reference, "reference design", read))
	row := casefile.SemanticScore{Case: c.FileName(), Score: math.NaN()}
	captions, err := o.Semantic.CaptionsOf(&pair.Screens)
	if err == nil {
		row.Reference, row.Generated = captions[0], captions[1]
		if v, err := o.Semantic.Match(&pair.Screens, captions); err == nil {
			row.Score = v
		}
	}
	return row, ctx.Err()
}

// keptScores are rows in their order.
type keptScores struct {
	rows []casefile.SemanticScore
	at   map[string]int
}

// readScores reads the rows that an interrupted run left next to the file at path; without them, the rows of the file,
// or of another place.
func readScores(o *canvas.Setting, path string) (*keptScores, error) {
	k := &keptScores{at: map[string]int{}}
	data, err := regular.Read(path+store.Partial, regular.Table)
	if errors.Is(err, fs.ErrNotExist) {
		data, err = regular.Read(path, regular.Table)
	}
	var rows []casefile.SemanticScore
	switch {
	case errors.Is(err, fs.ErrNotExist):
		rows = o.Semantic.Stored()
	case err != nil:
		return nil, regular.PathError(err)
	default:
		if rows, err = casefile.ParseSemanticScores(path, data); err != nil {
			return nil, fmt.Errorf("scores of captions: %w", err)
		}
	}
	for _, row := range rows {
		k.set(row)
	}
	return k, nil
}

// set replaces the row of a case, or adds it.
func (k *keptScores) set(row casefile.SemanticScore) {
	if i, ok := k.at[row.Case]; ok {
		k.rows[i] = row
		return
	}
	k.at[row.Case] = len(k.rows)
	k.rows = append(k.rows, row)
}

// write writes the file whole.
func (k *keptScores) write(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return regular.PathError(err)
	}
	err := atomicfile.Write(path+store.Partial, atomicfile.Options{Sync: true}, func(w io.Writer) error {
		return casefile.EncodeSemanticScores(w, k.rows)
	})
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
