package generation

import "repscope/plots"

func (d *drawing) statisticPages() int { return 0 }
func (d *drawing) statistics(k int) (*plots.Figure, error) { return nil, nil }
