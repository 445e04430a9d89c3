// Package sequences makes paired chains that look like those of antibodies and whose law is known: clones of
// rearranged genes, somatic mutations, pairs of residues that touch and fit each other, and measured substitutions.
// Models of them ship with it: a transformer that was trained, others that lack something, and the frequencies of
// residues by position.
//
//	e := sequences.Example()
//	fmt.Println(len(e.Sequences), e.Models[0].Name)
package sequences

// The seeds and sizes of the built-in example and of what its models were trained on.
const (
	ExampleSeed  = 2_000_003
	exampleCount = 240
	exampleMost  = 4 // members of a clone
	TrainSeed    = 1
	TrainCount   = 20_000
	assayCount   = 160
)

// Data is the example.
type Data struct {
	Sequences []Sequence
	Assays    []Assay
	Models    []Model
}

// Example makes the built-in example: 240 sequences of clones of one to four members, and what was measured
// of variants of three of them.
func Example() *Data {
	e := &Data{Sequences: Make(ExampleSeed, exampleCount, exampleMost), Models: Models()}
	for i, name := range []string{"assay1", "assay2", "assay3"} {
		e.Assays = append(e.Assays, measure(ExampleSeed, name, &e.Sequences[i*exampleCount/3], assayCount))
	}
	return e
}

// Train makes what the models were trained on: clones of one member each.
func Train() []Sequence { return Make(TrainSeed, TrainCount, 1) }
