// The holder of a lock, without taking it.

package folderlock

import (
	"context"
	"errors"
	"io/fs"
	"time"
)

// Look returns the holder of the lock of this name in a folder; nil if there is none, or if it is known to have ended.
// A holder on another machine counts if its counter rises while Look waits, which is some beats of the lock; without
// wait it always counts.
func Look(ctx context.Context, dir, name string, wait bool) (*Busy, error) {
	self := holder{Host: hostname(), Boot: boot()}
	first, owner, err := look(dir, name)
	if err != nil || first == "" || owner.Released || owner.gone(&self) {
		return nil, err
	}
	busy := &Busy{dir, owner.Host, owner.PID}
	if owner.alive(&self) || !wait {
		return busy, nil
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(3 * beat):
	}
	second, owner, err := look(dir, name)
	if err != nil || second == first || owner.Released {
		return nil, err
	}
	return busy, nil
}

// look is the content of the lock's file.
func look(dir, name string) (string, holder, error) {
	number, err := highest(dir, name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && number == 0 {
		return "", holder{}, nil
	}
	if err != nil {
		return "", holder{}, err
	}
	return read(path(dir, name, number))
}
