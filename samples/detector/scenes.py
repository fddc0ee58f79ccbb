"""Draws sheets with digits scattered over them, and says where each digit is.

The digits are those of samples/digits/draw.py. Everything random comes from the numpy generator that
the caller passes in.
"""
import os
import sys

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "digits"))
import draw  # noqa: E402

WIDTH, HEIGHT = 160, 120  # the network's input
STRIDE = 8  # pixels of the input for one cell of the network's output
MOST = 12  # digits on a sheet
GAP = 3  # pixels between two digits' boxes, at least

TRAINING_PACKAGES = """
fonts-cantarell fonts-comfortaa fonts-comic-neue fonts-crosextra-carlito fonts-dejavu-core
fonts-dejavu-extra fonts-dkg-handwriting fonts-ebgaramond fonts-ecolier-court fonts-fantasque-sans
fonts-freefont-ttf fonts-go fonts-inconsolata fonts-lato fonts-liberation fonts-linuxlibertine
fonts-open-sans fonts-paratype fonts-quicksand fonts-sil-gentium-basic
""".split()

# Never seen in training: the measured figures and the pictures come from these.
HELD_OUT_PACKAGES = """
fonts-breip fonts-cabin fonts-courier-prime fonts-crosextra-caladea fonts-hack fonts-humor-sans
""".split()


def glyph(rng, families, digit, height):
    """The digit's coverage f32[h,w], cropped to its ink, `height` pixels high."""
    if rng.random() < .4:
        image = draw.written(rng, digit)
    else:
        files = families[rng.integers(len(families))]
        image = draw.printed(digit, files[rng.integers(len(files))])
    image = draw.worn(rng, draw.distorted(rng, image, .7))
    image = image.crop(image.point(lambda v: 255 * (v > 90)).getbbox())
    width = max(2, round(image.width * height / image.height))
    cover = np.asarray(image.resize((width, height), Image.BOX), np.float32) / 255
    return cover / max(cover.max(), 1e-3)


def apart(box, others):
    """Whether the box stays clear of the others, and its centre in a cell of its own."""
    x0, y0, x1, y1 = box
    for a0, b0, a1, b1 in others:
        if x0 < a1 + GAP and a0 < x1 + GAP and y0 < b1 + GAP and b0 < y1 + GAP:
            return False
        if max(abs(x0 + x1 - a0 - a1), abs(y0 + y1 - b0 - b1)) < 2 * (STRIDE + 1):
            return False
    return True


def clutter(rng):
    """What a sheet has that is no digit: ruled lines, a frame, specks. Coverage f32[HEIGHT,WIDTH]."""
    image = Image.new("L", (2 * WIDTH, 2 * HEIGHT))
    pen = ImageDraw.Draw(image)
    grey = int(rng.integers(20, 110))
    kind = rng.integers(5)
    step = int(rng.integers(20, 70))
    if kind in (1, 2):
        for y in range(int(rng.integers(step)), 2 * HEIGHT, step):
            pen.line((0, y, 2 * WIDTH, y + int(rng.integers(-4, 5))), fill=grey, width=int(rng.integers(1, 3)))
    if kind == 2:
        for x in range(int(rng.integers(step)), 2 * WIDTH, step):
            pen.line((x, 0, x + int(rng.integers(-4, 5)), 2 * HEIGHT), fill=grey, width=int(rng.integers(1, 3)))
    if kind == 3:
        pen.rectangle((6, 6, 2 * WIDTH - 7, 2 * HEIGHT - 7), outline=2 * grey, width=int(rng.integers(1, 5)))
    for _ in range(int(rng.integers(0, 12))):
        x, y, r = rng.uniform(0, 2 * WIDTH), rng.uniform(0, 2 * HEIGHT), rng.uniform(.5, 4)
        pen.ellipse((x - r, y - r, x + r, y + r), fill=int(rng.integers(60, 256)))
    return np.asarray(image.resize((WIDTH, HEIGHT), Image.BOX), np.float32) / 255


def paper(rng):
    """Light that falls from one side, and stains. f32[HEIGHT,WIDTH] around 0."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
    angle = rng.uniform(0, 2 * np.pi)
    light = (np.cos(angle) * (x / WIDTH - .5) + np.sin(angle) * (y / HEIGHT - .5)) * rng.uniform(0, .35)
    stains = Image.fromarray((rng.random((6, 8)) * 255).astype(np.uint8)).resize((WIDTH, HEIGHT), Image.BICUBIC)
    return light + (np.asarray(stains, np.float32) / 255 - .5) * rng.uniform(0, .2)


def scene(rng, families):
    """A sheet u8[HEIGHT,WIDTH] and its digits: rows of digit, x0, y0, x1, y1."""
    cover = clutter(rng)
    boxes, digits = [], []
    scale = rng.uniform(14, 40)
    for _ in range(int(rng.integers(0, MOST + 1))):
        digit = int(rng.integers(10))
        height = int(np.clip(scale * np.exp(rng.normal(0, .25)), 13, 48))
        ink = glyph(rng, families, digit, height)
        for _ in range(8):  # places to try
            if ink.shape[1] > WIDTH - 4:
                break
            x, y = int(rng.integers(2, WIDTH - 2 - ink.shape[1])), int(rng.integers(2, HEIGHT - 2 - height))
            box = (x, y, x + ink.shape[1], y + height)
            if apart(box, boxes):
                part = cover[y:box[3], x:box[2]]
                np.maximum(part, ink, out=part)
                boxes.append(box)
                digits.append(digit)
                break
    light, dark = rng.uniform(.6, 1), rng.uniform(0, .35)
    if rng.random() < .2:
        light, dark = dark, light
    grey = light + (dark - light) * cover + paper(rng)
    grey = grey + rng.normal(0, rng.uniform(0, .05), grey.shape)
    image = Image.fromarray((np.clip(grey, 0, 1) * 255).astype(np.uint8))
    if rng.random() < .5:
        image = image.filter(ImageFilter.GaussianBlur(rng.uniform(.2, .8)))
    rows = [(d, *b) for d, b in zip(digits, boxes)]
    return np.asarray(image), np.array(rows, np.int64).reshape(-1, 5)
