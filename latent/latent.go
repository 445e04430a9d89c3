// The exported types: sources of states, encoders, and their descriptions.

package latent

import (
	"context"

	"repscope/latent/internal/fixed"
	"repscope/model"
	"repscope/model/checkpoint"
	"repscope/model/operator"
)

// Source is a sequence of states to encode; *dataset.States is one.
type Source interface {
	// Len is the number N of states.
	Len() int
	// Shape is the shape of one state, e.g. [64 64], [4 84 84] or [D].
	Shape() []int
	// Float32 writes the states lo ≤ i < hi, row-major and unscaled, into dst,
	// which must have (hi−lo)·product(Shape) elements.
	Float32(dst []float32, lo, hi int) error
	// Fingerprint is a hash of the states' content and selection; equal
	// fingerprints mean equal states. It keys the latent cache.
	Fingerprint() (string, error)
}

// Array is an array of float32 values, row-major; of a batch the first axis counts its
// states. Package latent/dense makes it a tensor.Dense and back.
type Array struct {
	Shape  []int
	Values []float32
}

// Encoder maps a batch of states to a batch of outputs. Encode may not be
// called concurrently on one Encoder; it uses all its threads itself.
type Encoder interface {
	Info() Info
	// Encode maps an array [B, …state] to an array [B, …].
	// Axes of size one that the model's input has and the state lacks (a
	// channel, a time axis) are added. The result is owned by the caller.
	Encode(ctx context.Context, batch Array) (Array, error)
	Close() error
}

// Info describes an encoder. Shapes include the batch axis; an axis that is
// free (the batch, often time) has size −1.
type Info struct {
	Name         string // for messages: the file's path, or the baseline's name
	Format       string // "onnx", "pth", "safetensors", "random", "pca"
	Architecture string // "ConvEncoder", "DQN CNN", …; empty for ONNX
	Input        []int  // e.g. [-1 1 -1 64 64]
	Output       []int  // e.g. [-1 -1 64], before pooling
	Parameters   int    // number of weights
	Opset        int    // of an ONNX file, else 0
	// DefaultPool is the pooling that the published use of the architecture
	// implies (last for ConvEncoder); empty if none is.
	DefaultPool Pool
	// Identity is a SHA-256 in hex over the encoder's content and the options
	// that change its output; it keys the latent cache. Empty: not cacheable.
	Identity string
	// SHA256 is the hash of the encoder file itself, for provenance.
	SHA256 string
	// Beside lists the other files of the encoder, such as external data.
	Beside []FileSum
	// Warnings are findings that do not stop the run, Notes facts for the reader about an ordinary file.
	Warnings, Notes []string
	// State is the key of the state dict in a training checkpoint; empty where the file is
	// a state dict itself.
	State string
	// Inputs are the inputs of an ONNX file besides the states, as "input NAME=VALUE", an array as its digest.
	Inputs []string
}

// InputValue is the value of an input besides the states: "zeros", a number that all its elements have, or FILE[:key]
// of an array.
type InputValue = fixed.Value

// OpenOptions are the options for reading an encoder file.
type OpenOptions struct {
	// State is the key of the state dict in a training checkpoint, such as "model" or
	// "ema"; see checkpoint.Options. A plain state dict has no choice and takes only "".
	State string
	// Activation is the function of hidden layers for files of weights that do not record it, of a ConvEncoder
	// (default: "silu") or a ViT-MAE (default: "gelu"): "silu", "relu", "gelu", "gelu_tanh", "quick_gelu", "tanh" or "none". Empty:
	// from a configuration in or next to the file, else the default.
	Activation string
	// Heads is the number of attention heads of a ViT-MAE (8 by default), or of a VideoViT whose file lacks the rotary
	// frequencies that determine it. 0: from a configuration in the file or next to it, else the default.
	Heads int
	// FinalActivation of a DQN CNN's last layer: "relu" (the default) or "none".
	FinalActivation string
	// Output names the output of an ONNX graph that has several; empty takes
	// the only one.
	Output string
	// Prefer are names of the output to take of a head that has several where Output is
	// empty: the first of them that there is, whatever the case and signs between letters,
	// else the first output. nil: several outputs are an error.
	Prefer []string
	// Layers, if not empty, makes the encoder compute these values of its graph instead of its output; see Layers and
	// LayerEncoder. A layer is named by its value, or by the node that makes it (of several nodes of one name, parts of
	// one module, the last); * and ? stand for any characters and any one. Values are computed once each, in the order of
	// this list; values that match a pattern come in the order of the graph.
	Layers []string
	// Inputs are the values of an ONNX file's inputs besides the states; all of these must have one.
	Inputs []InputValue
	// StateShape is the shape of the states to come, if known; it determines which values of a graph with free axes can be
	// layers.
	StateShape []int
	// Threads bounds the goroutines of one Encode; 0 means GOMAXPROCS.
	Threads int
	// Backend runs the encoder; nil is the processor. It must outlive the encoder.
	Backend *model.Backend
}

// ArchitectureHelp is the table of the encoders that Open builds from a file of weights, with
// the names of their tensors, as text for a manual.
func ArchitectureHelp() string { return checkpoint.Help() }

// Support describes one ONNX operator: opsets, element types, attributes.
type Support = operator.Support

// Supported describes the ONNX operators that Open understands, by name.
func Supported() []Support { return operator.Supported() }
