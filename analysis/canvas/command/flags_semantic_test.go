// Wrong values of the flags of captions and embeddings.

package command

import (
	"strings"
	"testing"

	"repscope/analysis/canvas/internal/semantic"
)

func TestSemanticFlags(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		o    semantic.Options
		want string
	}{
		{semantic.Options{Sentence: "a"}, "--sentence-model needs --tokenizer"}, {semantic.Options{Tokenizer: "a"}, "--tokenizer needs --sentence-model"},
		{semantic.Options{Captioner: "a"}, "--captioner needs --sentence-model"}, {semantic.Options{Sentence: "a", Tokenizer: "b", Embeddings: [2]string{"c", "d"}}, "give either --sentence-model or --embeddings-reference"},
		{semantic.Options{Vision: semantic.VisionOptions{Size: 3}}, "need --vision-model"},
		{semantic.Options{Vision: semantic.VisionOptions{Path: "a", Size: 3, Processor: "b"}}, "replaces"},
		{semantic.Options{Vision: semantic.VisionOptions{Path: "a"}, ImageEmbeddings: [2]string{"c", "d"}}, "either --vision-model or --image-embeddings-reference"},
		{semantic.Options{Vision: semantic.VisionOptions{Path: "a", Std: []float64{0}}}, "--vision-std 0"},
		{semantic.Options{Vision: semantic.VisionOptions{Path: "a", Mean: []float64{127}}}, "--vision-mean 127 is outside"},
		{semantic.Options{Vision: semantic.VisionOptions{Path: "a", Size: 1 << 20}}, "--vision-size 1048576"},
	} {
		if err := (&semanticFlags{Options: &c.o}).check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v gives %v, want %q", c.o, err, c.want)
		}
	}
	precompute := semanticFlags{Options: &semantic.Options{}, precompute: true}
	if err := precompute.check(); err == nil || !strings.Contains(err.Error(), "--precompute-semantic needs") {
		t.Errorf("scores of nothing: %v", err)
	}
	bad := semanticFlags{Options: &semantic.Options{Embeddings: [2]string{"a.npy", ""}}}
	if err := bad.check(); err == nil || !strings.Contains(err.Error(), "must be given together") {
		t.Errorf("one matrix alone: %v", err)
	}
	bad.Options = &semantic.Options{Rows: "ids"}
	if err := bad.check(); err == nil {
		t.Error("ids without embeddings are taken")
	}
}
