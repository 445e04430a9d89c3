// How much a page shows of how much there is: it must open on any machine, whatever it is made of.

package page

// limits bound a page: 1 MB for 20 models × 10 analyses, 2 MB for 100 × 10.
type limits struct {
	overview int // columns of one analysis in the tables of a dataset
	columns  int // columns of the table of a section
	panels   int // figures of a section
	marks    int // points and dots in the figures of a section
	models   int // rows of a table; the others are in the files next to the page
}

// Cells and marks of all sections together.
const (
	overviewCells = 6000
	sectionCells  = 3000
	figureMarks   = 1600
	mostPanels    = 6
	mostRows      = 1000
	figuredModels = 100 // more of them are no figure that anybody reads
)

func limitsOf(p *Page) limits {
	models := 1
	for _, t := range p.Tables {
		models = max(models, len(t.Models))
	}
	models = min(models, mostRows)
	size := models * max(len(p.Sections), 1)
	l := limits{
		overview: min(4, max(1, overviewCells/size)),
		columns:  min(40, max(6, sectionCells/size)),
		panels:   mostPanels,
		marks:    figureMarks / max(len(p.Sections), 1),
		models:   mostRows,
	}
	if models > figuredModels {
		l.columns = min(l.columns, sectionCells/size)
		l.panels = 0
	}
	return l
}
