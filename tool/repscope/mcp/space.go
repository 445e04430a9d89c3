// The bound of the temporary folder, which has results and latents.

package mcp

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"repscope/internal/text"
)

// lookEvery is how often the temporary folder is measured while a run goes on.
const lookEvery = time.Second

// used is the size of the files in a folder. The content that is removed meanwhile does not count.
func used(folder string) (bytes int64) {
	_ = filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil //nolint:nilerr // gone
		}
		if info, err := entry.Info(); err == nil {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}

// clear removes latents, which can be computed again, if the temporary folder is full and no other run uses them. It is
// an error if the folder stays full.
func (s *server) clear() error {
	s.clearing.Lock() // a run that begins meanwhile waits here
	defer s.clearing.Unlock()
	if used(s.scratch) <= s.space {
		return nil
	}
	if len(s.jobs) <= 1 {
		if err := os.RemoveAll(s.cache()); err != nil {
			return err
		}
	}
	if bytes := used(s.scratch); bytes > s.space {
		return fmt.Errorf("the temporary results of this session take %s, more than --disk %d GB; start the server again, "+
			"or with a larger --disk", text.Bytes(bytes), s.space/gigabyte)
	}
	return nil
}

// within ends a context when the temporary folder takes more than its bound.
func (s *server) within(ctx context.Context, what string) (context.Context, context.CancelFunc) {
	ctx, stop := context.WithCancelCause(ctx)
	go func() {
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if bytes := used(s.scratch); bytes > s.space {
				stop(fmt.Errorf("%s: stopped: the temporary folder takes %s, more than --disk %d GB", what,
					text.Bytes(bytes), s.space/gigabyte))
				return
			}
		}
	}()
	return ctx, func() { stop(context.Canceled) }
}

// cache is the folder of latents.
func (s *server) cache() string { return filepath.Join(s.scratch, "cache") }
