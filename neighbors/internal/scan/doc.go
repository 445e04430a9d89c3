// Package scan scans one row of keys: it selects the nearest entries, sorts them, and finds the position of all values
// of a row among sorted thresholds, in about constant time for each.
//
//	nearest := scan.SelectNearest(row, 20, 0, nil, &found)
//
// It knows neither points nor distances.
package scan
