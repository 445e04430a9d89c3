// JSON that is no result file.

package report

import "repscope/internal/text"

// Parse reads any JSON text. Values have the types of [ReadFrom] and keep the order of the file. NaN, Infinity and
// -Infinity, which some programs write, become null. Errors name the file, line and column: text that is not JSON,
// [ErrTruncated], and a name used twice in one object.
func Parse(name string, data []byte) (any, error) { return ParseLine(name, 1, data) }

// ParseLine is [Parse] of a line of a file; the first line is 1.
func ParseLine(name string, line int, data []byte) (any, error) {
	_, e, err := parse(name, line-1, data)
	if err != nil {
		if cleaned, changed := text.WithoutNaN(data); changed {
			_, e, err = parse(name, line-1, cleaned)
		}
	}
	if err != nil {
		return nil, err
	}
	switch v := e.plain().(type) {
	case Object:
		infer(&v, true)
		return v, nil
	case []any:
		for i, item := range v {
			if o, ok := item.(Object); ok {
				infer(&o, true)
				v[i] = o
			}
		}
		return v, nil
	default:
		return v, nil
	}
}
