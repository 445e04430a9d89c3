// Where the reports of cases are.

package store

import (
	"os"
	"path/filepath"

	"repscope/analysis/canvas"
	"repscope/analysis/canvas/internal/source"
)

// Partial ends the names of files that are whole, but whose run is not: it, or the one that continues it, gives them
// their names.
const Partial = ".partial"

// IsFile reports whether a file is there.
func IsFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// ReportFolders are the folders of reports, in the folder of the run.
var ReportFolders = []string{"reports", "saliency_visualizations"}

// ReportFolder is where the reports of a case are, in the folder of the run.
func ReportFolder(c *source.Case) string {
	return filepath.Join("reports", c.FileName())
}

// ReportPath is where a report of a case is, in the folder of the run.
func ReportPath(c *source.Case, name string) string {
	if name == canvas.SaliencyPicture {
		return filepath.Join("saliency_visualizations", c.FileName()+".png")
	}
	return filepath.Join(ReportFolder(c), name)
}
