"""Writes golden.txt: the edits and equal pairs of pairs of sequences by Biopython's pairwise aligner, for the tests of
package identity.

    pip install biopython==1.88
    python golden.py            # 300 pairs, as stored
    python golden.py 1000 > all.txt

Global alignment with match 1, mismatch -1000 and gaps -1000 a letter has the fewest edits, and among those the most
equal pairs, for sequences of fewer than 1000 letters. One pair a line: both sequences, edits, equal pairs.
"""
import random
import sys

import Bio
from Bio.Align import PairwiseAligner

rng = random.Random(41)
RESIDUES, DNA = "ACDEFGHIKLMNPQRSTVWY", "ACGT"
aligner = PairwiseAligner(mode="global", match_score=1, mismatch_score=-1000, open_gap_score=-1000,
                          extend_gap_score=-1000)


def drawn(n, letters):
    return "".join(rng.choice(letters) for _ in range(n))


def mutated(sequence, rate, letters):
    out = []
    for letter in sequence:
        r = rng.random()
        if r < rate / 4:
            continue
        if r < rate / 2:
            out += [letter, rng.choice(letters)]
        elif r < rate:
            out.append(rng.choice(letters))
        else:
            out.append(letter)
    return "".join(out) or letters[0]


def pair(k):
    letters = DNA if k % 4 == 3 else RESIDUES
    a = drawn(rng.randint(1, 60) if k % 10 else rng.randint(200, 250), letters)
    kind = k % 3
    if kind == 0:
        return a, drawn(rng.randint(1, 80), letters)
    b = mutated(a, rng.uniform(0, 0.5), letters)
    if kind == 2:  # overlapping ends
        cut = rng.randint(0, len(a) // 3)
        b = mutated(a[cut:], 0.1, letters) + drawn(cut, letters)
    return a, b


def main():
    stored = len(sys.argv) == 1
    out = open("golden.txt", "w") if stored else sys.stdout
    print("# Biopython", Bio.__version__, file=out)
    for k in range(300 if stored else int(sys.argv[1])):
        a, b = pair(k)
        score = aligner.score(a, b)
        edits = -int(score // 1000)
        print(a, b, edits, int(score) + 1000 * edits, file=out)


main()
