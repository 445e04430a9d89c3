//go:build amd64 && !linux && !noasm

// Other systems have other ways to tiles, which nobody has tried.

package kernel

import "errors"

func permitTiles() error { return errors.New("only Linux is asked for them") }
