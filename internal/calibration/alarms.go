// Prediction errors of untouched episodes: how often conformal p values are small, how often alarms are raised, and how
// often alarms notice a change.

package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"strings"

	"repscope/internal/parallel"
	"repscope/measure/conformal"
	"repscope/stat"
)

// errorDesign has errors exp(x/2), in which x is autoregressive of unit variance around a level of the episode: 0,
// normal of unit variance (levels), or 0 in nine of ten episodes and 3 in the others (loud); or around a course that
// all episodes share: a line that rises by 2 (rising), or a step by 2 in the middle (step); or around a
// line of its own, of normal slope (slopes).
type errorDesign struct {
	Episodes, Length int
	Rho              float64
	Kind             string
}

// errorKinds are the values of Kind.
var errorKinds = []string{"", ", levels", ", loud", ", rising", ", step", ", slopes"}

// numbers are the coordinates of the design's random streams.
func (d errorDesign) numbers() []uint64 {
	kind := slices.Index(errorKinds, d.Kind)
	return []uint64{uint64(d.Episodes), uint64(d.Length), math.Float64bits(d.Rho), uint64(kind)}
}

func (d errorDesign) String() string {
	return fmt.Sprintf("%d × %d, ρ %g%s", d.Episodes, d.Length, d.Rho, d.Kind)
}

// errorDesigns has all kinds of dependence of one size.
func errorDesigns(episodes, length int) []errorDesign {
	var out []errorDesign
	for _, rho := range []float64{0, 0.5, 0.8, 0.95} {
		out = append(out, errorDesign{episodes, length, rho, ""})
	}
	for _, kind := range errorKinds[1:] {
		out = append(out, errorDesign{episodes, length, 0.8, kind})
	}
	return out
}

// alarmDesigns are the designs of the two tables.
type alarmDesigns struct{ ranks, alarms []errorDesign }

func allAlarmDesigns() alarmDesigns {
	var out alarmDesigns
	for _, episodes := range []int{5, 16, 60, 200} {
		out.ranks = append(out.ranks, errorDesigns(episodes, 50)...)
	}
	for _, size := range [][2]int{{16, 20}, {16, 100}, {16, 500}, {16, 5000}, {100, 20}, {100, 100}, {100, 500}} {
		out.alarms = append(out.alarms, errorDesigns(size[0], size[1])...)
	}
	return out
}

// level draws the level of an episode.
func (d errorDesign) level(r *stat.Random) float64 {
	switch {
	case d.Kind == errorKinds[1]:
		return r.Normal()
	case d.Kind == errorKinds[2] && r.Float64() < 0.1:
		return 3
	}
	return 0
}

// course is what all episodes have at step t.
func (d errorDesign) course(t int) float64 {
	switch {
	case d.Kind == errorKinds[3]:
		return 2 * float64(t) / float64(d.Length)
	case d.Kind == errorKinds[4] && t >= d.Length/2:
		return 2
	}
	return 0
}

// walk draws an autoregressive series of unit variance.
func (d errorDesign) walk(r *stat.Random) []float64 {
	out, x := make([]float64, d.Length), r.Normal()
	for t := range out {
		out[t] = x
		x = d.Rho*x + math.Sqrt(1-d.Rho*d.Rho)*r.Normal()
	}
	return out
}

// draw draws episodes from number first on.
func (d errorDesign) draw(r *stat.Random, first, episodes int) conformal.Transitions {
	var out conformal.Transitions
	for e := range episodes {
		level, slope := d.level(r), 0.0
		if d.Kind == errorKinds[5] {
			slope = 2 * r.Normal() / float64(d.Length)
		}
		for t, x := range d.walk(r) {
			out.Errors = append(out.Errors, math.Exp((x+level+slope*float64(t)+d.course(t))/2))
			out.Episodes = append(out.Episodes, first+e)
		}
	}
	return out
}

// Columns of the tables.
var (
	rankColumns = []string{"pooled, 1 %", "other episodes, 1 %", "p, 1 %", "pooled, 5 %", "other episodes, 5 %", "p, 5 %"}
	// The last three are of errors that grow by 2 SD of an episode from its middle on.
	alarmColumns = []string{
		"martingale of p", "episodes", "innovations",
		"changed: martingale of p", "changed: episodes", "changed: innovations",
	}
)

// watched are the new episodes of one draw of untouched ones.
const watched = 20

// observeRanks returns the shares of transitions of new episodes whose p values are at most 1 and 5 %: of the rank
// among all errors of other episodes, of the mean of ranks among the other episodes with 1 for the own one, and of
// the printed p.
func observeRanks(d errorDesign, seed, rep uint64) ([]float64, error) {
	r := stat.NewRandom(stat.StreamDesign.Key(seed, append([]uint64{15, rep}, d.numbers()...)...))
	untouched, fresh := d.draw(r, 0, d.Episodes-1), d.draw(r, d.Episodes, watched)
	reference, err := conformal.NewReference(untouched, conformal.Options{})
	if err != nil {
		return nil, err
	}
	printed, err := reference.P(fresh)
	if err != nil {
		return nil, err
	}
	sorted := slices.Sorted(slices.Values(untouched.Errors))
	n, others := float64(len(sorted)), float64(d.Episodes-1)
	forms := [3][]float64{2: printed}
	for _, e := range fresh.Errors {
		larger := n - float64(sort.SearchFloat64s(sorted, e))
		forms[0] = append(forms[0], (larger+1)/(n+1))
		forms[1] = append(forms[1], (larger/n*others+1)/(others+1)) // episodes have one length
	}
	var out []float64
	for _, level := range []float64{0.01, 0.05} {
		for _, p := range forms {
			shares, err := conformal.Shares(p, fresh.Episodes, level)
			if err != nil {
				return nil, err
			}
			out = append(out, stat.Mean(shares))
		}
	}
	return out, nil
}

