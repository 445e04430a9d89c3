// Alphabets: which token stands for which letter.

package token

// Alphabet says which tokens there are.
type Alphabet struct {
	// Names are the tokens by id: letters of residues, and special ones such as "<cls>".
	Names []string
	// CLS, Pad, EOS, Unknown and Mask are the ids of special tokens; −1 for one that there
	// is not.
	CLS, Pad, EOS, Unknown, Mask int
}

// Antibody returns the alphabet of 32 tokens of antibody language models: 0 <cls>, 1 <pad>,
// 2 <eos>, 3 <unk>, the twenty amino acids L A G V S E R T I D P K Q N F Y M H W C, then
// X B U O Z . - and 31 <mask>.
func Antibody() *Alphabet {
	a := &Alphabet{Names: []string{"<cls>", "<pad>", "<eos>", "<unk>"}, CLS: 0, Pad: 1, EOS: 2, Unknown: 3, Mask: 31}
	for _, letter := range "LAGVSERTIDPKQNFYMHWCXBUOZ.-" {
		a.Names = append(a.Names, string(letter))
	}
	a.Names = append(a.Names, "<mask>")
	return a
}

// Size is the number of tokens.
func (a *Alphabet) Size() int { return len(a.Names) }
