"""Golden tokens: small tokenizers trained on made texts, what they answer, by Hugging Face's tokenizers.

Writes tokenizers.json.gz (the files by name) and golden.json.gz (texts, ids, types, masks, decoded texts).
Run with: python generate.py
"""

import gzip
import json
import random
import unicodedata

import tokenizers
from tokenizers import (AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers)

random.seed(7)
CORPUS = """a login screen with two text fields and a blue button
a list of messages with round pictures and the time of each
the settings page of an app: notifications, privacy, language
a map with a search bar and three pins, don't zoom
Ein Bildschirm mit Größe, Übersicht und Menü
une page d'accueil très épurée, déjà vue
a shopping cart with 3 items, $24.99 in total, 10% off
it's the user's profile, we're here; they'll see, I've said, I'm done, he'd go
登录 页面 和 按钮 地图 搜索
ログイン 画面 と ボタン
экран входа и кнопка
a dark dashboard with charts, tables & filters (2026-11-23) #1 @home
emoji 😀 👍🏽 🇩🇪 and ✓ → ★""".split("\n")


def train(model, trainer, normalizer=None, pre=None):
    t = Tokenizer(model)
    if normalizer:
        t.normalizer = normalizer
    if pre:
        t.pre_tokenizer = pre
    trainer.show_progress = False
    t.train_from_iterator(CORPUS, trainer)
    return t


def wordpiece(size, **kw):
    return trainers.WordPieceTrainer(vocab_size=size, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], **kw)


def chars(prefix=None, suffix=None, fuse=False, unknown="<unk>"):
    """A BPE without merges: its tokens show where words begin and end."""
    alphabet = sorted(set("".join(CORPUS)) - {" "}) + [" ", ".", "'", "_", "1", "2"]
    names = [unknown] if unknown else []
    for c in dict.fromkeys(alphabet):
        names.append(c)
        if prefix:
            names.append(prefix + c)
        if suffix:
            names.append(c + suffix)
            if prefix:
                names.append(prefix + c + suffix)
    vocab = {n: i for i, n in enumerate(names)}
    kw = {}
    if prefix:
        kw["continuing_subword_prefix"] = prefix
    if suffix:
        kw["end_of_word_suffix"] = suffix
    if unknown:
        kw["unk_token"] = unknown
    return models.BPE(vocab, [], fuse_unk=fuse, **kw)


