"""Makes crates/cognition/data/heads.bin: what the embedded model's sentence vectors tell about questions and statements.

    .venv/bin/python scripts/make_heads.py

Run it after scripts/make_model.py, and again when its examples change: crates/cognition/data/aspects.txt and
intents.toml beside it. Three small linear readings are learnt from those examples, none from a benchmark:

- questions: which aspect a question asks for (one of many, softmax),
- statements: which aspects a statement tells (several at once, each by itself, logistic). Statements are also joined
  in twos and threes, since people tell several things at once;
- intents: memory, reasoning or general (softmax). Questions about aspects without a first person count as memory.

Layout, little-endian:

    bytes 0..8   b"HEADS1\\0\\0"
    u16          dimensions d
    u16 x 2      rows: aspects a, intents i
    u8, bytes    length and text of the model's name; the same for its revision
    rows         questions a, statements a, intents i (memory, reasoning, general); each row
                 f32 scale, f32 bias, i8 x d: the value is scale * (row . vector) + bias

The last aspect is "overview". Floating-point sums may differ in their last bits from machine to machine, so a rebuild is
compared with the committed file by meaning, not byte by byte.
"""

import pathlib
import random
import re
import struct
import tomllib

import numpy
import onnxruntime
from sklearn.linear_model import LogisticRegression
from tokenizers import BertWordPieceTokenizer

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODEL = ROOT / "crates/providers/model"
ASPECTS = ROOT / "crates/cognition/data/aspects.txt"
SENTENCES = ROOT / "crates/cognition/data/intents.toml"
HEADS = ROOT / "crates/cognition/data/heads.bin"

MAGIC = b"HEADS1\0\0"
NAME, REVISION = "all-MiniLM-L6-v2-int8", "0d3125c50a5d"
INTENTS = ("memory", "reasoning", "general")
FILLS = 8
JOINED = 2
FIRST_PERSON = re.compile(r"\b(i|me|my|mine|myself|we|us|our|ours)\b", re.IGNORECASE)
JOINTS = (", and ", ", so ", ", but ", " because ", "; ", ", who ")


class Embedder:
    """Unit sentence vectors: the mean over the places of the last layer."""

    def __init__(self):
        self.session = onnxruntime.InferenceSession(MODEL / "minilm-l6-int8.onnx", providers=["CPUExecutionProvider"])
        self.tokens = BertWordPieceTokenizer(str(MODEL / "vocab.txt"), lowercase=True)

    def __call__(self, texts):
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        out = [None] * len(texts)
        for start in range(0, len(order), 32):
            batch = order[start : start + 32]
            ids = [self.tokens.encode(texts[i]).ids for i in batch]
            width = max(map(len, ids))
            tokens = numpy.array([row + [0] * (width - len(row)) for row in ids], numpy.int64)
            mask = numpy.array([[1] * len(row) + [0] * (width - len(row)) for row in ids], numpy.int64)
            feed = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": numpy.zeros_like(tokens)}
            states = self.session.run(None, feed)[0]
            weight = mask[..., None].astype(numpy.float32)
            means = (states * weight).sum(1) / weight.sum(1)
            for i, row in zip(batch, means / numpy.linalg.norm(means, axis=1, keepdims=True)):
                out[i] = row
        return numpy.stack(out)


def read_aspects():
    slots, aspects = {}, []
    for line in ASPECTS.read_text(encoding="utf-8").splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "slot":
            name, _, values = rest.partition(" = ")
            slots[name] = values.split(" | ")
        elif kind == "aspect":
            aspects.append((rest, [], []))
        elif kind == "?":
            aspects[-1][1].append(rest)
        elif kind == ".":
            aspects[-1][2].append(rest)
    assert aspects[-1][0] == "overview"
    return slots, aspects


def fill(text, slots, chance):
    filled = re.sub(r"\{(\w)\}", lambda slot: chance.choice(slots[slot.group(1)]), text)
    return filled[0].upper() + filled[1:]


def examples(slots, aspects, fills, chance):
    """Filled questions and statements, each with the number of its aspect."""
    several = lambda text: [fill(text, slots, chance) for _ in range(fills if "{" in text else 1)]
    asked = sorted({(text, i) for i, (_, qs, _) in enumerate(aspects) for q in qs for text in several(q)})
    told = [(text, {i}) for i, (_, _, ss) in enumerate(aspects) for s in ss for text in several(s)]
    return asked, told


def joined(told, names, chance):
    """Statements of two or three aspects."""
    for _ in range(JOINED * len(told)):
        parts = [chance.choice(told) for _ in range(chance.choice((2, 2, 3)))]
        text = parts[0][0][:-1]
        for part, _ in parts[1:]:
            kept = part.split()[0] in names
            text += chance.choice(JOINTS) + (part[:-1] if kept else part[0].lower() + part[1:-1])
        yield text + ".", set().union(*(labels for _, labels in parts))


def learn_statements(vectors, labels, count):
    weights, biases = numpy.zeros((count, vectors.shape[1])), numpy.full(count, -9.0)
    for i in range(count):
        wanted = numpy.array([i in row for row in labels])
        if wanted.any():
            model = LogisticRegression(C=5, max_iter=500, class_weight={False: 1, True: 3}).fit(vectors, wanted)
            weights[i], biases[i] = model.coef_[0], model.intercept_[0]
    return weights, biases


def main():
    embed, chance = Embedder(), random.Random(1)
    slots, aspects = read_aspects()
    asked, told = examples(slots, aspects, FILLS, chance)
    told += list(joined(told, {"I", "Dr", "Mr", "Ms", *slots["N"]}, chance))

    questions = LogisticRegression(C=20, max_iter=3000).fit(embed([t for t, _ in asked]), [i for _, i in asked])
    assert list(questions.classes_) == list(range(len(aspects)))
    statements = learn_statements(embed([t for t, _ in told]), [labels for _, labels in told], len(aspects))

    plain, _ = examples(slots, aspects, 1, random.Random(7))
    sentences = tomllib.loads(SENTENCES.read_text(encoding="utf-8"))
    classed = [(t, INTENTS.index(name)) for name in INTENTS for t in sentences[name]]
    classed += [(t, 0) for t, _ in plain if not FIRST_PERSON.search(t)]
    intents = LogisticRegression(C=10, max_iter=3000).fit(embed([t for t, _ in classed]), [c for _, c in classed])

    blocks = [
        (questions.coef_, questions.intercept_),
        statements,
        (intents.coef_, intents.intercept_),
    ]
    with open(HEADS, "wb") as out:
        out.write(MAGIC + struct.pack("<3H", questions.coef_.shape[1], len(aspects), len(INTENTS)))
        for text in (NAME, REVISION):
            out.write(struct.pack("<B", len(text)) + text.encode())
        for weights, biases in blocks:
            for row, bias in zip(weights, biases):
                scale = max(float(abs(row).max()), 1e-9) / 127
                out.write(struct.pack("<2f", scale, bias) + numpy.round(row / scale).astype(numpy.int8).tobytes())
    print(f"{HEADS.name}: {len(aspects)} aspects, {len(classed)} sentences of known intent")


if __name__ == "__main__":
    main()
