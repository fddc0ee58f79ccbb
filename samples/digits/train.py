#!/usr/bin/python3
"""Trains digits.onnx on digits that draw.py draws and writes test data beside it: see README.md."""
import argparse
import multiprocessing
import os
import sys

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import nn

import draw
import pictures

HERE = os.path.dirname(os.path.abspath(__file__))
CHUNK = 2000  # pictures per seed, whatever the number of processes


class Block(nn.Module):
    """Two 3x3 convolutions around which the input goes unchanged."""

    def __init__(self, channels):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(channels)

    def forward(self, x):
        y = torch.relu(self.norm1(self.conv1(x)))
        return torch.relu(self.norm2(self.conv2(y)) + x)


def separable(c_in, c_out):
    """A depthwise 3x3 convolution and a pointwise one."""
    depthwise = nn.Conv2d(c_in, c_in, 3, padding=1, groups=c_in, bias=False)
    pointwise = nn.Conv2d(c_in, c_out, 1, bias=False)
    return nn.Sequential(depthwise, nn.BatchNorm2d(c_in), nn.ReLU(), pointwise,
                         nn.BatchNorm2d(c_out), nn.ReLU())


class Digits(nn.Module):
    """f32[N,1,28,28] -> f32[N,10], before softmax."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16),
                                  nn.ReLU(), nn.MaxPool2d(2))
        self.widen = separable(16, 24)
        self.block = Block(24)
        self.pool = nn.MaxPool2d(2)
        self.deepen = separable(24, 48)
        self.pool2 = nn.MaxPool2d(2)
        self.hidden = nn.Linear(48 * 3 * 3, 32)
        self.digit = nn.Linear(32, 10)

    def forward(self, x):
        x = self.pool(self.block(self.widen(self.stem(x))))  # [N,24,7,7]
        x = self.pool2(self.deepen(x)).flatten(1)
        return self.digit(torch.relu(self.hidden(x)))


class WithSoftmax(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, image):
        return torch.softmax(self.net(image), 1)


def draw_chunk(task):
    seed, families = task
    rng = np.random.default_rng(seed)
    digits = rng.integers(0, 10, CHUNK)
    return np.stack([draw.sample(rng, families, d) for d in digits]), digits


def draw_set(packages, count, seed, processes):
    families = [draw.font_files(p) for p in packages]
    tasks = [((seed, i), families) for i in range(count // CHUNK)]
    with multiprocessing.Pool(processes) as pool:
        parts = pool.map(draw_chunk, tasks, 1)
    x, y = (np.concatenate(p) for p in zip(*parts))
    return torch.from_numpy(x[:, None]), torch.from_numpy(y)


def train(net, x, y, epochs):
    batch = 128
    steps = epochs * (len(x) // batch)
    optimiser = torch.optim.AdamW(net.parameters(), lr=4e-3, weight_decay=.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 4e-3, steps)
    for epoch in range(epochs):
        net.train()
        total = 0.0
        for rows in torch.randperm(len(x))[:len(x) // batch * batch].split(batch):
            loss = nn.functional.cross_entropy(net(x[rows]), y[rows], label_smoothing=.02)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            total += loss.item() * batch
        print(f"epoch {epoch + 1}/{epochs}: loss {total / len(x):.4f}", flush=True)


def accuracy(net, x, y):
    net.eval()
    with torch.no_grad():
        found = torch.cat([net(part).argmax(1) for part in x.split(500)])
    for digit in range(10):
        rows = y == digit
        wrong = found[rows & (found != y)].bincount(minlength=10).tolist()
        print(f"  {digit}: {(found[rows] == digit).float().mean():.4f}  taken for:", end="")
        print("".join(f" {d} ({n})" for d, n in enumerate(wrong) if n) or " -")
    return (found == y).float().mean().item()


def export(net, path):
    """PRESERVE keeps the batch norms as nodes, so that the compiler has something to fold."""
    model = WithSoftmax(net).eval()
    torch.onnx.export(model, torch.zeros(1, 1, draw.SIDE, draw.SIDE), path, opset_version=13,
                      input_names=["image"], output_names=["probabilities"],
                      training=torch.onnx.TrainingMode.PRESERVE, do_constant_folding=False)
    saved = onnx.load(path)
    for node in saved.graph.node:
        node.name = node.name.strip("/").replace("/", ".")
        node.doc_string = ""
    saved.graph.name = "digits"
    onnx.checker.check_model(saved)
    onnx.save(saved, path)


def write_test_data(net, x, folder):
    """One case in the layout of ONNX's own tests."""
    os.makedirs(folder, exist_ok=True)
    with torch.no_grad():
        y = WithSoftmax(net).eval()(x)
    for kind, name, tensor in (("input", "image", x), ("output", "probabilities", y)):
        with open(os.path.join(folder, f"{kind}_0.pb"), "wb") as f:
            f.write(numpy_helper.from_array(tensor.numpy(), name).SerializeToString())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", action="store_true", help="list the Debian packages needed")
    parser.add_argument("--pictures", action="store_true", help="only draw pictures/ again")
    parser.add_argument("--count", type=int, default=120000, help="training digits")
    parser.add_argument("--held-out", type=int, default=10000, help="digits to measure with")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    args = parser.parse_args()
    if args.packages:
        print("python3-torch python3-onnx python3-pil python3-numpy",
              *draw.TRAINING_PACKAGES, *draw.HELD_OUT_PACKAGES)
        return 0
    if args.pictures:
        pictures.write_all(os.path.join(HERE, "pictures"))
        return 0
    torch.manual_seed(args.seed)
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(args.processes)

    x, y = draw_set(draw.TRAINING_PACKAGES, args.count, args.seed, args.processes)
    tx, ty = draw_set(draw.HELD_OUT_PACKAGES, args.held_out, args.seed + 1000, args.processes)
    net = Digits()
    parameters = sum(p.numel() for p in net.parameters())
    print(f"{len(x)} training digits, {len(tx)} held out, {parameters} parameters", flush=True)
    train(net, x, y, args.epochs)
    correct = accuracy(net, tx, ty)
    print(f"accuracy on held-out fonts: {correct:.4f}")
    export(net, os.path.join(HERE, "digits.onnx"))
    write_test_data(net, tx[:1], os.path.join(HERE, "test_data_set_0"))
    return 0 if correct >= .98 else 1


if __name__ == "__main__":
    sys.exit(main())
