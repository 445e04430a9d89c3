//go:build amd64 && !linux && !noasm

// Tiles are untested on other systems, and not used there.

package kernel

import "errors"

func permitTiles() error { return errors.New("the permission for tiles is implemented for Linux only") }
