// Sequences of a file.

package source_test

import (
	"fmt"
	"os"
	"path/filepath"

	"repscope/analysis/sequence"
	"repscope/analysis/sequence/source"
	"repscope/dataset/protein"
	"repscope/measure/token"
)

// A colon in FASTA separates the heavy chain from the light one. Tokens are <cls>, the residues, and <eos>.
func ExampleOpenSequences() {
	folder, err := os.MkdirTemp("", "sequences")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "chains.fasta")
	if err := os.WriteFile(path, []byte(">first\nLAG:VS\n>second\nEV\n"), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	sequences, err := source.OpenSequences(path, protein.Options{}, token.Antibody())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer sequences.Close()
	for i := range sequences.Len() {
		var r sequence.Record
		if err := sequences.Read(i, &r); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(r.ID, r.Tokens, r.Chains)
	}
	// Output:
	// first [0 4 5 6 7 8 2] [0 0 0 0 1 1 1]
	// second [0 9 7 2] [0 0 0 0]
}
