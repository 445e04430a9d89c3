"""The network: a small transformer encoder of paired chains, and a table of frequencies by position."""
import torch
from torch import nn

LETTERS = 'LAGVSERTIDPKQNFYMHWC'   # tokens 4 to 23
VOCABULARY, CLS, PAD, EOS, MASK = 32, 0, 1, 2, 31
PLACES = 96                        # of a chain; longer chains share the last


def places(tokens, chains, valid):
    """The place of every token in its chain, from its start and from its end."""
    chains = torch.maximum(chains, (tokens == EOS).to(chains.dtype))
    heavy = (valid * (1 - chains)).sum(1, keepdim=True)
    total = valid.sum(1, keepdim=True)
    index = torch.cumsum(torch.ones_like(tokens), 1) - 1
    start = index - chains * heavy
    end = heavy + chains * (total - heavy) - 1 - index
    return chains, start.clamp(0, PLACES - 1), end.clamp(0, PLACES - 1)


class Layer(nn.Module):
    def __init__(self, width, heads, inner):
        super().__init__()
        self.heads = heads
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)

    def forward(self, x, bias):
        b, n, d = x.shape
        split = lambda y: y.reshape(b, n, self.heads, d // self.heads).transpose(1, 2)
        h = self.before(x)
        query, key, value = split(self.query(h)), split(self.key(h)), split(self.value(h))
        attention = torch.softmax(query @ key.transpose(2, 3) * (d // self.heads) ** -0.5 + bias, 3)
        x = x + self.out((attention @ value).transpose(1, 2).reshape(b, n, d))
        return x + self.down(torch.relu(self.up(self.between(x)))), attention


class Transformer(nn.Module):
    """token_ids, chain_ids, attention_mask [B,L] → logits [B,L,32], hidden [B,L,D], attentions [B,layers,heads,L,L]."""

    def __init__(self, width=48, layers=2, heads=4, inner=96):
        super().__init__()
        self.token, self.chain = nn.Embedding(VOCABULARY, width), nn.Embedding(2, width)
        self.start, self.end = nn.Embedding(PLACES, width), nn.Embedding(PLACES, width)
        for table in (self.token, self.chain, self.start, self.end):
            nn.init.normal_(table.weight, std=0.5)
        self.layers = nn.ModuleList(Layer(width, heads, inner) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, VOCABULARY)

    def forward(self, tokens, chains, valid):
        chains, start, end = places(tokens, chains, valid)
        x = self.token(tokens) + self.chain(chains) + self.start(start) + self.end(end)
        bias = (1 - valid.float())[:, None, None, :] * -1e9
        attentions = []
        for layer in self.layers:
            x, attention = layer(x, bias)
            attentions.append(attention)
        hidden = self.norm(x)
        return self.head(hidden), hidden, torch.stack(attentions, 1)


class Frequencies(nn.Module):
    """The same inputs → logits: ln of how often a token is at a place of a chain, whatever is around it."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(2 * PLACES, VOCABULARY)

    def forward(self, tokens, chains, valid):
        chains, start, _ = places(tokens, chains, valid)
        return self.table(start + PLACES * chains)
