// The families of published encoders: where the tensors of each part are, and what tensors do not tell.

package checkpoint

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// family is a layout of tensors with the code that published it. A family is a row of the table.
type family struct {
	label string
	// names are the names of parts, as "part=name"; * stands for the number of a block. Parts are listed in
	// [buildViT] and the other builders.
	names map[string]string
	build func(b *builder, f *family) error

	epsilon          float64 // of the normalizations, where no configuration tells
	preEpsilon       float64 // the same where the tokens are normalized before the blocks; 0: no other
	activation       string  // where no configuration tells
	headed           bool    // the last layer is a head
	heads            int     // where neither a configuration nor a published model of the width tells; 0: an error
	resample         resampling
	windows          windowing
	waves            bool                                  // positions without tensors are sines and cosines of the index
	bare             bool                                  // special tokens may have no positions
	rotary           func(v *vit) (*rotation, error)       // nil: none
	pooled           func(v *vit) error                    // pooling of the family; nil: the output are the tokens
	poolHeads        int                                   // heads of the pooling; 0: as many as the blocks have
	gateAsConfigured bool                                  // gates have the activation of the configuration; else SiLU
	gated            [][3]string                           // parts of gated MLPs: gate, up and down
	signature        []string                              // names of tensors that only this family has
	accepts          func(state State, prefix string) bool // what names do not tell; nil: any
	outside          []string                              // beginnings of names that are other parts of the model
	input            string                                // "[B, C, H, W]"
	output           string
}

// resampling is how positions are brought to another grid.
type resampling struct {
	antialias     bool    // kernels as wide as a patch of the new grid
	withRegisters bool    // antialias only where the model has registers
	linear        bool    // in the place of cubic
	offset        float64 // added to the number of patches of each axis for the scale: DINO's way to avoid rounding errors
}

// name is the name of a part: of a block by its index, or by the indices of its stage and itself.
func (f *family) name(part string, index ...int) string {
	name, ok := f.names[part]
	if !ok {
		return "?" + part
	}
	if list := strings.Split(f.names["stages"], ","); len(list) > 1 && len(index) == 2 { // stages have own names
		name = strings.Replace(name, "@", list[min(index[0], len(list)-1)], 1)
		index = index[1:]
	}
	for _, i := range index {
		name = strings.Replace(name, "*", strconv.Itoa(i), 1)
	}
	return name
}

// has reports whether the family has a part.
func (f *family) has(part string) bool { return f.names[part] != "" }

// part is the name of a part that the family and the file have, a tensor or a module with a weight; "" for none.
func (b *builder) part(f *family, part string, index ...int) string {
	if name := f.name(part, index...); f.has(part) && (b.has(name) || b.has(name+".weight")) {
		return name
	}
	return ""
}

// parts reads "part=name …"; the names of parts of blocks begin with the name of the block.
func parts(list string) map[string]string {
	names := map[string]string{}
	block := ""
	for _, field := range strings.Fields(list) {
		part, name, _ := strings.Cut(field, "=")
		if part == "block" {
			block = name
		} else if strings.HasPrefix(name, ".") {
			name = block + name
		}
		names[part] = name
	}
	return names
}

// Parts that several families have alike.
const (
	timmParts = `cls=cls_token dist=dist_token registers=reg_token positions=pos_embed patch=patch_embed.proj
		pre_norm=norm_pre
		block=blocks.* norm1=.norm1 attention=.attn qkv=.attn.qkv q_norm=.attn.q_norm k_norm=.attn.k_norm
		proj=.attn.proj scale1=.ls1.gamma
		norm2=.norm2 fc1=.mlp.fc1 fc2=.mlp.fc2 scale2=.ls2.gamma w12=.mlp.w12 w1=.mlp.w1 w2=.mlp.w2 w3=.mlp.w3
		norm=norm fc_norm=fc_norm pool=attn_pool pool_latent=attn_pool.latent pool_q=attn_pool.q pool_kv=attn_pool.kv
		pool_proj=attn_pool.proj pool_norm=attn_pool.norm pool_fc1=attn_pool.mlp.fc1 pool_fc2=attn_pool.mlp.fc2 `
	huggingParts = `cls=embeddings.cls_token dist=embeddings.distillation_token registers=embeddings.register_tokens
		positions=embeddings.position_embeddings patch=embeddings.patch_embeddings.projection norm=layernorm `
	huggingBlock = `block=encoder.layer.* attention=.attention.attention q=.attention.attention.query
		k=.attention.attention.key
		v=.attention.attention.value proj=.attention.output.dense `
	modernBlock = ` attention=.attention q=.attention.q_proj k=.attention.k_proj v=.attention.v_proj
		proj=.attention.o_proj `
	dinoBlock = ` norm1=.norm1 norm2=.norm2 scale1=.layer_scale1.lambda1 scale2=.layer_scale2.lambda1
		fc1=.mlp.fc1 fc2=.mlp.fc2
		packed=.mlp.weights_in packed_out=.mlp.weights_out gate=.mlp.gate_proj up=.mlp.up_proj down=.mlp.down_proj `
	clipParts = `patch=embeddings.patch_embedding positions=embeddings.position_embedding.weight
		cls=embeddings.class_embedding
		pre_norm=pre_layrnorm block=encoder.layers.* norm1=.layer_norm1 attention=.self_attn q=.self_attn.q_proj
		k=.self_attn.k_proj
		v=.self_attn.v_proj proj=.self_attn.out_proj norm2=.layer_norm2 fc1=.mlp.fc1 fc2=.mlp.fc2 norm=post_layernorm `
	biasParts = ` q_bias=.attn.q_bias v_bias=.attn.v_bias scale1=.gamma_1 scale2=.gamma_2 inner_norm=.attn.norm
		mlp_norm=.mlp.norm `
	beitParts = ` scale1=.lambda_1 scale2=.lambda_2 norm1=.layernorm_before norm2=.layernorm_after fc_norm=pooler.layernorm
		shared_table=encoder.relative_position_bias.relative_position_bias_table
		shared_index=encoder.relative_position_bias.relative_position_index `
	siglipParts = `probe=head.probe pool=head pool_in=head.attention.in_proj pool_proj=head.attention.out_proj
		pool_norm=head.layernorm
		pool_fc1=head.mlp.fc1 pool_fc2=head.mlp.fc2 `
)

