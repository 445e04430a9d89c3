// Package sequences generates paired chains that resemble antibodies and follow a known law: clones of rearranged
// genes, somatic mutations, pairs of residues in contact that fit each other, and measured substitutions. Models of
// them are included: a trained transformer, others with defects, and the frequencies of residues by position.
//
//	e := sequences.Example()
//	fmt.Println(len(e.Sequences), e.Models[0].Name)
package sequences

// The seeds and sizes of the built-in example and of its models' training set.
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

// Example generates the built-in example: 240 sequences of clones of one to four members, and the measurements of
// variants of three of them.
func Example() *Data {
	e := &Data{Sequences: Make(ExampleSeed, exampleCount, exampleMost), Models: Models()}
	for i, name := range []string{"assay1", "assay2", "assay3"} {
		e.Assays = append(e.Assays, measure(ExampleSeed, name, &e.Sequences[i*exampleCount/3], assayCount))
	}
	return e
}

// Train generates the training set of the models: clones of one member each.
func Train() []Sequence { return Make(TrainSeed, TrainCount, 1) }
