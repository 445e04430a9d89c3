// External data that is no file of the model's folder.

//go:build unix

package onnx

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"repscope/model/internal/onnxtest"
)

// externalModel adds weights of a location.
func externalModel(location string) []byte {
	w := onnxtest.Tensor("w", 1, 4).Varint(14, 1).Bytes(13, message{}.Text(1, "location").Text(2, location))
	return onnxtest.Model(17, message{}.Bytes(11, portMessage("x", -1, 4)).Bytes(12, portMessage("z", -1, 4)).Bytes(5, w).
		Bytes(1, onnxtest.Node("Add", []string{"x", "w"}, []string{"z"})))
}

// TestExternalData_NoFile: a pipe, a folder and links that lead out are refused at once; links of a cache, whose
// targets lie together, are files of the model.
func TestExternalData_NoFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	blobs, model := filepath.Join(dir, "blobs"), filepath.Join(dir, "snapshots", "1", "onnx")
	for _, name := range []string{blobs, model, filepath.Join(model, "folder")} {
		if err := os.MkdirAll(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write := func(path string, data []byte) string {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	weights := onnxtest.FloatBytes(1, 2, 3, 4)
	write(filepath.Join(dir, "outside"), weights)
	write(filepath.Join(blobs, "w"), weights)
	if err := syscall.Mkfifo(filepath.Join(model, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"w": "../../../blobs/w", "out": "../../../outside", "zero": "/dev/zero", "tty": "/dev/tty"} {
		if err := os.Symlink(target, filepath.Join(model, link)); err != nil {
			t.Fatal(err)
		}
	}
	for location, want := range map[string]string{"pipe": "got a named pipe", "folder": "got a folder", "out": "outside its folder", "zero": "outside its folder",
		"tty": "outside its folder", "w": "outside its folder", "../onnx/w": "inside the model's folder", "/dev/zero": "inside the model's folder"} {
		_, err := Open(write(filepath.Join(model, "m.onnx"), externalModel(location)), Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", location, err, want)
		}
	}
	write(filepath.Join(blobs, "m"), externalModel("w"))
	if err := os.Symlink("../../../blobs/m", filepath.Join(model, "cached.onnx")); err != nil {
		t.Fatal(err)
	}
	m, err := Open(filepath.Join(model, "cached.onnx"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}
