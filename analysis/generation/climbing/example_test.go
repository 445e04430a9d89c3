// An example of problems in a file.

package climbing_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"repscope/analysis/generation/climbing"
)

// The holds of a problem in a file.
func ExampleReadProblems() {
	dir, err := os.MkdirTemp("", "climbing")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "problems.json")
	const text = `{"data": [{"grade": "6B+", "moves": [{"description": "A5", "isStart": true},
		{"description": "C9"}, {"description": "D18", "isEnd": true}]}]}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		log.Fatal(err)
	}
	problems, err := climbing.ReadProblems(path)
	if err != nil {
		log.Fatal(err)
	}
	board := climbing.BoardOf(problems.Grid(0))
	fmt.Println(problems.Grades[0], board.Holds, board.Start, board.End, board.Vertical)
	// Output: 6B+ 3 1 1 13
}
