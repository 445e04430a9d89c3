// An example of listing samples.

package webdataset_test

import (
	"archive/tar"
	"bytes"
	"fmt"

	"repscope/dataset/webdataset"
)

// archive is a file in memory.
type archive struct{ *bytes.Reader }

func (archive) Path() string { return "train.tar" }

func ExampleRead() {
	var file bytes.Buffer
	w := tar.NewWriter(&file)
	for _, name := range []string{"000.jpg", "000.cls", "001.jpg", "001.cls"} {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: 2}); err != nil {
			panic(err)
		}
		if _, err := w.Write([]byte("ab")); err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	samples, err := webdataset.Read(archive{bytes.NewReader(file.Bytes())})
	for _, s := range samples {
		fmt.Println(s.Key, s.Endings, s.Parts["cls"].Size, err)
	}
	// Output:
	// 000 [jpg cls] 2 <nil>
	// 001 [jpg cls] 2 <nil>
}
