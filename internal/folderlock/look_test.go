// Tests of looking at locks of others.

package folderlock

import (
	"encoding/json"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestLook(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		if busy, err := Look(t.Context(), dir+"/none", "test", true); busy != nil || err != nil {
			t.Errorf("a folder that is not there: %v, %v", busy, err)
		}
		if busy, err := Look(t.Context(), dir, "test", true); busy != nil || err != nil {
			t.Errorf("no lock: %v, %v", busy, err)
		}
		l, err := Take(t.Context(), dir, "test", false)
		if err != nil {
			t.Fatal(err)
		}
		if busy, err := Look(t.Context(), dir, "test", true); err != nil || busy == nil || busy.PID != os.Getpid() {
			t.Errorf("our own: %v, %v", busy, err)
		}
		l.Release()
		if busy, err := Look(t.Context(), dir, "test", true); busy != nil || err != nil {
			t.Errorf("released: %v, %v", busy, err)
		}
	})
}

func TestLookElsewhere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		h := holder{Host: "elsewhere", PID: 12}
		file := leave(t, dir, h)
		if busy, err := Look(t.Context(), dir, "test", false); err != nil || busy == nil || busy.Host != "elsewhere" {
			t.Errorf("without waiting: %v, %v", busy, err)
		}
		if busy, err := Look(t.Context(), dir, "test", true); busy != nil || err != nil {
			t.Errorf("a count that stands still: %v, %v", busy, err)
		}
		var wait sync.WaitGroup
		defer wait.Wait()
		f, err := os.OpenFile(file, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		wait.Go(func() {
			for range 40 {
				h.Count++
				data, _ := json.Marshal(h)
				_, _ = f.WriteAt(data, 0) // in place, as holders do
				time.Sleep(beat / 10)
			}
		})
		if busy, err := Look(t.Context(), dir, "test", true); err != nil || busy == nil || busy.PID != 12 {
			t.Errorf("a count that rises: %v, %v", busy, err)
		}
	})
}