def make():
    out = {}
    wp = lambda **kw: models.WordPiece(unk_token="[UNK]", **kw)
    t = train(wp(), wordpiece(260), normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer())
    t.post_processor = processors.TemplateProcessing(single="[CLS]:0 $A:0 [SEP]:0", pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1",
                                                     special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    t.decoder = decoders.WordPiece()
    out["bert_uncased"] = t

    t = train(wp(max_input_chars_per_word=12), wordpiece(240),
              normalizers.BertNormalizer(strip_accents=False, lowercase=False, handle_chinese_chars=False), pre_tokenizers.BertPreTokenizer())
    t.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    t.decoder = decoders.WordPiece(cleanup=False)
    t.enable_truncation(12)
    t.enable_padding(length=16, pad_id=0, pad_type_id=1)
    out["bert_cased_cut"] = t

    t = train(wp(), wordpiece(240), normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents(), normalizers.Strip(), normalizers.Lowercase()]),
              pre_tokenizers.Sequence([pre_tokenizers.Whitespace(), pre_tokenizers.Digits(individual_digits=True),
                                       pre_tokenizers.Punctuation("contiguous")]))
    t.post_processor = processors.TemplateProcessing(single="$A:3 [SEP]:4", special_tokens=[("[SEP]", 3)])
    t.enable_truncation(9, direction="left")
    t.enable_padding(direction="left", pad_to_multiple_of=4)
    out["wordpiece_parts"] = t

    alphabet = pre_tokenizers.ByteLevel.alphabet()
    bl = lambda size, special: trainers.BpeTrainer(vocab_size=size, special_tokens=special, initial_alphabet=alphabet)
    t = train(models.BPE(), bl(360, ["<|endoftext|>"]), None, pre_tokenizers.ByteLevel(add_prefix_space=False))
    t.decoder, t.post_processor = decoders.ByteLevel(), processors.ByteLevel(trim_offsets=False)
    out["gpt2"] = t

    t = train(models.BPE(), bl(350, ["<s>", "<pad>", "</s>", "<unk>"]), None, pre_tokenizers.ByteLevel(add_prefix_space=True))
    t.add_special_tokens([AddedToken("<mask>", lstrip=True)])
    t.decoder, t.post_processor = decoders.ByteLevel(), processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    t.enable_padding(pad_id=1, pad_token="<pad>", pad_to_multiple_of=8)
    out["roberta"] = t

    clip = r"""<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"""
    t = train(models.BPE(unk_token="<|endoftext|>", end_of_word_suffix="</w>"),
              trainers.BpeTrainer(vocab_size=620, special_tokens=["<|startoftext|>", "<|endoftext|>"], initial_alphabet=alphabet, end_of_word_suffix="</w>"),
              normalizers.Sequence([normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()]),
              pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(clip), "removed", invert=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]))
    t.post_processor = processors.RobertaProcessing(("<|endoftext|>", 1), ("<|startoftext|>", 0), trim_offsets=False, add_prefix_space=False)
    t.decoder = decoders.ByteLevel()
    out["clip"] = t

    llama = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
    t = train(models.BPE(ignore_merges=True), bl(340, ["<s>", "</s>"]), None,
              pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(llama), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]))
    t.post_processor = processors.Sequence([processors.ByteLevel(), processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])])
    t.decoder = decoders.ByteLevel()
    out["llama_words"] = t

    t = train(models.BPE(unk_token="<unk>", fuse_unk=True, end_of_word_suffix="</w>"),
              trainers.BpeTrainer(vocab_size=230, special_tokens=["<unk>"], end_of_word_suffix="</w>"),
              normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()]), pre_tokenizers.WhitespaceSplit())
    t.decoder = decoders.BPEDecoder()
    out["bpe_suffix"] = t

    vocab = {"<unk>": 0, **{"<0x%02X>" % b: b + 1 for b in range(256)}}
    merges = [("▁", "a"), ("l", "o"), ("lo", "g"), ("i", "n"), ("log", "in"), ("▁", "login"), ("e", "n"), ("▁a", "▁")]
    for c in "▁" + "abcdefghilmnoprstu":
        vocab[c] = len(vocab)
    for a, b in merges:
        vocab.setdefault(a + b, len(vocab))
    t = Tokenizer(models.BPE(vocab, merges, unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    t.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    t.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    out["byte_fallback"] = t

    t = train(wp(), wordpiece(200), normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer())
    t.add_tokens([AddedToken("Button", single_word=True, normalized=True), AddedToken("Map", normalized=False), AddedToken("Mapping", normalized=False),
                  AddedToken("é!", normalized=True), AddedToken("two text", lstrip=True, rstrip=True, normalized=False)])
    t.add_special_tokens([AddedToken("<<", rstrip=True), AddedToken(">>", lstrip=True, single_word=True)])
    out["added"] = t

    for name in ("removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"):
        t = Tokenizer(chars(prefix="##", suffix="</w>"))
        t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(r"[\s\d]|[^\w\s]{1,2}"), name), pre_tokenizers.Split("in", name, invert=True),
                                                   pre_tokenizers.Punctuation(name)])
        out["split_" + name] = t
    t = Tokenizer(chars(unknown=None))
    t.pre_tokenizer = pre_tokenizers.Digits()
    out["no_unknown"] = t
    return out


def settled(c):
    """Characters whose class all versions of Unicode agree on."""
    return unicodedata.ucd_3_2_0.category(c) == unicodedata.category(c) != "Cn" and unicodedata.category(c) != "Cs"


POOL = [c for c in map(chr, range(0x110000)) if not 0xD800 <= ord(c) < 0xE000 and settled(c)]
BY = {}
for c in POOL:
    BY.setdefault(unicodedata.category(c), []).append(c)
