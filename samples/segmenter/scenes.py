"""Draws shapes that lie on each other on patterned grounds, and says which pixel belongs to what.

Colours say nothing: every shape and every ground may have any. Everything random comes from the numpy
generator that the caller passes in.
"""
import numpy as np
from PIL import Image, ImageDraw, ImageFilter

WIDTH, HEIGHT = 160, 128  # the network's input
FINE = 3  # pixels are drawn so many times finer
CLASSES = ["ground", "disc", "box", "triangle"]


def corners(rng, kind, x, y, r):
    """The polygon of a shape around (x, y), turned by any angle."""
    angle = rng.uniform(0, 2 * np.pi)
    if kind == 2:
        half = np.arctan(rng.uniform(.6, 1.6))
        angles = [half, np.pi - half, np.pi + half, -half]
    else:
        angles = np.arange(3) * 2 * np.pi / 3 + rng.normal(0, .12, 3)
    return [(x + r * np.cos(angle + a), y + r * np.sin(angle + a)) for a in angles]


def ground(rng):
    """Stripes, spots or stains of two colours, f32[HEIGHT,WIDTH,3]."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
    angle, period = rng.uniform(0, np.pi), rng.uniform(4, 30)
    u = (np.cos(angle) * x + np.sin(angle) * y) / period * 2 * np.pi
    v = (np.cos(angle) * y - np.sin(angle) * x) / period * 2 * np.pi
    stains = Image.fromarray((rng.random((5, 6)) * 255).astype(np.uint8)).resize((WIDTH, HEIGHT), Image.BICUBIC)
    pattern = [np.sin(u), np.sin(u) * np.sin(v), np.asarray(stains, np.float32) / 128 - 1][rng.integers(3)]
    first = rng.uniform(0, 1, 3)
    second = np.clip(first + rng.normal(0, .12, 3), 0, 1)
    return first + (second - first) * (pattern[..., None] + 1) / 2


def fill(rng, behind):
    """A colour that differs from those that are behind."""
    tried = rng.uniform(0, 1, (12, 3))
    differ = np.abs(tried[:, None] - np.array(behind)).sum(2).min(1)
    enough = np.flatnonzero(differ > .5)
    return tried[enough[0] if len(enough) else differ.argmax()]


def scene(rng):
    """A picture u8[HEIGHT,WIDTH,3] and the class of each pixel u8[HEIGHT,WIDTH]."""
    picture = ground(rng)
    truth = np.zeros((HEIGHT, WIDTH), np.uint8)
    colours = [picture.mean((0, 1))]
    for _ in range(int(rng.integers(1, 7))):
        kind, r = int(rng.integers(1, 4)), rng.uniform(10, 34)
        x, y = rng.uniform(0, WIDTH), rng.uniform(0, HEIGHT)
        mask = Image.new("L", (FINE * WIDTH, FINE * HEIGHT))
        pen = ImageDraw.Draw(mask)
        if kind == 1:
            r *= .8
            pen.ellipse([FINE * t for t in (x - r, y - r, x + r, y + r)], fill=255)
        else:
            pen.polygon([(FINE * a, FINE * b) for a, b in corners(rng, kind, x, y, r)], fill=255)
        cover = np.asarray(mask.resize((WIDTH, HEIGHT), Image.BOX), np.float32)[..., None] / 255
        colour = fill(rng, colours)
        colours.append(colour)
        if rng.random() < .3:  # a shade across it
            colour = colour + (np.mgrid[0:HEIGHT, 0:WIDTH][rng.integers(2)][..., None] / HEIGHT - .5) * rng.uniform(-.4, .4)
        picture = picture + (colour - picture) * cover
        truth[cover[..., 0] > .5] = kind
    picture = picture + rng.normal(0, rng.uniform(0, .06), picture.shape)
    image = Image.fromarray((np.clip(picture, 0, 1) * 255).astype(np.uint8))
    if rng.random() < .5:
        image = image.filter(ImageFilter.GaussianBlur(rng.uniform(.2, .9)))
    return np.asarray(image), truth
