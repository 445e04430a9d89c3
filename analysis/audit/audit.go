// Package audit tells whether a test set is independent of its training set, and gives scores without the states that
// are not.
//
//	result, err := audit.Analyze(ctx, audit.Input{
//		States: frames, Episode: episode, Split: split, // "train" or "test" for each state
//		Scores: []audit.Score{{Name: "accuracy", Values: hits}},
//	}, audit.Options{Settings: analysis.Settings{Intervals: true, Seed: 42}})
//	test := result.Tests[0]
//	fmt.Println(test.Duplicates.Rows, test.Near.Share.Value, test.Score("accuracy").Difference)
//
// The nearest training state of each test state is found exactly. A test state is too near where hardly any training
// state has a training state of another episode as near: the threshold is a conformal quantile of the training set
// itself.
package audit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"repscope/analysis"
	"repscope/internal/option"
	"repscope/internal/text"
	"repscope/measure/identity"
	"repscope/points"
	"repscope/report"
)

// Input is what Analyze looks at: N states and what belongs to each.
type Input struct {
	States points.Points // [N, D]: pixels, cells of a grid, latents or columns of a table
	Source string        // of the states, for messages
	// Sequences are audited instead of States, where they are given: letters of each, compared by [identity.Identity]. The
	// distance of two sequences is 1 − their identity.
	Sequences [][]byte
	// Episode is the recording of each state; states of one are in the order of time. nil: every state is one by itself.
	Episode []int
	// Split is the part of each state, such as "train" and "test"; empty for a state of no part.
	Split []string
	// Train names the part that all others are tested against. If it is empty, that is the part named train or training;
	// without one, each part is tested against all others, as the folds of a cross-validation.
	Train string
	// Group is a unit of each state that must not be on both sides, such as a subject or a site; nil: none.
	Group   []int
	Targets []Target
	// Latents of the same states, from which targets are predicted; without any there are no predictions.
	Latents []points.Encoded
	Scores  []Score
}

// Target is what a state is labeled with: Class numbers classes from 0, or Values are numbers; the other one is nil.
type Target struct {
	Name   string
	Class  []int
	Values []float64
}

// Score is a number for each state, such as 1 for a right answer. The numbers of tested states are used.
type Score struct {
	Name   string
	Values []float64
}

// DefaultReferences is the number of training states whose nearest states of other episodes give the threshold.
const DefaultReferences = 5000

// Options are the choices of an audit; the zero value is the default.
type Options struct {
	analysis.Settings
	// Tolerance is the root mean squared difference of two states that count as duplicates, in units of Range; 0: equal.
	Tolerance float64
	// Range is the largest minus the smallest value that States can have; 0 means 255 for uint8 and 1 for others.
	Range float64
	// FalseAlarm is the share of training states that may have a state of another episode nearer than the threshold; 0
	// means 0.01.
	FalseAlarm float64
	// References is the number of training states that give the threshold, drawn as whole episodes; 0 means
	// DefaultReferences.
	References int
	// LeastIdentity is the identity from which sequences are too near; 0 means 0.7.
	LeastIdentity float64
	// Permutations is the number of exchanges of episodes for the p value of drift; 0: none, and no drift.
	Permutations int
	// Repair is what to do about leaking states for a new split; empty: nothing.
	Repair Repair
}

// Repair is a way to make a split without leaks.
type Repair string

// The repairs.
const (
	// RepairDrop leaves the leaking test states out.
	RepairDrop Repair = "drop"
	// RepairMove gives whole episodes with leaking test states to the training part.
	RepairMove Repair = "move"
)

// Declare binds the options to their fields.
func (o *Options) Declare(l *option.List) {
	l.Float(&o.Tolerance, "tolerance", "`T` root mean squared difference of two states that count as duplicates, "+
		"in units of the range of values; 0: equal").EachFloat("a number from 0 to "+
		"1", func(v float64) bool { return v >= 0 && v <= 1 })
	l.Float(&o.FalseAlarm, "false-alarm", "`SHARE` of training states that may have a state of another episode "+
		"nearer than the threshold").EachFloat("a number between 0 and 0.5", func(v float64) bool { return v > 0 && v < 0.5 })
	l.Int(&o.References, "references", "`N` training states, drawn as whole episodes, that give the threshold").AtLeast(2)
	l.Float(&o.LeastIdentity, "identity", "`SHARE` of equal residues from which sequences are too near").
		EachFloat("a number above 0 up to 1", func(v float64) bool { return v > 0 && v <= 1 })
	l.Int(&o.Permutations, "permutations", "`N` exchanges of episodes for the p value of drift; 0: no drift").Draws(0)
	option.Choice(l, &o.Repair, "repair", []Repair{RepairDrop, RepairMove},
		"`WAY` of --write-split: drop leaves leaking test states out, move gives whole leaking episodes to the training part")
}