// under puts a prefix before all names.
func under(prefix string, names map[string]string) map[string]string {
	out := make(map[string]string, len(names))
	for part, name := range names {
		out[part] = prefix + name
	}
	return out
}

// clipsWithoutPositions accepts patches of several frames without learned positions.
func clipsWithoutPositions(state State, prefix string) bool {
	_, positions := state[prefix+"pos_embed"]
	return len(state[prefix+"patch_embed.proj.weight"].Shape) == 5 && !positions
}

// patchesAreRows accepts a product of the pixels of a patch instead of a convolution.
func patchesAreRows(name string) func(state State, prefix string) bool {
	return func(state State, prefix string) bool { return len(state[prefix+name].Shape) == 2 }
}

// relativePositions accepts blocks with tables of relative positions.
func relativePositions(state State, prefix string) bool {
	_, separate := state[prefix+"blocks.0.attn.relative_position_bias_table"]
	_, shared := state[prefix+"rel_pos_bias.relative_position_bias_table"]
	return separate || shared
}

// halvesOfGates accepts MLPs whose first product makes two halves, one the gate of the other.
func halvesOfGates(state State, prefix string) bool {
	first, last := state[prefix+"blocks.0.mlp.fc1.weight"].Shape, state[prefix+"blocks.0.mlp.fc2.weight"].Shape
	return len(first) == 2 && len(last) == 2 && first[0] == 2*last[1]
}

// withoutTogether has queries, keys and values apart.
func withoutTogether(names map[string]string) map[string]string {
	delete(names, "qkv")
	return names
}

// lacks accepts a state dict without a tensor.
func lacks(name string) func(state State, prefix string) bool {
	return func(state State, prefix string) bool {
		_, has := state[prefix+name]
		return !has
	}
}

// with adds names to others.
func with(names map[string]string, list string) map[string]string {
	for part, name := range parts(list) {
		names[part] = name
	}
	return names
}

var (
	images = "[B, C, H, W]"
	clips  = "[B, T, C, H, W]"
	tokens = "[B, S+N, E]"
	vector = "[B, D]"

	byRegisters = resampling{withRegisters: true}
	dinoGates   = [][3]string{{"packed", "packed", "packed_out"}, {"gate", "up", "down"}}
	timmGates   = [][3]string{{"w12", "w12", "w3"}, {"w1", "w2", "w3"}}
	evaGates    = [][3]string{{"gate", "up", "fc2"}}
	others      = []string{"head.", "head_dist.", "decoder_", "decoder.", "mask_token", "predictor.", "fc.",
		"classifier.", "pooler.", "projector.", "projection_head.", "prototypes."}
)

