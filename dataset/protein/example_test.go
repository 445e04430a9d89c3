// An example of sequences in a file.

package protein_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"repscope/dataset/protein"
)

// The chains of a FASTA file.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "protein")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "antibodies.fasta")
	if err := os.WriteFile(path, []byte(">ab1\nEVQLV:DIQM\n>ab2\nQVQL\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	sequences, err := protein.Open(path, protein.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer sequences.Close()
	for i := range sequences.Len() {
		var s protein.Sequence
		if err := sequences.Read(i, &s); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s %q\n", s.ID, s.Chains)
	}
	// Output:
	// ab1 ["EVQLV" "DIQM"]
	// ab2 ["QVQL" ""]
}
