"""Facts in pages of --report that hold for every model: facts.py PAGE.html... SPDX-License-Identifier: Apache-2.0"""
import itertools
import json
import re
import sys


def check(page):
    with open(page, encoding="utf-8") as f:
        text = f.read()
    facts = json.loads(re.search(r'id="facts">\n(.*?)</script>', text, re.DOTALL).group(1))
    manifest, layers, buffers = facts["manifest"], facts["layers"], facts["buffers"]
    boxes, lines = facts["drawing"]["boxes"], facts["drawing"]["lines"]
    sides = {k: (b["x"] - b["width"] / 2, b["x"] + b["width"] / 2) for k, b in enumerate(boxes)}
    rows = {}
    for k, b in enumerate(boxes):
        rows.setdefault(b["y"], []).append(k)
    for row in rows.values():
        row.sort(key=lambda k: boxes[k]["x"])
        for a, b in itertools.pairwise(row):
            yield "boxes of a row do not overlap", sides[a][1] <= sides[b][0]
    yield "boxes are in the drawing", all(0 <= l and r <= facts["drawing"]["width"] for l, r in sides.values())
    yield "what is read stands above", all(boxes[l["from"]]["y"] < boxes[l["to"]]["y"] for l in lines)
    yield "lines begin and end at boxes", all(l["points"][0] == [boxes[l["from"]]["x"], boxes[l["from"]]["y"]] and
                                              l["points"][-1] == [boxes[l["to"]]["x"], boxes[l["to"]]["y"]] for l in lines)
    read = {l["to"] for l in lines}
    for k, b in enumerate(boxes):
        if b["kind"] == "layer":
            outside = any(o["place"] != "weights" for o in layers[b["index"]]["reads"])
            yield f"layer {b['index']} has a line from what it reads", k in read or not outside
    yield "a layer of the manifest for each", len(layers) == len(manifest["layers"]) == sum(b["kind"] == "layer" for b in boxes)
    yield "each layer has its C", all(facts["code"][l["code"]]["line"] > 0 and facts["code"][l["code"]]["text"] for l in layers)
    yield "anchors are those of the manifest", all(manifest["anchors"][k] for l in layers for k in l["anchors"])
    used = {k for l in layers for k in [*l["packed"], l.get("scratch"), *(o.get("buffer") for o in l["reads"] + l["writes"])]}
    yield "what is packed is read once", not any(set(l["packed"]) & {o.get("buffer") for o in l["reads"]} for l in layers)
    yield "bytes that are read have the packed weights", all(
        l["read"] >= sum(buffers[k]["bytes"] for k in l["packed"] if not buffers[k]["name"].startswith("how ")) for l in layers)
    yield "layers use each of the buffers", all(k in used for k, b in enumerate(buffers) if b["place"] == "weights")
    placed = [b for b in buffers if b["place"] == "workspace"]
    yield "buffers are in the workspace", all(b["offset"] + b["bytes"] <= manifest["workspace_bytes"] for b in placed)
    for a, b in itertools.combinations(placed, 2):
        apart = a["last"] < b["first"] or b["last"] < a["first"] or a["offset"] + a["bytes"] <= b["offset"] or b["offset"] + b["bytes"] <= a["offset"]
        yield f"'{a['name']}' and '{b['name']}' do not share memory while both are alive", apart


failed = [f"{page}: not so: {what}" for page in sys.argv[1:] for what, holds in check(page) if not holds]
print("\n".join(failed) or f"{len(sys.argv) - 1} pages")
sys.exit(bool(failed))