// observeAlarms returns the shares of new episodes in which alarms of 1 % are raised, untouched and changed.
func observeAlarms(d errorDesign, seed, rep uint64) ([]float64, error) {
	r := stat.NewRandom(stat.StreamDesign.Key(seed, append([]uint64{16, rep}, d.numbers()...)...))
	untouched, fresh := d.draw(r, 0, d.Episodes), d.draw(r, d.Episodes, watched)
	reference, err := conformal.NewReference(untouched, conformal.Options{})
	if err != nil {
		return nil, err
	}
	sorted := slices.Sorted(slices.Values(untouched.Errors))
	var out []float64
	for _, changed := range []bool{false, true} {
		if changed {
			for i := range fresh.Errors {
				if i%d.Length >= d.Length/2 {
					fresh.Errors[i] *= math.E
				}
			}
		}
		out = append(out, martingales(fresh.Errors, sorted, d.Length))
		for _, watch := range []func(conformal.Transitions, float64) ([]conformal.Alarm, error){
			reference.EpisodeAlarms, reference.InnovationAlarms,
		} {
			alarms, err := watch(fresh, 0.01)
			if stat.IsUndefined(err) {
				out = append(out, math.NaN())
				continue
			}
			if err != nil {
				return nil, err
			}
			raised := 0.0
			for _, a := range alarms {
				if a.Step >= 0 {
					raised++
				}
			}
			out = append(out, raised/watched)
		}
	}
	return out, nil
}

// martingales is the share of episodes in which the martingale of conformal p values reaches 100.
func martingales(errors, sorted []float64, length int) float64 {
	reached := 0.0
	for start := 0; start < len(errors); start += length {
		var m conformal.Martingale
		for _, e := range errors[start : start+length] {
			larger := len(sorted) - sort.SearchFloat64s(sorted, e)
			if log, err := m.Update(float64(larger+1) / float64(len(sorted)+1)); err != nil || log >= math.Log(100) {
				reached++
				break
			}
		}
	}
	return reached / watched
}

// writeAlarms writes the tables of all designs.
func writeAlarms(ctx context.Context, w io.Writer, draws int, seed uint64, threads int) error {
	return allAlarmDesigns().write(ctx, w, draws, seed, threads)
}

// write writes the tables of conformal p values and alarms. Alarms have a tenth of the new episodes, and designs of
// 5000 transitions a fifth of it.
func (designs alarmDesigns) write(ctx context.Context, w io.Writer, draws int, seed uint64, threads int) error {
	fmt.Fprintf(w, "Conformal p of prediction errors of new episodes at most 1 and 5 %%, in percent of the transitions ± "+
		"Monte-Carlo error, %d episodes:\n\n", draws)
	writeSharesHeader(w, "episodes × transitions", rankColumns)
	for _, d := range designs.ranks {
		if err := writeShares(ctx, w, d, max(2, draws/watched), seed, threads, observeRanks); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "\nAlarms of 1 %% in new episodes, untouched and changed, in percent of the episodes ± "+
		"Monte-Carlo error, %d episodes, %d of 5000 transitions:\n\n", draws/10, draws/50)
	writeSharesHeader(w, "untouched episodes × transitions", alarmColumns)
	for _, d := range designs.alarms {
		n := draws / 10 / watched
		if d.Length >= 5000 {
			n /= 5
		}
		if err := writeShares(ctx, w, d, max(2, n), seed, threads, observeAlarms); err != nil {
			return err
		}
	}
	fmt.Fprintln(w)
	return nil
}

func writeSharesHeader(w io.Writer, first string, columns []string) {
	fmt.Fprintf(w, "| %s | %s |\n|%s\n", first, strings.Join(columns, " | "), strings.Repeat(" --- |", len(columns)+1))
}

// writeShares writes a row: means over draws with their errors.
func writeShares(ctx context.Context, w io.Writer, d errorDesign, draws int, seed uint64, threads int,
	observe func(d errorDesign, seed, rep uint64) ([]float64, error)) error {
	all := make([][]float64, draws)
	err := parallel.Try(ctx, threads, draws, func(_, rep int) error {
		var err error
		all[rep], err = observe(d, seed, uint64(rep))
		return err
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "| %s |", d)
	for k := range all[0] {
		values := make([]float64, draws)
		for rep, list := range all {
			values[rep] = list[k]
		}
		mean, deviation := stat.Mean(values), 0.0
		for _, v := range values {
			deviation += (v - mean) * (v - mean)
		}
		if math.IsNaN(mean) {
			fmt.Fprint(w, " – |")
			continue
		}
		fmt.Fprintf(w, " %.2f ±%.2f |", 100*mean, 100*math.Sqrt(deviation/float64(draws-1)/float64(draws)))
	}
	fmt.Fprintln(w)
	return nil
}