// Result is the outcome.
type Result struct {
	Parts []Part
	Tests []Test // in the order of the parts
	// Recordings are counts over all states.
	Recordings Recordings
	// Blocks says how test states are grouped for intervals; empty without.
	Blocks   string
	Warnings []string
	// Repaired is the part of each state in the new split, empty for one that is left out; nil without Options.Repair.
	Repaired []string
}

// Part is a part of the split. EffectiveSize is the number of independent states that its states are worth.
type Part struct {
	Name          string       `json:"-"`
	States        int          `json:"n"`
	Episodes      int          `json:"episodes"`
	EffectiveSize report.Value `json:"n_eff"`
	// Duplicates are the states of the part that are equal to an earlier one of the part.
	Duplicates int `json:"duplicates"`
}

// Test is one part against its training states.
type Test struct {
	Name     string `json:"-"`
	States   int    `json:"states"`
	Training int    `json:"training_states"`
	// Leaking is the share of states that are duplicates or too near.
	LeakingRows int             `json:"leaking_rows"`
	Leaking     report.Estimate `json:"leaking"`
	Duplicates  Duplicates      `json:"duplicates"`
	Near        Near            `json:"near"`
	// BothSides counts episodes, and groups where there are some, with states among tested and training ones.
	EpisodesOnBothSides int  `json:"episodes_on_both_sides"`
	GroupsOnBothSides   *int `json:"groups_on_both_sides,omitempty"`
	// Clusters counts single-linkage clusters of sequences with tested and training ones; nil for states.
	Clusters *Clusters     `json:"clusters,omitempty"`
	Labels   *Labels       `json:"labels,omitempty"`
	Drift    *Drift        `json:"drift,omitempty"`
	Scores   report.Object `json:"scores,omitempty"` // of [ScoreAudit], by name

	// Rows are the tested states, in the order of the input.
	Rows []Tested `json:"-"`
	// Reference are the distances of training states to the nearest state of another episode, ascending.
	Reference []float64 `json:"-"`
}

// Score is the audit of a score; zero for another name.
func (t *Test) Score(name string) ScoreAudit {
	v, _ := t.Scores.Get(name)
	s, _ := v.(ScoreAudit)
	return s
}

// Tested is a tested state with its nearest training state.
type Tested struct {
	// State and Nearest are indices of the input. A sequence without a training sequence of at least the identity asked
	// for
	// has the nearest −1 and the distance NaN.
	State, Nearest int
	Distance       float64
	// P is (1 + the number of references that are as near or nearer)/(1 + the number of references); NaN without
	// references.
	P         float64
	Duplicate bool
	Near      bool
}

// Leaks says whether the state has a duplicate or a state too near in training.
func (r *Tested) Leaks() bool { return r.Duplicate || r.Near }

// Clusters counts single-linkage clusters of all sequences, and clusters with tested and training ones.
type Clusters struct {
	Count     int `json:"count"`
	BothSides int `json:"on_both_sides"`
}

// Duplicates counts tested states with an equal training state, and the groups of equal states that they are in.
type Duplicates struct {
	Rows   int             `json:"rows"`
	Share  report.Estimate `json:"share"`
	Groups int             `json:"groups"`
}

// Near counts tested states whose nearest training state is nearer than Threshold.
type Near struct {
	Threshold report.Value    `json:"threshold"`
	Rows      int             `json:"rows"`
	Share     report.Estimate `json:"share"`
	// NearerThanNext is the share of states whose nearest training state is nearer than their own next state.
	NearerThanNext report.Estimate `json:"nearer_than_next"`
	// References is the number of training states that gave the threshold. ExpectedFalseAlarm is the share of
	// independent states that would lie below it: above Options.FalseAlarm for few episodes and slow states.
	References         int          `json:"references"`
	ExpectedFalseAlarm report.Value `json:"expected_false_alarm"`
}

// Labels counts states by their classes: Conflicting have an equal state of another class, anywhere; Unseen are tested
// ones whose class no training state has; Shift is half the sum of differences of class shares, the mean over targets.
type Labels struct {
	Conflicting int          `json:"conflicting"`
	Unseen      int          `json:"unseen"`
	Shift       report.Value `json:"shift"`
}