FIXED = ["", " ", "\n", "a", "   a  login\tscreen \r\n\r\n  with  ", "Größe Übersicht DÉJÀ vue", "Gro\u0308\u00dfe de\u0301ja\u0300", "İstanbul ıI ǅ ſ ẞ",
         "don't we're they'll I've I'm he'd 'tis 's 'S ''s", "$24.99, 10%-off!!! (2026-11-23)...", "登录页面login按钮", "ログイン画面", "экран ВХОДА",
         "😀👍🏽🇩🇪👨‍👩‍👧‍👦 ✓→★", "a\u0000b\ufffdc\u200bd\u200de\ufefff\u00adg", "x" * 120, "login" * 30, "é" * 101, "a" + "\u0301" * 40, "\u0316\u0301" * 35 + "b",
         "\u00a0a\u2003b\u3000c\u1680d\u2028e\u0085f\u000bg\u000ch", "[CLS] a [SEP] [MASK][PAD][UNK]", "[cls] login [sep]", "<s> </s> <pad> <mask> a <mask>b",
         "  <mask>  login", "<|endoftext|>a<|startoftext|> <|ENDOFTEXT|>", "Button button buttons BUTTON Button.", "Map Mapping Mapp map mapping",
         "a two text  b", " two texttwo text", "<<  a  >> >>b <<<< >>>>", "é! É! e\u0301!", "1234567 ١٢٣ ½ ² Ⅷ 3rd 4th", "ﬁ ﬂ ① ㍿ ｆｕｌｌ ﷺ Å Å 각 각",
         "\u1100\u1161\u11a8 한국어", "क्षि ไทย עברית العربية", "login\nlogin\n\n\nlogin \n login", " \t ", "a  b   c    d", "\u2029\u2029a", "_under_score__ __init__",
         "http://example.org/a?b=c&d=e#f", "café cafe\u0301 CAFÉ", "▁a ▁login▁", "<0x41> <unk>", "in ining  inin9in", "l o g i n l og in lo gin", "\u0345\u0301\u0323a\u0345\u0323\u0301",
         "tHe QuIcK bRoWn", "a" * 11 + " " + "b" * 12 + " " + "c" * 13, "\U0001d400\U00020000\U0002f800", "\u0958\u2126\u212b", "'", "''", " '", "' s", "!?.,;:"]


def nasty():
    texts = list(FIXED)
    words = " ".join(CORPUS).split(" ")
    while len(texts) < 240:
        parts = []
        for _ in range(random.randint(1, 7)):
            k = random.random()
            if k < 0.45:
                w = random.choice(words)
                w = random.choice([w, w.upper(), w.title(), w[: random.randint(1, len(w))], w + random.choice(words)])
                parts.append(w)
            elif k < 0.75:
                cat = random.choice(sorted(BY))
                parts.append("".join(random.choice(BY[cat]) for _ in range(random.randint(1, 3))))
            elif k < 0.9:
                parts.append("".join(random.choice(POOL) for _ in range(random.randint(1, 4))))
            else:
                parts.append(random.choice(["[SEP]", "<mask>", "<|endoftext|>", "<<", ">>", "Map", "two text", "'s", "'LL", "n't", "\r\n", "12345", "..."]))
            parts.append(random.choice(["", " ", " ", " ", "  ", "\n", "\t ", "\u00a0"]))
        texts.append("".join(parts))
    return texts


def write(path, value):
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, 0) as f:
        f.write(json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode())


def main():
    files, golden = {}, {"versions": {"tokenizers": tokenizers.__version__, "unicodedata": unicodedata.unidata_version}, "texts": nasty(), "of": {}}
    all_of = make()
    legacy = json.loads(all_of["gpt2"].to_str())
    legacy["model"]["merges"] = [" ".join(m) for m in legacy["model"]["merges"]]
    del legacy["model"]["type"]
    texts = golden["texts"]
    for name, t in all_of.items():
        files[name] = json.loads(t.to_str())
        n = t.get_vocab_size()
        encoded = [t.encode(x) for x in texts]
        of = golden["of"][name] = {"ids": [e.ids for e in encoded], "decoded": []}
        if any(any(e.type_ids) for e in encoded):
            of["types"] = [e.type_ids for e in encoded]
        if any(not all(e.attention_mask) for e in encoded):
            of["masks"] = [e.attention_mask for e in encoded]
        for k in range(40):
            ids = encoded[k * 5].ids if k % 2 else [random.randrange(n + 3) for _ in range(random.randint(0, 9))]
            ids = [i for i in ids if i < n + 3]
            of["decoded"].append([ids, t.decode(ids, skip_special_tokens=True), t.decode(ids, skip_special_tokens=False)])
    files["gpt2_lines"] = legacy
    write("tokenizers.json.gz", files)
    write("golden.json.gz", golden)


main()