// families are the known families, the more special ones first.
var families = []family{
	{
		label: "DINOv3 ViT", build: buildViT, input: images, output: tokens, epsilon: 1e-5, activation: "gelu",
		rotary:    rotateCentered,
		names:     with(parts(timmParts), "registers=storage_tokens periods=rope_embed.periods"),
		gated:     timmGates,
		signature: []string{"storage_tokens", "rope_embed.periods", "patch_embed.proj.weight"}, outside: others,
	},
	{
		label: "DINOv3 ViT", build: buildViT, input: images, output: tokens, epsilon: 1e-5, activation: "gelu",
		rotary: rotateCentered,
		names: parts("cls=embeddings.cls_token registers=embeddings.register_tokens " +
			"patch=embeddings.patch_embeddings norm=norm block=layer.*" +
			modernBlock + dinoBlock + " fc1=.mlp.up_proj fc2=.mlp.down_proj"),
		gated: dinoGates[1:], gateAsConfigured: true,
		signature: []string{"embeddings.register_tokens", "embeddings.patch_embeddings.weight",
			"layer.0.attention.q_proj.weight"},
		outside: append([]string{"embeddings.mask_token"}, others...),
	},
	{
		label: "V-JEPA 2", build: buildViT, input: clips, output: tokens, epsilon: 1e-6, activation: "gelu",
		rotary: rotateIndices,
		names: parts("patch=encoder.embeddings.patch_embeddings.proj norm=encoder.layernorm block=encoder.layer.* " +
			"norm1=.norm1 attention=.attention " +
			"q=.attention.query k=.attention.key v=.attention.value proj=.attention.proj norm2=.norm2 fc1=.mlp.fc1 " +
			"fc2=.mlp.fc2"),
		signature: []string{"encoder.embeddings.patch_embeddings.proj.weight", "encoder.layer.0.attention.proj.weight"},
		outside:   append([]string{"predictor."}, others...),
	},
	{
		label: "DINOv2", build: buildViT, input: images, output: tokens, epsilon: 1e-6, activation: "gelu",
		names: parts(huggingParts + huggingBlock + dinoBlock), gated: dinoGates, resample: byRegisters,
		signature: []string{"embeddings.patch_embeddings.projection.weight", "encoder.layer.0.layer_scale1.lambda1",
			"encoder.layer.0.attention.attention.query.weight"},
		outside: append([]string{"embeddings.mask_token"}, others...),
	},
	{
		label: "DINOv2", build: buildViT, input: images, output: tokens, epsilon: 1e-6, activation: "gelu",
		names: parts(huggingParts + "block=encoder.layer.*" + modernBlock + dinoBlock), gated: dinoGates,
		resample: byRegisters,
		signature: []string{"embeddings.patch_embeddings.projection.weight", "encoder.layer.0.layer_scale1.lambda1",
			"encoder.layer.0.attention.q_proj.weight"},
		outside: append([]string{"embeddings.mask_token"}, others...),
	},
	{
		label: "SigLIP 2", build: buildViT, input: images, output: vector, epsilon: 1e-6, activation: "gelu_tanh",
		pooled: poolProbe, resample: resampling{antialias: true, linear: true},
		names:     under("vision_model.", parts(clipParts+siglipParts)),
		signature: []string{"vision_model.embeddings.patch_embedding.weight", "vision_model.head.probe"},
		accepts:   patchesAreRows("vision_model.embeddings.patch_embedding.weight"),
		outside:   []string{"text_model.", "logit_scale", "logit_bias", "vision_model.embeddings.position_ids"},
	},
	{
		label: "SigLIP 2", build: buildViT, input: images, output: vector, epsilon: 1e-6, activation: "gelu_tanh",
		pooled: poolProbe, resample: resampling{antialias: true, linear: true},
		names:     parts(clipParts + siglipParts),
		signature: []string{"embeddings.patch_embedding.weight", "head.probe"},
		accepts:   patchesAreRows("embeddings.patch_embedding.weight"), outside: []string{"embeddings.position_ids"},
	},
	{
		label: "SigLIP", build: buildViT, input: images, output: vector, epsilon: 1e-6, activation: "gelu_tanh",
		pooled:    poolProbe,
		names:     under("vision_model.", parts(clipParts+siglipParts)),
		signature: []string{"vision_model.head.probe", "vision_model.embeddings.patch_embedding.weight"},
		outside:   []string{"text_model.", "logit_scale", "logit_bias", "vision_model.embeddings.position_ids"},
	},
	{
		label: "SigLIP", build: buildViT, input: images, output: vector, epsilon: 1e-6, activation: "gelu_tanh",
		pooled:    poolProbe,
		names:     parts(clipParts + siglipParts),
		signature: []string{"head.probe", "embeddings.patch_embedding.weight"}, outside: []string{"embeddings.position_ids"},
	},
	{
		label: "CLIP", build: buildViT, input: images, output: vector, epsilon: 1e-5, activation: "quick_gelu",
		pooled:    poolClass,
		names:     with(under("vision_model.", parts(clipParts)), "projection=visual_projection"),
		signature: []string{"vision_model.embeddings.class_embedding", "vision_model.pre_layrnorm.weight"},
		outside:   []string{"text_model.", "text_projection", "logit_scale", "vision_model.embeddings.position_ids"},
	},
	{
		label: "CLIP", build: buildViT, input: images, output: vector, epsilon: 1e-5, activation: "quick_gelu",
		pooled:    poolClass,
		names:     with(parts(clipParts), "projection=visual_projection"),
		signature: []string{"embeddings.class_embedding", "pre_layrnorm.weight"},
		outside:   []string{"embeddings.position_ids"},
	},
	{
		label: "OpenCLIP", build: buildViT, input: images, output: vector, epsilon: 1e-5, activation: "gelu",
		pooled: poolClass,
		names: parts(`cls=visual.class_embedding positions=visual.positional_embedding patch=visual.conv1
			pre_norm=visual.ln_pre
			block=visual.transformer.resblocks.* norm1=.ln_1 attention=.attn qkv=.attn.in_proj proj=.attn.out_proj
			scale1=.ls_1.gamma norm2=.ln_2
			fc1=.mlp.c_fc fc2=.mlp.c_proj scale2=.ls_2.gamma norm=visual.ln_post projection=visual.proj`),
		signature: []string{"visual.class_embedding", "visual.transformer.resblocks.0.attn.in_proj_weight"},
		outside: []string{"transformer.", "token_embedding.", "positional_embedding", "ln_final.", "text_projection",
			"logit_scale", "logit_bias",
			"input_resolution", "context_length", "vocab_size", "text."},
	},
	{
		label: "ViT (torchvision)", build: buildViT, input: images, output: tokens, epsilon: 1e-6, activation: "gelu",
		names: parts(`cls=class_token positions=encoder.pos_embedding patch=conv_proj
			block=encoder.layers.encoder_layer_* norm1=.ln_1
			attention=.self_attention qkv=.self_attention.in_proj proj=.self_attention.out_proj norm2=.ln_2
			fc1=.mlp.0 fc2=.mlp.3 norm=encoder.ln`),
		signature: []string{"conv_proj.weight", "encoder.layers.encoder_layer_0.mlp.0.weight"}, outside: []string{"heads."},
	},
	{
		label: "ViT (torchvision)", build: buildViT, input: images, output: tokens, epsilon: 1e-6, activation: "gelu",
		names: parts(`cls=class_token positions=encoder.pos_embedding patch=conv_proj
			block=encoder.layers.encoder_layer_* norm1=.ln_1
			attention=.self_attention qkv=.self_attention.in_proj proj=.self_attention.out_proj norm2=.ln_2
			fc1=.mlp.linear_1 fc2=.mlp.linear_2 norm=encoder.ln`),
		signature: []string{"conv_proj.weight", "encoder.layers.encoder_layer_0.mlp.linear_1.weight"},
		outside:   []string{"heads."},
	},
	{
		label: "ViT-MAE", build: buildViT, input: images, output: tokens, epsilon: 1e-12, activation: "gelu", heads: 8,
		names: parts(huggingParts + huggingBlock + "norm1=.layernorm_before norm2=.layernorm_after " +
			"fc1=.intermediate.dense fc2=.output.dense"),
		signature: []string{"embeddings.patch_embeddings.projection.weight", "embeddings.position_embeddings",
			"encoder.layer.0.layernorm_before.weight"},
		accepts: lacks("encoder.layer.0.lambda_1"), // BEiT
		outside: append([]string{"embeddings.mask_token"}, others...),
	},
	{
		label: "VideoMAE", build: buildViT, input: clips, output: tokens, epsilon: 1e-12, activation: "gelu", waves: true,
		names: parts(huggingParts + huggingBlock + "q_bias=.attention.attention.q_bias v_bias=.attention.attention.v_bias " +
			"norm1=.layernorm_before norm2=.layernorm_after fc1=.intermediate.dense fc2=.output.dense"),
		signature: []string{"embeddings.patch_embeddings.projection.weight", "encoder.layer.0.layernorm_before.weight"},
		accepts: func(state State, prefix string) bool {
			_, learned := state[prefix+"embeddings.position_embeddings"]
			_, special := state[prefix+"embeddings.cls_token"]
			return len(state[prefix+"embeddings.patch_embeddings.projection.weight"].Shape) == 5 && !learned && !special
		},
		outside: others,
	},
	{
		label: "ViT", build: buildViT, input: images, output: tokens, epsilon: 1e-12, activation: "gelu", heads: 8,
		names: parts(huggingParts + "block=layers.*" + modernBlock + "norm1=.layernorm_before " +
			"norm2=.layernorm_after fc1=.mlp.fc1 fc2=.mlp.fc2"),
		signature: []string{"embeddings.patch_embeddings.projection.weight", "layers.0.layernorm_before.weight"},
		outside:   append([]string{"embeddings.mask_token"}, others...),
	},
	{
		label: "V-JEPA 2", build: buildViT, input: clips, output: tokens, epsilon: 1e-6, activation: "gelu",
		rotary: rotateIndices,
		names:  parts(timmParts), accepts: clipsWithoutPositions,
		signature: []string{"patch_embed.proj.weight", "blocks.0.attn.qkv.weight", "blocks.0.norm1.weight"}, outside: others,
	},
	{
		label: "DINOv3 ViT", build: buildViT, input: images, output: tokens, epsilon: 1e-5, activation: "gelu",
		rotary: rotateCentered,
		names: with(parts(timmParts), "block=blocks.* scale1=.gamma_1 scale2=.gamma_2 q_bias=.attn.q_bias "+
			"v_bias=.attn.v_bias"),
		signature: []string{"cls_token", "patch_embed.proj.weight", "reg_token", "blocks.0.gamma_1",
			"blocks.0.attn.qkv.weight"},
		outside: others,
	},
	{
		label: "DINOv2", build: buildViT, input: images, output: tokens, epsilon: 1e-6, activation: "gelu",
		names: with(parts(timmParts), "registers=register_tokens"), gated: timmGates,
		resample: resampling{withRegisters: true, offset: 0.1},
		signature: []string{"mask_token", "patch_embed.proj.weight", "blocks.0.attn.qkv.weight",
			"blocks.0.ls1.gamma"}, outside: others,
	},
	{
		label: "BEiT", build: buildViT, input: images, output: tokens, epsilon: 1e-12, activation: "gelu",
		names: parts(huggingParts + huggingBlock + "fc1=.intermediate.dense fc2=.output.dense" + beitParts +
			"table=.attention.attention.relative_position_bias.relative_position_bias_table " +
			"index=.attention.attention.relative_position_bias.relative_position_index"),
		signature: []string{"embeddings.patch_embeddings.projection.weight", "encoder.layer.0.lambda_1",
			"encoder.layer.0.attention.attention.query.weight"},
		outside: append([]string{"embeddings.mask_token", "lm_head."}, others...),
	},
	{
		label: "BEiT", build: buildViT, input: images, output: tokens, epsilon: 1e-12, activation: "gelu",
		names: parts(huggingParts + "block=layers.*" + modernBlock + "fc1=.mlp.fc1 fc2=.mlp.fc2" + beitParts +
			"table=.relative_position_bias.relative_position_bias_table"),
		signature: []string{"embeddings.patch_embeddings.projection.weight", "layers.0.lambda_1",
			"layers.0.attention.q_proj.weight"},
		outside: append([]string{"embeddings.mask_token", "lm_head."}, others...),
	},
	{
		label: "BEiT", build: buildViT, input: images, output: tokens, epsilon: 1e-6, activation: "gelu",
		names: with(parts(timmParts), "block=blocks.*"+biasParts+"table=.attn.relative_position_bias_table "+
			"index=.attn.relative_position_index shared_table=rel_pos_bias.relative_position_bias_table "+
			"shared_index=rel_pos_bias.relative_position_index"),
		signature: []string{"patch_embed.proj.weight", "blocks.0.attn.q_bias", "blocks.0.attn.qkv.weight"},
		accepts:   relativePositions, outside: others,
	},
	{
		label: "EVA-02", build: buildViT, input: images, output: tokens, epsilon: 1e-6, activation: "gelu",
		rotary: rotateEVA, resample: resampling{antialias: true},
		names: with(parts(timmParts), "block=blocks.*"+biasParts), accepts: halvesOfGates,
		signature: []string{"patch_embed.proj.weight", "blocks.0.attn.q_bias", "blocks.0.attn.qkv.weight"}, outside: others,
	},
	{
		label: "EVA-02", build: buildViT, input: images, output: tokens, epsilon: 1e-6, activation: "gelu",
		rotary: rotateEVA, resample: resampling{antialias: true}, gated: evaGates,
		names: withoutTogether(with(parts(timmParts), "block=blocks.*"+biasParts+
			"q=.attn.q_proj k=.attn.k_proj v=.attn.v_proj "+
			"gate=.mlp.fc1_g up=.mlp.fc1_x")),
		signature: []string{"patch_embed.proj.weight", "blocks.0.attn.q_proj.weight", "blocks.0.mlp.fc1_g.weight"},
		outside:   others,
	},
	{
		label: "EVA", build: buildViT, input: images, output: tokens, epsilon: 1e-6, activation: "gelu",
		resample:  resampling{antialias: true},
		names:     with(parts(timmParts), "block=blocks.*"+biasParts),
		signature: []string{"pos_embed", "patch_embed.proj.weight", "blocks.0.attn.q_bias", "blocks.0.attn.qkv.weight"},
		outside:   others,
	},
	{
		label: "Perception Encoder", build: buildViT, input: images, output: vector, epsilon: 1e-5, activation: "gelu",
		rotary: rotatePE, resample: resampling{antialias: true}, poolHeads: 8, names: parts(timmParts),
		signature: []string{"norm_pre.weight", "attn_pool.latent", "blocks.0.attn.qkv.weight"}, outside: others,
	},
	{
		label: "ViT (timm)", build: buildViT, input: images, output: tokens, epsilon: 1e-6, activation: "gelu",
		preEpsilon: 1e-5, bare: true, resample: resampling{antialias: true},
		names: parts(timmParts), gated: timmGates,
		signature: []string{"patch_embed.proj.weight", "blocks.0.attn.qkv.weight", "blocks.0.norm1.weight"}, outside: others,
	},
	{
		label: "Swin", build: buildSwin, input: images, output: vector, epsilon: 1e-5, activation: "gelu",
		names: parts(swinOriginal), windows: windowing{rolledFirst: true},
		signature: []string{"layers.0.downsample.reduction.weight", "patch_embed.proj.weight",
			"layers.0.blocks.0.attn.qkv.weight"}, outside: others,
	},
	{
		label: "Swin", build: buildSwin, input: images, output: vector, epsilon: 1e-5, activation: "gelu",
		names: parts(swinTIMM), windows: windowing{rolledFirst: true},
		signature: []string{"layers.1.downsample.reduction.weight", "patch_embed.proj.weight",
			"layers.0.blocks.0.attn.qkv.weight"}, outside: others,
	},
	{
		label: "Swin", build: buildSwin, input: images, output: vector, epsilon: 1e-5, activation: "gelu",
		names: parts(swinHugging), windows: windowing{together: true},
		signature: []string{"encoder.layers.0.blocks.0.attention.self.query.weight",
			"embeddings.patch_embeddings.projection.weight"},
		outside: append([]string{"embeddings.mask_token"}, others...),
	},
	{
		label: "Swin", build: buildSwin, input: images, output: vector, epsilon: 1e-5, activation: "gelu",
		names: parts(swinTorchvision), windows: windowing{padded: true},
		signature: []string{"features.1.0.attn.qkv.weight", "features.2.reduction.weight"}, outside: others,
	},
	towerFamily("BERT", "bert.", bertParts, bertHead, 1e-12),
	towerFamily("RoBERTa", "roberta.", bertParts, lmHead, 1e-12),
	towerFamily("BERT", "", bertParts, bertHead, 1e-12),
	towerFamily("ESM-2", "esm.", esmParts, lmHead, 1e-12),
	towerFamily("ESM-2", "", esmParts, lmHead, 1e-12),
	towerFamily("ESM-2", "encoder.sentence_encoder.", esmOriginal, strings.ReplaceAll(lmHead, "=", "=encoder."), 1e-5),
	{
		label: "Nature CNN", build: buildNature, input: "[B, C, 84, 84]", output: vector,
		names:     parts("conv1=cnn.0 conv2=cnn.2 conv3=cnn.4 fc=linear.0"),
		signature: []string{"cnn.0.weight", "cnn.2.weight", "cnn.4.weight", "linear.0.weight"},
	},
	{
		label: "Nature CNN", build: buildNature, input: "[B, C, 84, 84]", output: vector, accepts: natureKernels,
		names:     parts("conv1=0 conv2=2 conv3=4 fc=7"),
		signature: []string{"0.weight", "2.weight", "4.weight", "7.weight"}, outside: []string{"9."},
	},
	agentMLP("mlp_extractor.policy_net", "tanh", false, "mlp_extractor.value_net.", "action_net.", "value_net.",
		"log_std"),
	agentMLP("actor.latent_pi", "relu", false, "actor.mu.", "actor.log_std.", "critic.", "critic_target.",
		"log_ent_coef"),
	agentMLP("q_net.q_net", "relu", true, "q_net_target."),
	agentMLP("actor.mu", "relu", true, "actor_target.", "critic.", "critic_target."),
	{
		label: "IMPALA CNN", build: buildIMPALA, input: images, output: vector,
		names: parts(`conv=*.conv res11=*.res_block0.conv0 res12=*.res_block0.conv1 res21=*.res_block1.conv0
			res22=*.res_block1.conv1 fc=5`),
		signature: []string{"0.conv.weight", "0.res_block0.conv0.weight"},
	},
	{
		label: "IMPALA CNN", build: buildIMPALA, input: images, output: vector,
		names: parts(`conv=block*.conv res11=block*.res1.conv1 res12=block*.res1.conv2 res21=block*.res2.conv1
			res22=block*.res2.conv2 fc=fc`),
		signature: []string{"block1.conv.weight", "block1.res1.conv1.weight"},
	},
	{
		label: "IMPALA CNN", build: buildIMPALA, input: images, output: vector,
		names: parts(`conv=feat_convs.*.0 res11=resnet1.*.1 res12=resnet1.*.3 res21=resnet2.*.1 res22=resnet2.*.3
			fc=fc`),
		signature: []string{"feat_convs.0.0.weight", "resnet1.0.1.weight"},
		outside:   []string{"core.", "policy.", "baseline."},
	},
	{
		label: "EfficientNet", build: buildInverse(timmBlock), input: images, output: vector,
		names:     inverseParts(inverseTIMM, timmInner),
		signature: []string{"conv_stem.weight", "bn1.running_mean", "conv_head.weight"}, outside: others,
	},
	{
		label: "EfficientNet", build: buildInverse(huggingInverted), input: images, output: vector,
		names:     inverseParts(inverseHugging, huggingInner),
		signature: []string{"encoder.top_conv.weight", "embeddings.convolution.weight"}, outside: others,
	},
	{
		label: "EfficientNet", build: buildInverse(torchvisionBlock), input: images, output: vector,
		names: inverseParts(inverseTorchvision, torchvisionInner), outside: others,
		signature: []string{"features.0.0.weight", "features.0.1.running_mean", "features.1.0.block.0.0.weight"},
	},
	{
		label: "MobileNetV3", build: buildInverse(torchvisionBlock), input: images, output: vector,
		names: inverseParts(inverseFlat, flatInner), outside: others,
		signature: []string{"features.0.0.weight", "features.0.1.running_mean", "features.1.block.0.0.weight"},
	},
	{
		label: "ResNet", build: buildResNet, input: images, output: vector, names: parts(resnetParts),
		signature: []string{"conv1.weight", "bn1.running_mean", "layer1.0.conv1.weight", "layer4.0.conv2.weight"},
		outside:   others,
	},
	{
		label: "ResNet", build: buildResNet, input: images, output: vector,
		names: parts("stem=conv1.0 stem_norm=conv1.1 stem2=conv1.3 stem_norm2=conv1.4 stem3=conv1.6 stem_norm3=bn1 " +
			resnetStages),
		signature: []string{"conv1.0.weight", "bn1.running_mean", "layer1.0.conv1.weight", "layer4.0.conv2.weight"},
		outside:   others,
	},
	{
		label: "ResNet", build: buildResNet, input: images, output: vector, // a sequence of torchvision's modules
		names:     with(parts(resnetParts), "stem=0 stem_norm=1 block=@.* stages=4,5,6,7 "+resnetInner),
		signature: []string{"0.weight", "1.running_mean", "4.0.conv1.weight", "7.0.conv2.weight"}, outside: []string{"9."},
	},
	{
		label: "ResNet", build: buildResNet, input: images, output: vector, names: parts(resnetHugging),
		signature: []string{"embedder.embedder.convolution.weight",
			"encoder.stages.0.layers.0.layer.0.convolution.weight"}, outside: others,
	},
	{
		label: "ResNetV2", build: buildResNetV2, input: images, output: vector,
		names: parts("stem=stem.conv block=stages.*.blocks.* norm1=.norm1 conv1=.conv1 norm2=.norm2 conv2=.conv2 " +
			"norm3=.norm3 conv3=.conv3 shortcut=.downsample.conv last=norm"),
		signature: []string{"stem.conv.weight", "stages.0.blocks.0.norm1.weight", "stages.3.blocks.0.conv2.weight",
			"norm.weight"},
		outside: others,
	},
	{
		label: "ConvNeXt", build: buildConvNeXt, input: images, output: vector, epsilon: 1e-6, activation: "gelu",
		names:     parts(nextTIMM),
		signature: []string{"stem.0.weight", "stages.0.blocks.0.conv_dw.weight", "head.norm.weight"},
		outside:   []string{"head.fc."},
	},
	{
		label: "ConvNeXt", build: buildConvNeXt, input: images, output: vector, epsilon: 1e-6, activation: "gelu",
		names:     parts(nextOriginal),
		signature: []string{"downsample_layers.0.0.weight", "stages.0.0.dwconv.weight"}, outside: others,
	},
	{
		label: "ConvNeXt", build: buildConvNeXt, input: images, output: vector, epsilon: 1e-12, activation: "gelu",
		names:     parts(nextHugging),
		signature: []string{"embeddings.patch_embeddings.weight", "encoder.stages.0.layers.0.dwconv.weight"}, outside: others,
	},
	{
		label: "DINOv3 ConvNeXt", build: buildConvNeXt, input: images, output: vector, epsilon: 1e-6,
		activation: "gelu", names: parts(nextDINOv3),
		signature: []string{"stages.0.downsample_layers.0.weight", "stages.0.layers.0.depthwise_conv.weight"},
		outside:   others,
	},
	{
		label: "ConvNeXt", build: buildConvNeXt, input: images, output: vector, epsilon: 1e-6, activation: "gelu",
		names:     parts(nextTorchvision),
		signature: []string{"features.0.0.weight", "features.1.0.layer_scale", "classifier.0.weight"},
		outside:   []string{"classifier.2."},
	},
}