// Recordings are counts over all states.
type Recordings struct {
	Frozen    int `json:"frozen"`           // states equal to the state before them in the episode
	Stretches int `json:"frozen_stretches"` // runs of such states
	Constant  int `json:"constant"`         // states with one value, such as black frames
	// Cuts are steps larger than all but 1 in 1,000 of the steps of other episodes. CutsExpected is how many there are
	// without any cut.
	Cuts         int     `json:"cuts"`
	CutsExpected float64 `json:"cuts_expected"`
	Copies       int     `json:"copies"`   // pairs of episodes with at least half of the shorter one in common, in order
	Reversed     int     `json:"reversed"` // the same in reverse order

	// Found are the states and episodes behind the counts.
	Found []Finding `json:"-"`
}

// Finding is a state or a pair of episodes behind a count. Other is the other episode, or -1; Length is the number of
// states, and Offset the state of the other episode that belongs to the first of this one.
type Finding struct {
	Kind                                  string
	State, Episode, Other, Length, Offset int
}

// Analyze audits a split. Errors: lists of other lengths than States, fewer than two parts, a part Train that is not
// there, NaN or Inf.
func Analyze(ctx context.Context, in Input, o Options) (*Result, error) {
	work, err := Work(in, o)
	if err != nil {
		return nil, err
	}
	return work.Run(ctx)
}

func (o Options) withDefaults(in *Input) Options {
	if o.Range == 0 {
		o.Range = 1
		if in.States.U8 != nil {
			o.Range = 255
		}
	}
	if o.FalseAlarm == 0 {
		o.FalseAlarm = 0.01
	}
	if o.LeastIdentity == 0 {
		o.LeastIdentity = identity.DefaultLeast
	}
	if o.References == 0 {
		o.References = DefaultReferences
	}
	return o
}

// count is the number of states or sequences.
func (in *Input) count() int {
	if in.Sequences != nil {
		return len(in.Sequences)
	}
	return in.States.N
}

// check finds lists that do not fit.
func (in *Input) check() error {
	n := in.count()
	for _, list := range []struct {
		name   string
		length int
		given  bool
	}{
		{"split", len(in.Split), true}, {"episodes", len(in.Episode), in.Episode != nil},
		{"group", len(in.Group), in.Group != nil},
	} {
		if list.given && list.length != n {
			return fmt.Errorf("%s: %d values for %d states, want one for each", list.name, list.length, n)
		}
	}
	for _, m := range in.Latents {
		if m.Latents.N != n {
			return fmt.Errorf("latents %s: %d rows for %d states, want one for each", m.Name, m.Latents.N, n)
		}
	}
	for _, t := range in.Targets {
		if len(t.Class)+len(t.Values) != n {
			return fmt.Errorf("targets %s: %d values for %d states, want one for each", t.Name, len(t.Class)+len(t.Values), n)
		}
	}
	for _, s := range in.Scores {
		if len(s.Values) != n {
			return fmt.Errorf("scores %s: %d values for %d states, want one for each", s.Name, len(s.Values), n)
		}
	}
	return nil
}

// division is a tested part with the states that it is tested against.
type division struct {
	name        string
	test, train []int
}

// divide finds the parts in the order of their names, numbers by value, and what each is tested against.
func (in *Input) divide() (names []string, divisions []division, err error) {
	states := map[string][]int{}
	for i, name := range in.Split {
		if name != "" {
			states[name] = append(states[name], i)
		}
	}
	for name := range states {
		names = append(names, name)
	}
	slices.SortFunc(names, byNumber)
	if len(names) < 2 {
		return nil, nil, fmt.Errorf("the split has %s (%s), want at least two: training and test states",
			text.Count(len(names), "part"), strings.Join(names, ", "))
	}
	train := in.Train
	if train == "" {
		for _, name := range names {
			if lower := strings.ToLower(name); lower == "train" || lower == "training" {
				train = name
			}
		}
	} else if states[train] == nil {
		return nil, nil, fmt.Errorf("the split has no part %q to train on; its parts are %s", train, strings.Join(names,
			", "))
	}
	for _, name := range names {
		d := division{name: name, test: states[name], train: states[train]}
		if name == train {
			continue
		}
		if train == "" {
			for i, other := range in.Split {
				if other != "" && other != name {
					d.train = append(d.train, i)
				}
			}
		}
		divisions = append(divisions, d)
	}
	return names, divisions, nil
}

// Tested are the states that some division tests, ascending.
func (in *Input) Tested() ([]int, error) {
	_, divisions, err := in.divide()
	var out []int
	for _, d := range divisions {
		out = append(out, d.test...)
	}
	slices.Sort(out)
	return out, err
}
