#!/usr/bin/python3
"""Trains detector.onnx on sheets that scenes.py draws, and draws pictures/: see README.md."""
import argparse
import multiprocessing
import os
import sys

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

import scenes
from scenes import HEIGHT, STRIDE, WIDTH, draw

HERE = os.path.dirname(os.path.abspath(__file__))
CHUNK = 200  # sheets per seed, whatever the number of processes
ROWS, COLUMNS = HEIGHT // STRIDE, WIDTH // STRIDE
MOST_FOUND, OVERLAP, CERTAIN = 32, .3, .4  # of NonMaxSuppression


def convolution(c_in, c_out, stride=1, groups=1):
    size = 3 if groups > 1 or c_in < 32 else 1
    return nn.Sequential(nn.Conv2d(c_in, c_out, size, stride, size // 2, groups=groups, bias=False),
                         nn.BatchNorm2d(c_out), nn.ReLU())


class Residual(nn.Module):
    """Two depthwise separable convolutions around which the input goes unchanged."""

    def __init__(self, channels):
        super().__init__()
        self.body = nn.Sequential(convolution(channels, channels, groups=channels), convolution(channels, channels),
                                  convolution(channels, channels, groups=channels), convolution(channels, channels))

    def forward(self, x):
        return self.body(x) + x


class Detector(nn.Module):
    """f32[N,1,120,160] -> for each cell of 15x20 ten digits' logits and the distances from its centre to the
    left, top, right and bottom of the box, as logarithms of cells."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(convolution(1, 12, 2), convolution(12, 24, 2), convolution(24, 32),
                                  convolution(32, 32, 2, groups=32), convolution(32, 64),
                                  Residual(64), Residual(64))
        self.last = nn.Sequential(convolution(64, 64, groups=64), convolution(64, 64))
        self.heads = nn.Conv2d(64, 14, 1)
        nn.init.constant_(self.heads.bias, 0)
        nn.init.constant_(self.heads.bias[:10], -4.)

    def forward(self, x):
        return self.heads(self.last(self.body(x)))


class Decoded(nn.Module):
    """Boxes in pixels, f32[1,300,4] as y0, x0, y1, x1, and digits' scores f32[1,10,300]."""

    def __init__(self, net):
        super().__init__()
        self.net = net
        y, x = np.mgrid[0:ROWS, 0:COLUMNS]
        centres = (np.stack([y, x, y, x]).reshape(1, 4, -1) + .5) * STRIDE
        self.register_buffer("centres", torch.from_numpy(centres.astype(np.float32)))
        self.register_buffer("signs", torch.tensor([-1., -1., 1., 1.]).reshape(1, 4, 1) * STRIDE)

    def forward(self, image):
        out = self.net(image).flatten(2)
        boxes = self.centres + self.signs * torch.exp(out[:, 10:])[:, [1, 0, 3, 2]]
        return boxes.transpose(1, 2), torch.sigmoid(out[:, :10])


def draw_chunk(task):
    seed, families = task
    rng = np.random.default_rng(seed)
    sheets = [scenes.scene(rng, families) for _ in range(CHUNK)]
    return np.stack([s for s, _ in sheets]), [b for _, b in sheets]


def draw_set(packages, count, seed, processes):
    families = [draw.font_files(p) for p in packages]
    with multiprocessing.Pool(processes) as pool:
        parts = pool.map(draw_chunk, [((seed, i), families) for i in range(count // CHUNK)], 1)
    return np.concatenate([x for x, _ in parts]), [b for _, rows in parts for b in rows]


def targets(boxes):
    """For each cell: ten digits' marks (1, 0, or -1 where nothing is asked), and the distances."""
    marks = np.zeros((10, ROWS, COLUMNS), np.float32)
    distances = np.zeros((4, ROWS, COLUMNS), np.float32)
    cy, cx = ((np.mgrid[0:ROWS, 0:COLUMNS] + .5) * STRIDE)
    for digit, x0, y0, x1, y1 in boxes:
        inside = (cx > x0) & (cx < x1) & (cy > y0) & (cy < y1)
        marks[:, inside] = np.minimum(marks[:, inside], -1)
    for digit, x0, y0, x1, y1 in boxes:
        mx, my, reach = (x0 + x1) / 2, (y0 + y1) / 2, .2 * (y1 - y0)
        near = (abs(cx - mx) < reach) & (abs(cy - my) < reach) & (cx > x0) & (cx < x1) & (cy > y0) & (cy < y1)
        near[int(my) // STRIDE, int(mx) // STRIDE] = True
        marks[:, near] = 0
        marks[digit, near] = 1
        edges = np.stack([cx - x0, cy - y0, x1 - cx, y1 - cy]) / STRIDE
        distances[:, near] = np.maximum(edges, .1)[:, near]
    return marks, distances


def overlap(a, b):
    """Intersection over union of boxes that are distances from the same centres, dimension 1."""
    both = torch.minimum(a, b)
    area = [(t[:, 0] + t[:, 2]) * (t[:, 1] + t[:, 3]) for t in (a, b, both)]
    return area[2] / (area[0] + area[1] - area[2])


def loss_of(out, marks, distances):
    logits, raw = out[:, :10], out[:, 10:]
    p = torch.sigmoid(logits)
    right = torch.where(marks > 0, p, 1 - p)
    weight = (1 - right) ** 2 * torch.where(marks > 0, .6, .4) * (marks >= 0)  # the focal loss
    score = -(weight * torch.log(right.clamp(min=1e-6))).sum()
    cells = (marks > 0).any(1).float()
    box = ((1 - overlap(torch.exp(raw.clamp(max=4)), distances)) * cells).sum()
    return (score * 2 + box) / cells.sum().clamp(min=1)


def train(net, x, boxes, epochs):
    batch = 32
    steps = epochs * (len(x) // batch)
    optimiser = torch.optim.AdamW(net.parameters(), lr=4e-3, weight_decay=.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 4e-3, steps)
    marks, distances = (np.stack(t) for t in zip(*map(targets, boxes)))
    for epoch in range(epochs):
        net.train()
        total = 0.0
        for rows in torch.randperm(len(x))[:len(x) // batch * batch].split(batch):
            rows = rows.numpy()
            image = torch.from_numpy(x[rows][:, None].astype(np.float32) / 255)
            image = torch.where(torch.rand(batch, 1, 1, 1) < .2, 1 - image, image)
            loss = loss_of(net(image), torch.from_numpy(marks[rows]), torch.from_numpy(distances[rows]))
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            total += loss.item() * batch
        print(f"epoch {epoch + 1}/{epochs}: loss {total / len(x):.4f}", flush=True)


def area_shared(a, b):
    """Intersection over union of a box x0, y0, x1, y1 and rows of such."""
    low, high = np.maximum(a[:2], b[:, :2]), np.minimum(a[2:], b[:, 2:])
    both = np.prod(np.maximum(high - low, 0), -1)
    return both / (np.prod(a[2:] - a[:2]) + np.prod(b[:, 2:] - b[:, :2], -1) - both)


def found_on(net, sheet):
    """What the model with its NonMaxSuppression finds: rows of digit, x0, y0, x1, y1."""
    with torch.no_grad():
        boxes, scores = net(torch.from_numpy(sheet[None, None].astype(np.float32) / 255))
    boxes, scores = boxes[0].numpy()[:, [1, 0, 3, 2]], scores[0].numpy()
    best, rows = scores.max(0), []
    for i in np.argsort(-best):
        if best[i] <= CERTAIN or len(rows) == MOST_FOUND:
            break
        if not rows or area_shared(boxes[i], np.array(rows)[:, 1:]).max() <= OVERLAP:
            rows.append((scores[:, i].argmax(), *boxes[i]))
    return np.array(rows).reshape(-1, 5)


def measure(net, x, truth):
    """Digits that are found with at least half of their box, those found that are none, and boxes' mean overlap."""
    net = Decoded(net).eval()
    right = wrong = missed = 0
    shared = []
    for sheet, boxes in zip(x, truth):
        left = list(map(tuple, boxes))
        for digit, *box in found_on(net, sheet):
            overlaps = area_shared(np.array(box), np.array(left)[:, 1:]) if left else np.zeros(1)
            k = int(overlaps.argmax())
            if overlaps[k] >= .5 and left[k][0] == digit:
                shared.append(overlaps[k])
                right += 1
                del left[k]
            else:
                wrong += 1
        missed += len(left)
    print(f"{len(x)} sheets of held-out fonts, {right + missed} digits: {right} found ({right / (right + missed):.4f}), "
          f"{wrong} found that are none; the boxes share {np.mean(shared):.3f}")
    return right / (right + missed)


def export(net, path):
    """The network and the choice among its boxes. PRESERVE keeps batch norms as nodes."""
    model = Decoded(net).eval()
    torch.onnx.export(model, torch.zeros(1, 1, HEIGHT, WIDTH), path, opset_version=13, input_names=["image"],
                      output_names=["all_boxes", "all_scores"], training=torch.onnx.TrainingMode.PRESERVE,
                      do_constant_folding=False)
    saved = onnx.load(path)
    graph = saved.graph
    for name, values in (("most", np.int64([MOST_FOUND])), ("overlap", np.float32([OVERLAP])),
                         ("certain", np.float32([CERTAIN])), ("box_column", np.int64(2)),
                         ("first_axis", np.int64([0])), ("first_axes", np.int64([0, 1]))):
        graph.initializer.append(numpy_helper.from_array(values, name))
    for op, inputs, outputs, attributes in (
            ("ReduceMax", ["all_scores"], ["best"], {"axes": [1], "keepdims": 1}),
            ("ArgMax", ["all_scores"], ["all_digits"], {"axis": 1, "keepdims": 0}),
            ("NonMaxSuppression", ["all_boxes", "best", "most", "overlap", "certain"], ["chosen"], {}),
            ("Gather", ["chosen", "box_column"], ["which"], {"axis": 1}),
            ("Squeeze", ["all_boxes", "first_axis"], ["boxes_of_cells"], {}),
            ("Squeeze", ["best", "first_axes"], ["scores_of_cells"], {}),
            ("Squeeze", ["all_digits", "first_axis"], ["digits_of_cells"], {}),
            ("Gather", ["boxes_of_cells", "which"], ["boxes"], {"axis": 0}),
            ("Gather", ["scores_of_cells", "which"], ["scores"], {"axis": 0}),
            ("Gather", ["digits_of_cells", "which"], ["digits"], {"axis": 0})):
        graph.node.append(helper.make_node(op, inputs, outputs, name=f"choose.{outputs[0]}", **attributes))
    del graph.output[:]
    for name, kind, dims in (("boxes", TensorProto.FLOAT, ["found", 4]), ("scores", TensorProto.FLOAT, ["found"]),
                             ("digits", TensorProto.INT64, ["found"])):
        graph.output.append(helper.make_tensor_value_info(name, kind, dims))
    for node in graph.node:
        node.name = node.name.strip("/").replace("/", ".")
        node.doc_string = ""
    graph.name = "detector"
    onnx.checker.check_model(saved)
    onnx.save(saved, path)


def write_pictures(folder, count=8, seed=15):
    """Sheets in held-out fonts, and where their digits are."""
    os.makedirs(folder, exist_ok=True)
    families = [draw.font_files(p) for p in scenes.HELD_OUT_PACKAGES]
    with open(os.path.join(folder, "truth.txt"), "w") as truth:
        truth.write("# picture, digit, and its box in pixels: left, top, right, bottom\n")
        drawn = 0
        for k in range(1000):
            sheet, boxes = scenes.scene(np.random.default_rng((seed, k)), families)
            if drawn == count or len(boxes) < 5:
                continue
            drawn += 1
            name = f"sheet_{drawn}.png"
            scenes.Image.fromarray(sheet).save(os.path.join(folder, name), optimize=True)
            for row in boxes:
                truth.write(" ".join(map(str, [name, *row])) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", action="store_true", help="list the Debian packages needed")
    parser.add_argument("--pictures", action="store_true", help="only draw pictures/ again")
    parser.add_argument("--count", type=int, default=9000, help="training sheets")
    parser.add_argument("--held-out", type=int, default=600, help="sheets to measure with")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    args = parser.parse_args()
    if args.packages:
        print("python3-torch python3-onnx python3-pil python3-numpy",
              *scenes.TRAINING_PACKAGES, *scenes.HELD_OUT_PACKAGES)
        return 0
    write_pictures(os.path.join(HERE, "pictures"))
    if args.pictures:
        return 0
    torch.manual_seed(args.seed)
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)

    x, boxes = draw_set(scenes.TRAINING_PACKAGES, args.count, args.seed, args.processes)
    tx, truth = draw_set(scenes.HELD_OUT_PACKAGES, args.held_out, args.seed + 1000, args.processes)
    net = Detector()
    print(f"{len(x)} training sheets, {len(tx)} held out, {sum(p.numel() for p in net.parameters())} parameters", flush=True)
    train(net, x, boxes, args.epochs)
    found = measure(net, tx, truth)
    export(net, os.path.join(HERE, "detector.onnx"))
    return 0 if found >= .9 else 1


if __name__ == "__main__":
    sys.exit(main())
