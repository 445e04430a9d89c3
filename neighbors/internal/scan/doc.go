// Package scan looks through one row of keys: it selects the nearest entries, sorts them, and
// places all values of a row among sorted thresholds, in about constant time for each.
//
//	nearest := scan.SelectNearest(row, 20, 0, nil, &found)
//
// It knows neither points nor distances.
package scan