// Layouts of ConvNeXt: stem, layers between stages, blocks.
const (
	nextTIMM = `stem=stem.0 down0=stem.0 down_norm0=stem.1 down1=stages.1.downsample.1 down_norm1=stages.1.downsample.0
		down2=stages.2.downsample.1 down_norm2=stages.2.downsample.0 down3=stages.3.downsample.1
		down_norm3=stages.3.downsample.0
		block=stages.*.blocks.* depthwise=.conv_dw block_norm=.norm fc1=.mlp.fc1 fc2=.mlp.fc2 grn=.mlp.grn
		scale=.gamma norm=head.norm`
	nextOriginal = `stem=downsample_layers.0.0 down0=downsample_layers.0.0 down_norm0=downsample_layers.0.1
		down1=downsample_layers.1.1
		down_norm1=downsample_layers.1.0 down2=downsample_layers.2.1 down_norm2=downsample_layers.2.0
		down3=downsample_layers.3.1
		down_norm3=downsample_layers.3.0 block=stages.*.* depthwise=.dwconv block_norm=.norm fc1=.pwconv1
		fc2=.pwconv2 grn=.grn scale=.gamma norm=norm`
	nextHugging = `stem=embeddings.patch_embeddings down0=embeddings.patch_embeddings down_norm0=embeddings.layernorm
		down1=encoder.stages.1.downsampling_layer.1 down_norm1=encoder.stages.1.downsampling_layer.0
		down2=encoder.stages.2.downsampling_layer.1 down_norm2=encoder.stages.2.downsampling_layer.0
		down3=encoder.stages.3.downsampling_layer.1 down_norm3=encoder.stages.3.downsampling_layer.0
		block=encoder.stages.*.layers.* depthwise=.dwconv block_norm=.layernorm fc1=.pwconv1 fc2=.pwconv2
		grn=.grn scale=.layer_scale_parameter norm=layernorm`
	nextDINOv3 = `stem=stages.0.downsample_layers.0 down0=stages.0.downsample_layers.0
		down_norm0=stages.0.downsample_layers.1
		down1=stages.1.downsample_layers.1 down_norm1=stages.1.downsample_layers.0 down2=stages.2.downsample_layers.1
		down_norm2=stages.2.downsample_layers.0 down3=stages.3.downsample_layers.1 down_norm3=stages.3.downsample_layers.0
		block=stages.*.layers.* depthwise=.depthwise_conv block_norm=.layer_norm fc1=.pointwise_conv1
		fc2=.pointwise_conv2 scale=.gamma norm=layer_norm`
	nextTorchvision = `stages=1,3,5,7 stem=features.0.0 down0=features.0.0 down_norm0=features.0.1
		down1=features.2.1 down_norm1=features.2.0
		down2=features.4.1 down_norm2=features.4.0 down3=features.6.1 down_norm3=features.6.0
		block=features.@.* depthwise=.block.0 block_norm=.block.2 fc1=.block.3 fc2=.block.5 scale=.layer_scale
		norm=classifier.0`
	resnetInner = ` conv1=.conv1 norm1=.bn1 conv2=.conv2 norm2=.bn2 conv3=.conv3 norm3=.bn3 reduce=.se.fc1 expand=.se.fc2
		shortcut=.downsample.0 shortcut_norm=.downsample.1 pooled=.downsample.1 pooled_norm=.downsample.2`
	resnetStages  = `block=layer@.* stages=1,2,3,4` + resnetInner
	resnetParts   = `stem=conv1 stem_norm=bn1 ` + resnetStages
	resnetHugging = `stem=embedder.embedder.convolution stem_norm=embedder.embedder.normalization
		block=encoder.stages.*.layers.*
		conv1=.layer.0.convolution norm1=.layer.0.normalization conv2=.layer.1.convolution norm2=.layer.1.normalization
		conv3=.layer.2.convolution norm3=.layer.2.normalization shortcut=.shortcut.convolution
		shortcut_norm=.shortcut.normalization`
)

