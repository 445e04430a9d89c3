// Where the reports of cases are.

package canvas

import (
	"os"
	"path/filepath"
)

// partial ends the names of files that are whole, but whose run is not: it, or the one that continues it, gives them
// their names.
const partial = ".partial"

// isFile reports whether a file is there.
func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// reportFolders are those of reports, in the folder of the run.
var reportFolders = []string{"reports", "saliency_visualizations"}

// reportFolder is where the reports of a case are, in the folder of the run.
func reportFolder(c *Case) string {
	return filepath.Join("reports", c.fileName())
}

// reportPath is where a report of a case is, in the folder of the run.
func reportPath(c *Case, name string) string {
	if name == SaliencyPicture {
		return filepath.Join("saliency_visualizations", c.fileName()+".png")
	}
	return filepath.Join(reportFolder(c), name)
}
