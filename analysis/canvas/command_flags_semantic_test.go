// Wrong values of the flags of captions and embeddings.

package canvas

import (
	"strings"
	"testing"
)

func TestSemanticFlags(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		o    SemanticSettings
		want string
	}{
		{SemanticSettings{Sentence: "a"}, "--sentence-model needs --tokenizer"}, {SemanticSettings{Tokenizer: "a"}, "--tokenizer is that of --sentence-model"},
		{SemanticSettings{Captioner: "a"}, "--captioner needs --sentence-model"}, 		{SemanticSettings{Sentence: "a", Tokenizer: "b", Embeddings: [2]string{"c", "d"}}, "want one or the other"},
		{SemanticSettings{Vision: VisionSettings{Size: 3}}, "are those of --vision-model"},
		{SemanticSettings{Vision: VisionSettings{Path: "a", Size: 3, Processor: "b"}}, "stands in place of"},
		{SemanticSettings{Vision: VisionSettings{Path: "a"}, ImageEmbeddings: [2]string{"c", "d"}}, "--vision-model and --image-embeddings-reference"},
		{SemanticSettings{Vision: VisionSettings{Path: "a", Std: []float64{0}}}, "--vision-std 0"},
		{SemanticSettings{Vision: VisionSettings{Path: "a", Mean: []float64{127}}}, "--vision-mean 127 is beyond"},
		{SemanticSettings{Vision: VisionSettings{Path: "a", Size: 1 << 20}}, "--vision-size 1048576"},
	} {
		if err := (&semanticFlags{SemanticSettings: &c.o}).check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v gives %v, want %q", c.o, err, c.want)
		}
	}
	precompute := semanticFlags{SemanticSettings: &SemanticSettings{}, precompute: true}
	if err := precompute.check(); err == nil || !strings.Contains(err.Error(), "--precompute-semantic needs") {
		t.Errorf("scores of nothing: %v", err)
	}
	bad := semanticFlags{SemanticSettings: &SemanticSettings{Embeddings: [2]string{"a.npy", ""}}}
	if err := bad.check(); err == nil || !strings.Contains(err.Error(), "go together") {
		t.Errorf("one matrix alone: %v", err)
	}
	bad.SemanticSettings = &SemanticSettings{Rows: "ids"}
	if err := bad.check(); err == nil {
		t.Error("ids without embeddings are taken")
	}
}
