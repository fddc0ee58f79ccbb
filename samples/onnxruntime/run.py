#!/usr/bin/env python3
"""Runs a model in ONNX Runtime, for dnnlc verify --onnxruntime: run.py MODEL IN OUT. SPDX-License-Identifier: Apache-2.0

IN has index.json, which names inputs and outputs, and a .npy file for each input; OUT gets output_0.npy, ... in the order of the index.
It wants the Python packages numpy and onnxruntime.
"""
import json
import os
import sys

import numpy
import onnxruntime

model, given, made = sys.argv[1:]
with open(os.path.join(given, "index.json"), encoding="utf-8") as file:
    index = json.load(file)
session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
inputs = {port["name"]: numpy.load(os.path.join(given, port["file"])) for port in index["inputs"]}
outputs = session.run([port["name"] for port in index["outputs"]], inputs)
for k, value in enumerate(outputs):
    numpy.save(os.path.join(made, f"output_{k}.npy"), value)
