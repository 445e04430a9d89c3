"""Writes golden.json: edit distances and longest common subsequences by the literal table, matching
blocks by difflib with autojunk off, for the tests of package text.

Usage: python3 golden.py   (in this folder)
Needs Python alone.
"""
import difflib
import json
import platform
import random

rng = random.Random(15)


def distance(a, b):
    table = [[i + j if i * j == 0 else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (a[i - 1] != b[j - 1]))
    return table[-1][-1]


def subsequence(a, b):
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            table[i][j] = table[i - 1][j - 1] + 1 if a[i - 1] == b[j - 1] else max(table[i - 1][j], table[i][j - 1])
    return table[-1][-1]


def drawn(n, letters):
    return "".join(rng.choice(letters) for _ in range(n))


def damaged(text, rate, letters):
    out = []
    for letter in text:
        r = rng.random()
        if r < rate / 3:
            continue
        if r < 2 * rate / 3:
            out.append(rng.choice(letters))
            continue
        if r < rate:
            out.append(rng.choice(letters))
        out.append(letter)
    return "".join(out)


latin, wide = "ab", "abcdefgh äöß日本語🙂e\u0301"
prose = ("Create your account. Enter a user name, an address and a password of eight letters or more; "
         "you can change all of them later in the settings. ")
pairs = [("", ""), ("", "abc"), ("abc", ""), ("a", "a"), ("a", "b"), ("kitten", "sitting"), ("Sign in", "Sign up"),
         ("Hello", "hello world"), ("abxcd", "abcd"), ("qabxcd", "abycdf"), ("private Thread currentThread;", "private volatile Thread currentThread;"),
         ("aaaa", "aa"), ("abcabc", "cabcab"), ("tide", "diet"), ("🙂🙃", "🙃🙂"), ("e\u0301", "\u00e9")]
for n in (5, 20, 63, 64, 65, 127, 128, 129, 200, 300):
    for letters in (latin, wide):
        text = drawn(n, letters)
        pairs += [(text, drawn(n, letters)), (text, damaged(text, 0.2, letters)), (damaged(text, 0.1, letters), drawn(max(1, n // 3), letters))]
pairs += [(prose * 4, damaged(prose * 4, 0.1, wide)), (prose * 3, prose), (drawn(40, wide), prose * 5)]
cases = []
for a, b in pairs:
    match = difflib.SequenceMatcher(None, a, b, autojunk=False)
    cases.append({"a": a, "b": b, "distance": distance(a, b), "lcs": subsequence(a, b),
                  "matching": sum(block.size for block in match.get_matching_blocks()), "ratio": match.ratio()})
json.dump({"python": platform.python_version(), "cases": cases}, open("golden.json", "w"), indent=0)
