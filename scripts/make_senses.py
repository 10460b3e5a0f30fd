"""Makes crates/providers/model/senses.bin: what each word piece of the embedded model means, in 128 bytes.

    .venv/bin/python scripts/make_senses.py

Run it after scripts/make_model.py. For every entry of the vocabulary the model embeds "[CLS] entry [SEP]"; the mean
over the three places, scaled to length 1, is the entry's sense. Three steps then make it small:

1. The mean sense of ordinary words is taken away. Any two words share a cosine of about 0.21 before it and 0 after,
   so that what remains tells words apart.
2. The 128 directions in which ordinary words differ most are kept (principal components, largest first).
3. Each vector is stored as signed bytes, the largest coordinate as 127 or -127. No scale is stored: every sense has
   length 1, so a reader divides by the length of the bytes.

Layout, little-endian:

    bytes 0..8    b"SENSES1\\0"
    bytes 8..12   u32  number of entries, equal to the lines of vocab.txt
    bytes 12..16  u32  dimensions
    bytes 16..    i8   entries x dimensions, in the order of the vocabulary

Floating-point sums may differ in their last bits from machine to machine, so a rebuild is compared with the committed
file by meaning (cosines of random pairs), not byte by byte.
"""

import argparse
import pathlib
import struct

import numpy
import onnxruntime
from make_model import write_checksums

MAGIC = b"SENSES1\0"
DIMENSIONS = 128
BATCH = 512
CLS, SEP = 101, 102
PAIRS = 60_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=pathlib.Path, default=pathlib.Path("crates/providers/model"))
    parser.add_argument("--arrays", type=pathlib.Path, help="folder for the same senses as .npy, for experiments")
    arguments = parser.parse_args()

    vocabulary = (arguments.model / "vocab.txt").read_text(encoding="utf-8").splitlines()
    full = embed_entries(arguments.model / "minilm-l6-int8.onnx", len(vocabulary))
    ordinary = [i for i, entry in enumerate(vocabulary) if entry.isascii() and entry.isalpha() and len(entry) >= 3]
    mean, components = principal_components(full[ordinary])

    for dimensions in (64, 96, DIMENSIONS):
        reduced = stored(full, mean, components[:, :dimensions])
        print(f"{dimensions:3} dimensions: {fidelity(full, mean, reduced, ordinary)}")

    table = stored(full, mean, components[:, :DIMENSIONS])
    header = MAGIC + struct.pack("<II", *table.shape)
    (arguments.model / "senses.bin").write_bytes(header + table.tobytes())
    write_checksums(arguments.model)
    if arguments.arrays:
        numpy.save(arguments.arrays / "senses_f32.npy", full)
        numpy.save(arguments.arrays / "senses_pca.npy", unit(table.astype(numpy.float32)))


def embed_entries(model: pathlib.Path, entries: int) -> numpy.ndarray:
    """Unit vectors [entries, 384]: the model's mean over "[CLS] entry [SEP]"."""
    session = onnxruntime.InferenceSession(str(model))
    parts = []
    for start in range(0, entries, BATCH):
        ids = numpy.arange(start, min(start + BATCH, entries), dtype=numpy.int64)
        tokens = numpy.stack([numpy.full_like(ids, CLS), ids, numpy.full_like(ids, SEP)], axis=1)
        inputs = {
            "input_ids": tokens,
            "attention_mask": numpy.ones_like(tokens),
            "token_type_ids": numpy.zeros_like(tokens),
        }
        parts.append(session.run(None, inputs)[0].mean(axis=1))
    return unit(numpy.concatenate(parts)).astype(numpy.float32)


def principal_components(words: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Mean and orthonormal directions (columns, largest variance first) of unit vectors less their mean."""
    words = words.astype(numpy.float64)
    mean = words.mean(axis=0)
    centred = unit(words - mean)
    _, directions = numpy.linalg.eigh(centred.T @ centred)
    directions = directions[:, ::-1]
    # A direction and its opposite are equally right; the one whose largest coordinate is positive is taken.
    largest = numpy.abs(directions).argmax(axis=0)
    return mean, directions * numpy.sign(directions[largest, numpy.arange(directions.shape[1])])


def stored(full: numpy.ndarray, mean: numpy.ndarray, components: numpy.ndarray) -> numpy.ndarray:
    """The bytes of the table."""
    reduced = (full.astype(numpy.float64) - mean) @ components
    return numpy.rint(reduced * 127 / numpy.abs(reduced).max(axis=1, keepdims=True)).astype(numpy.int8)


def fidelity(full: numpy.ndarray, mean: numpy.ndarray, table: numpy.ndarray, ordinary: list[int]) -> str:
    """How well the stored cosines of random pairs of ordinary words follow the full ones."""
    draws = numpy.random.default_rng(7).choice(ordinary, (2, PAIRS))
    wide, small = unit(full - mean), unit(table.astype(numpy.float64))
    before = (wide[draws[0]] * wide[draws[1]]).sum(axis=1)
    after = (small[draws[0]] * small[draws[1]]).sum(axis=1)
    correlation = numpy.corrcoef(before, after)[0, 1]
    return f"correlation {correlation:.3f}, mean difference {numpy.abs(before - after).mean():.3f}"


def unit(rows: numpy.ndarray) -> numpy.ndarray:
    return rows / numpy.linalg.norm(rows, axis=1, keepdims=True)


if __name__ == "__main__":
    main()
