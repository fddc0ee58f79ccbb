#!/usr/bin/python3
"""Trains segmenter.onnx on pictures that scenes.py draws, and draws pictures/: see README.md."""
import argparse
import multiprocessing
import os
import sys

import numpy as np
import onnx
import torch
from torch import nn

import scenes
from scenes import CLASSES, HEIGHT, WIDTH, Image

HERE = os.path.dirname(os.path.abspath(__file__))
CHUNK = 100  # pictures per seed, whatever the number of processes


def separable(c_in, c_out):
    """A depthwise 3x3 convolution and a pointwise one."""
    return nn.Sequential(nn.Conv2d(c_in, c_in, 3, padding=1, groups=c_in, bias=False), nn.Conv2d(c_in, c_out, 1, bias=False),
                         nn.BatchNorm2d(c_out), nn.ReLU())


class Segmenter(nn.Module):
    """f32[N,3,128,160] -> f32[N,4,128,160], logits of the classes: a U-Net whose levels are a half to a sixteenth
    of the picture."""

    def __init__(self, widths=(16, 24, 48, 64)):
        super().__init__()
        first = nn.Sequential(nn.Conv2d(3, widths[0], 3, 2, 1, bias=False), nn.BatchNorm2d(widths[0]), nn.ReLU())
        self.down = nn.ModuleList([first] + [nn.Sequential(nn.MaxPool2d(2), separable(a, b), separable(b, b))
                                             for a, b in zip(widths, widths[1:])])
        self.up = nn.ModuleList()
        below = widths[-1]
        for width, out in zip(widths[-2::-1], (48, 32, 24)):
            self.up.append(separable(below + width, out))
            below = out
        self.classes = nn.Conv2d(below, len(CLASSES), 1)

    def forward(self, x):
        seen = []
        for level in self.down:
            x = level(x)
            seen.append(x)
        for level, beside in zip(self.up, seen[-2::-1]):
            x = nn.functional.interpolate(x, scale_factor=2.0, mode="nearest")
            x = level(torch.cat([x, beside], 1))
        return nn.functional.interpolate(self.classes(x), scale_factor=2.0, mode="bilinear", align_corners=False)


class Chosen(nn.Module):
    """The likeliest class of each pixel, i64[1,128,160]."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, image):
        return self.net(image).argmax(1)


def draw_chunk(seed):
    rng = np.random.default_rng(seed)
    pictures, truth = zip(*[scenes.scene(rng) for _ in range(CHUNK)])
    return np.stack(pictures).transpose(0, 3, 1, 2), np.stack(truth)


def draw_set(count, seed, processes):
    with multiprocessing.Pool(processes) as pool:
        parts = pool.map(draw_chunk, [(seed, i) for i in range(count // CHUNK)], 1)
    x, y = (np.concatenate(p) for p in zip(*parts))
    return torch.from_numpy(x), torch.from_numpy(y)


def as_input(pictures):
    return pictures.float() / 255


def train(net, x, y, epochs):
    batch = 16
    steps = epochs * (len(x) // batch)
    optimiser = torch.optim.AdamW(net.parameters(), lr=6e-3, weight_decay=.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 6e-3, steps)
    for epoch in range(epochs):
        net.train()
        total = 0.0
        for rows in torch.randperm(len(x))[:len(x) // batch * batch].split(batch):
            image, truth = as_input(x[rows]), y[rows].long()
            for side in (-1, -2):
                if torch.rand(()) < .5:
                    image, truth = image.flip(side), truth.flip(side)
            image = image[:, torch.randperm(3)]
            loss = nn.functional.cross_entropy(net(image), truth)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            total += loss.item() * batch
        print(f"epoch {epoch + 1}/{epochs}: loss {total / len(x):.4f}", flush=True)


def measure(net, x, y):
    """The share of pixels that are right; for each class, what is both over what is either."""
    net.eval()
    with torch.no_grad():
        found = torch.cat([net(as_input(part)).argmax(1) for part in x.split(10)])
    for k, name in enumerate(CLASSES):
        both, either = ((found == k) & (y == k)).sum(), ((found == k) | (y == k)).sum()
        print(f"  {name}: {both / either:.4f}")
    return (found == y).float().mean().item()


def export(net, path):
    """PRESERVE keeps the batch norms as nodes, so that the compiler has something to fold."""
    torch.onnx.export(Chosen(net).eval(), torch.zeros(1, 3, HEIGHT, WIDTH), path, opset_version=13, input_names=["image"],
                      output_names=["classes"], training=torch.onnx.TrainingMode.PRESERVE, do_constant_folding=False)
    saved = onnx.load(path)
    for node in saved.graph.node:
        node.name = node.name.strip("/").replace("/", ".")
        node.doc_string = ""
    saved.graph.name = "segmenter"
    onnx.checker.check_model(saved)
    onnx.save(saved, path)


def write_pictures(folder, count=6, seed=30):
    """Pictures that training never saw, and beside each the class of its pixels as grey values."""
    os.makedirs(folder, exist_ok=True)
    drawn = 0
    for k in range(1000):
        picture, truth = scenes.scene(np.random.default_rng((seed, k)))
        if drawn == count or len(set(truth.ravel())) < len(CLASSES):
            continue
        drawn += 1
        Image.fromarray(picture).save(os.path.join(folder, f"shapes_{drawn}.png"), optimize=True)
        Image.fromarray(truth).save(os.path.join(folder, f"truth_{drawn}.png"), optimize=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", action="store_true", help="only draw pictures/ again")
    parser.add_argument("--count", type=int, default=4000, help="training pictures")
    parser.add_argument("--held-out", type=int, default=500, help="pictures to measure with")
    parser.add_argument("--epochs", type=int, default=14)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    args = parser.parse_args()
    write_pictures(os.path.join(HERE, "pictures"))
    if args.pictures:
        return 0
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    x, y = draw_set(args.count, args.seed, args.processes)
    tx, ty = draw_set(args.held_out, args.seed + 1000, args.processes)
    net = Segmenter()
    print(f"{len(x)} training pictures, {len(tx)} held out, {sum(p.numel() for p in net.parameters())} parameters", flush=True)
    train(net, x, y, args.epochs)
    right = measure(net, tx, ty)
    print(f"pixels that are right, of pictures not trained with: {right:.4f}")
    export(net, os.path.join(HERE, "segmenter.onnx"))
    return 0 if right >= .95 else 1


if __name__ == "__main__":
    sys.exit(main())
