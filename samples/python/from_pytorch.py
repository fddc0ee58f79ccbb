#!/usr/bin/env python3
"""From a network in PyTorch to native code, and back to numpy: export, compile, compare, measure.

    python3 samples/python/from_pytorch.py

The cells between the lines `# %%` are those of a notebook, in editors that know them. Without PyTorch (Debian's python3-torch) the digit
recogniser of samples/digits stands in for the network, and the executable's own comparison for PyTorch's.
"""

# %% What is needed: numpy and the package dnnlc (docs/python.md); PyTorch if it is there.
import io
import os
import time

import numpy

import dnnlc

try:
    import torch
except ImportError:
    torch = None
if os.environ.get("WITHOUT_TORCH"):
    torch = None

BATCHES = [1, 8]


# %% A network: two convolutions, and a recurrent layer over the columns of what they make.
def make_network():
    class Reader(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.features = torch.nn.Sequential(
                torch.nn.Conv2d(1, 16, 3, padding=1), torch.nn.BatchNorm2d(16), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
                torch.nn.Conv2d(16, 32, 3, padding=1), torch.nn.GELU(), torch.nn.AdaptiveAvgPool2d((1, 8)),
            )  # fmt: skip
            self.columns = torch.nn.GRU(32, 48, batch_first=True)
            self.classes = torch.nn.Linear(48, 10)

        def forward(self, image):
            columns = self.features(image).squeeze(2).transpose(1, 2)
            _, last = self.columns(columns)
            return self.classes(last[0])

    torch.set_num_threads(1)  # as many as dnnlc.compile plans for, so that the times below can be compared
    torch.manual_seed(1)
    return Reader().eval()


# %% Export it, with a batch that stays open. The ONNX model need not be a file.
def export(network):
    model = io.BytesIO()
    torch.onnx.export(
        network, torch.zeros(1, 1, 32, 64), model, opset_version=16,
        input_names=["image"], output_names=["scores"], dynamic_axes={"image": {0: "batch"}, "scores": {0: "batch"}},
    )  # fmt: skip
    return model


# %% Compile it for two sizes of batches, and compare on random images.
def worst_difference(net, reference, shape):
    image = numpy.random.default_rng(0).normal(size=shape).astype(numpy.float32)
    return float(numpy.abs(net(image) - reference(image)).max())


def from_pytorch():
    network = make_network()
    net = dnnlc.compile(export(network), dims={"batch": BATCHES})

    def reference(image):
        with torch.no_grad():
            return network(torch.from_numpy(image)).numpy()

    for batch in BATCHES:
        difference = worst_difference(net, reference, (batch, 1, 32, 64))
        print(f"batch {batch}: the worst difference from PyTorch is {difference:.1e}")
        assert difference < 1e-5
    return net, reference


# %% Without PyTorch: a model of the project's own, by oneDNN and by portable C.
def from_onnx():
    model = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "digits", "digits.onnx")
    net, reference = dnnlc.compile(model), dnnlc.compile(model, target="c")
    difference = worst_difference(net, reference, net.inputs[0].shape)
    print(f"batch 1: the worst difference from portable C is {difference:.1e}")
    assert difference < 1e-5
    return net, reference


# %% How long a call takes.
def milliseconds(call, image):
    call(image)
    times = []
    for _ in range(50):
        begin = time.perf_counter()
        call(image)
        times.append(time.perf_counter() - begin)
    return 1000 * sorted(times)[len(times) // 2]


# %%
if __name__ == "__main__":
    if torch is None:
        print("PyTorch is not there: with samples/digits instead")
    net, reference = from_pytorch() if torch else from_onnx()
    print(net)
    image = numpy.zeros(net.inputs[0].shape, numpy.float32)
    print(f"dnnlc {milliseconds(net, image):.3f} ms, {'PyTorch' if torch else 'portable C'} {milliseconds(reference, image):.3f} ms")