// architectureOf is a family as a row of the table of architectures.
func (f *family) architectureOf() modelArchitecture {
	var keys, optional []string
	for _, part := range slices.Sorted(maps.Keys(f.names)) {
		name := strings.ReplaceAll(strings.ReplaceAll(f.names[part], "*", "i"), "@", "i")
		switch part {
		case "block", "attention", "pool", "stages", "merge1", "merge2", "merge3":
			if strings.HasPrefix(part, "merge") {
				optional = append(optional, name+".reduction.weight", name+".norm.weight", name+".norm.bias")
			}
		case "cls", "dist", "registers", "positions", "scale", "scale1", "scale2", "periods", "probe", "pool_latent",
			"projection", "q_bias", "v_bias", "table", "index", "shared_table", "shared_index", "coordinates",
			"logit_scale", "window_mask",
			"frequencies", "position_ids":
			optional = append(optional, name)
		case "word":
			keys = append(keys, name+".weight")
		case "patch", "norm1", "norm2", "q", "k", "v", "qkv", "proj", "fc1", "fc2", "stem", "conv1", "conv2",
			"depthwise", "top", "conv", "fc":
			keys, optional = append(keys, name+".weight"), append(optional, name+".bias")
		default:
			optional = append(optional, name+".weight", name+".bias")
		}
	}
	for _, name := range f.signature {
		required := func(o string) bool { return generic(o) == generic(name) }
		if i := slices.IndexFunc(optional, required); i >= 0 {
			keys = append(keys, optional[i])
			optional = slices.DeleteFunc(optional, required)
		}
	}
	slices.Sort(keys)
	slices.Sort(optional)
	var options []string
	if f.epsilon > 0 && f.names["qkv"]+f.names["q"] != "" {
		options = append(options, "heads: from the configuration or the option, else of published models of the width")
	}
	if f.activation != "" {
		options = append(options, "activation: from the configuration or the option, else "+f.activation)
	}
	return modelArchitecture{
		Name: f.label, Input: f.input, Output: f.output, Keys: slices.Compact(keys),
		Optional: slices.Compact(optional), Options: options,
		signature: f.signature, outside: f.outside, accepts: f.accepts, limited: true,
		build: func(b *builder) error { return f.build(b, f) },
	}
}
