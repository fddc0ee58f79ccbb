"""Draws the digits 0-9 in many hands: printed from fonts of Debian packages, written with a pen.

Everything random comes from the numpy generator that the caller passes in, so equal seeds give
equal pictures as long as the font packages are of the same version.
"""
import os
import subprocess

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

SIDE = 28  # the network's input
BOX = 20  # the longer side of the ink in it, in pixels; digits.c uses the same two numbers

TRAINING_PACKAGES = """
fonts-adf-baskervald fonts-adf-gillius fonts-adf-ikarius fonts-adf-mekanus fonts-adf-romande
fonts-adf-universalis fonts-agave fonts-allerta fonts-anonymous-pro fonts-arapey
fonts-averia-sans-gwf fonts-averia-serif-gwf fonts-b612 fonts-bebas-neue fonts-beteckna fonts-bwht
fonts-cantarell fonts-cherrybomb fonts-clear-sans fonts-comfortaa fonts-comic-neue
fonts-crosextra-carlito fonts-dejavu-core fonts-dejavu-extra fonts-dkg-handwriting fonts-dosis
fonts-dustin fonts-ebgaramond fonts-ecolier-court fonts-engadget fonts-essays1743
fonts-eurofurence fonts-fantasque-sans fonts-fanwood fonts-freefont-ttf fonts-georgewilliams
fonts-gnutypewriter fonts-go fonts-goudybookletter fonts-hermit fonts-inconsolata fonts-isabella
fonts-jetbrains-mono fonts-johnsmith-induni fonts-junction fonts-jura fonts-karla
fonts-kaushanscript fonts-kristi fonts-lato fonts-leckerli-one fonts-liberation fonts-lindenhill
fonts-linuxlibertine fonts-lobster fonts-manrope fonts-monofur fonts-monoid fonts-mononoki
fonts-national-park fonts-ocr-a fonts-ocr-b fonts-okolaks fonts-oldstandard fonts-open-sans
fonts-opendin fonts-opendyslexic fonts-osifont fonts-paratype fonts-prociono fonts-quattrocento
fonts-quicksand fonts-radisnoir fonts-roadgeek fonts-roboto-slab fonts-roboto-unhinted
fonts-routed-gothic fonts-rufscript fonts-sil-charis fonts-sil-gentium-basic fonts-sora
fonts-staypuft fonts-stix fonts-summersby
""".split()

# Never seen in training: the measured accuracy and the test pictures come from these.
HELD_OUT_PACKAGES = """
fonts-breip fonts-cabin fonts-century-catalogue fonts-courier-prime fonts-crosextra-caladea
fonts-dancingscript fonts-hack fonts-humor-sans fonts-league-spartan fonts-lobstertwo fonts-play
fonts-sil-andika
""".split()

# Digits in boxes, hollow or made of dots.
NOT_DIGITS = {
    "Junkyard.ttf", "LinBiolinum_K.otf", "NationalPark-Outline.otf", "OCRBE.otf", "OCRBF.otf",
    "OCRBX.otf", "Wargames.ttf",
}

# Pen strokes in the unit square, x to the right and y down; a curve goes through the points in
# turn. A digit has several ways of writing it, a way has strokes, a stroke has points.
STROKES = {
    0: [
        [[(.5, .02), (.2, .15), (.1, .5), (.2, .85), (.5, .98), (.8, .85), (.9, .5), (.8, .15),
          (.48, .02)]],
        [[(.55, .02), (.3, .2), (.22, .5), (.3, .85), (.5, .98), (.7, .85), (.78, .5),
          (.7, .15), (.45, .03)]],
    ],
    1: [
        [[(.5, 0), (.5, .33), (.5, .66), (.5, 1)]],
        [[(.25, .28), (.4, .16), (.55, .01), (.55, .01), (.55, .5), (.55, 1)]],
        [[(.25, .28), (.4, .16), (.52, .01), (.52, .01), (.52, .5), (.52, .99)],
         [(.25, 1), (.5, 1), (.78, 1)]],
    ],
    2: [
        [[(.15, .25), (.3, .05), (.6, .02), (.82, .2), (.75, .45), (.45, .72), (.12, .98),
          (.12, .98), (.5, .98), (.9, .97)]],
        [[(.15, .22), (.4, .02), (.75, .1), (.78, .38), (.5, .72), (.25, .93), (.13, .85),
          (.3, .78), (.55, .92), (.9, .95)]],
    ],
    3: [
        [[(.15, .12), (.4, .01), (.72, .08), (.76, .3), (.6, .44), (.4, .48), (.4, .48),
          (.65, .52), (.84, .7), (.72, .93), (.42, 1), (.12, .88)]],
        [[(.15, .03), (.5, .02), (.82, .03), (.82, .03), (.45, .4), (.45, .4), (.75, .5),
          (.84, .73), (.65, .96), (.35, 1), (.12, .86)]],
    ],
    4: [
        [[(.62, .02), (.4, .3), (.1, .66), (.1, .66), (.5, .66), (.92, .66)],
         [(.68, .02), (.68, .5), (.68, 1)]],
        [[(.2, .04), (.17, .3), (.17, .52), (.17, .52), (.5, .53), (.88, .5)],
         [(.75, .03), (.74, .5), (.7, 1)]],
        [[(.25, .03), (.18, .35), (.3, .5), (.6, .48), (.8, .4)],
         [(.8, .03), (.76, .5), (.68, 1)]],
    ],
    5: [
        [[(.8, .03), (.5, .03), (.25, .03), (.25, .03), (.22, .25), (.2, .44), (.2, .44),
          (.5, .36), (.8, .5), (.84, .75), (.62, .97), (.3, .98), (.12, .86)]],
        [[(.28, .04), (.25, .25), (.22, .42), (.22, .42), (.55, .38), (.82, .58), (.74, .9),
          (.42, 1), (.12, .9)],
         [(.28, .04), (.5, .03), (.85, .02)]],
    ],
    6: [
        [[(.7, .02), (.42, .15), (.2, .45), (.15, .72), (.3, .95), (.6, .98), (.82, .8),
          (.75, .56), (.5, .48), (.25, .58), (.17, .75)]],
        [[(.55, .01), (.3, .3), (.2, .65), (.28, .92), (.55, .99), (.76, .82), (.68, .62),
          (.45, .6), (.24, .78)]],
    ],
    7: [
        [[(.1, .04), (.5, .04), (.87, .03), (.87, .03), (.65, .4), (.45, .7), (.36, 1)]],
        [[(.1, .04), (.5, .04), (.87, .03), (.87, .03), (.65, .4), (.45, .7), (.36, 1)],
         [(.28, .52), (.5, .5), (.8, .49)]],
        [[(.12, .14), (.14, .03), (.5, .06), (.87, .02), (.87, .02), (.6, .45), (.48, 1)]],
    ],
    8: [
        [[(.5, .48), (.25, .35), (.22, .13), (.5, .01), (.77, .13), (.74, .35), (.5, .48),
          (.2, .65), (.17, .88), (.5, 1), (.83, .88), (.8, .65), (.5, .48)]],
        [[(.74, .1), (.45, .01), (.25, .2), (.45, .42), (.72, .65), (.7, .92), (.45, 1),
          (.22, .85), (.35, .6), (.65, .35), (.76, .12)]],
    ],
    9: [
        [[(.8, .3), (.7, .08), (.45, .01), (.2, .16), (.2, .38), (.42, .52), (.7, .44),
          (.8, .25), (.8, .25), (.77, .6), (.6, .9), (.3, .99)]],
        [[(.74, .2), (.5, .02), (.24, .18), (.25, .42), (.5, .5), (.7, .35), (.75, .12),
          (.75, .12), (.72, .5), (.7, 1)]],
    ],
}


def font_files(package):
    """The usable font files of a package; a glyph met twice means that digits are missing."""
    listing = subprocess.run(["dpkg", "-L", package], capture_output=True, text=True)
    if listing.returncode:
        raise SystemExit(f"draw.py: no package {package}; see train.py --packages")
    found = []
    for path in sorted(listing.stdout.splitlines()):
        if not path.endswith((".ttf", ".otf")) or not os.path.isfile(path):
            continue
        if os.path.basename(path) in NOT_DIGITS:
            continue
        font = ImageFont.truetype(path, 48)
        glyphs = {font.getmask(str(d)).getbbox() and bytes(font.getmask(str(d))) for d in range(10)}
        if len(glyphs) == 10 and None not in glyphs:
            found.append(path)
    return found


def printed(digit, path, size=72):
    """A digit from a font, white on black, with a margin."""
    font = ImageFont.truetype(path, size)
    left, top, right, bottom = font.getbbox(str(digit))
    image = Image.new("L", (right - left + 8, bottom - top + 8))
    ImageDraw.Draw(image).text((4 - left, 4 - top), str(digit), font=font, fill=255)
    return image.crop(image.getbbox())


def curve(points, steps=8):
    """Catmull-Rom through the points; a doubled point makes a corner."""
    p = [points[0], *points, points[-1]]
    out = []
    for a, b, c, d in zip(p, p[1:], p[2:], p[3:]):
        for t in np.arange(steps) / steps:
            w = (-t + 2 * t**2 - t**3, 2 - 5 * t**2 + 3 * t**3,
                 t + 4 * t**2 - 3 * t**3, t**3 - t**2)
            out.append(tuple(sum(k * q[i] for k, q in zip(w, (a, b, c, d))) / 2 for i in (0, 1)))
    return out + [points[-1]]


def written(rng, digit, height=72):
    """A digit as a pen writes it: a way of writing, shaky points, a pen of some width."""
    width = height * rng.uniform(.45, .95)
    pen = height * rng.uniform(.04, .2)
    image = Image.new("L", (int(width + 2 * pen) + 4, int(height + 2 * pen) + 4))
    draw = ImageDraw.Draw(image)
    ways = STROKES[digit]
    shake = rng.uniform(0, .045)
    for stroke in ways[rng.integers(len(ways))]:
        moved = {p: tuple(np.add(p, rng.normal(0, shake, 2))) for p in sorted(set(stroke))}
        points = curve([moved[p] for p in stroke])
        line = [(pen + 2 + x * width, pen + 2 + y * height) for x, y in points]
        draw.line(line, fill=255, width=max(1, round(pen)))
        for x, y in line:
            draw.ellipse((x - pen / 2, y - pen / 2, x + pen / 2, y + pen / 2), fill=255)
    return image.crop(image.getbbox())


def distorted(rng, image, strength=1.0):
    """Rotation, shear, scale and an elastic part in one step: a mesh whose nodes move."""
    w, h = image.size
    side = int(1.6 * max(w, h))
    angle = np.radians(rng.uniform(-14, 14) * strength)
    shear = rng.uniform(-.25, .25) * strength
    sx, sy = np.exp(rng.uniform(-.22, .22, 2) * strength)
    to_source = np.array([[np.cos(angle) * sx, (shear - np.sin(angle)) * sx],
                          [np.sin(angle) * sy, np.cos(angle) * sy]])
    n = 5
    grid = np.stack(np.meshgrid(np.linspace(0, side, n), np.linspace(0, side, n)), -1)
    node = (grid - side / 2) @ to_source.T + (w / 2, h / 2)
    node += rng.normal(0, rng.uniform(0, .028) * max(w, h) * strength, node.shape)
    mesh = []
    for i in range(n - 1):
        for j in range(n - 1):
            box = (*grid[i, j].astype(int), *grid[i + 1, j + 1].astype(int))
            corners = node[[i, i + 1, i + 1, i], [j, j, j + 1, j + 1]]
            mesh.append((tuple(map(int, box)), tuple(corners.ravel())))
    return image.transform((side, side), Image.MESH, mesh, Image.BILINEAR)


def coverage(start, length, n):
    """The box filter as a matrix: how much of source pixel j falls into output pixel i of n."""
    edges = start + np.arange(n + 1) * length / n
    pixels = np.arange(int(np.ceil(edges[-1])))
    share = np.minimum(edges[1:, None], pixels + 1) - np.maximum(edges[:-1, None], pixels)
    return np.maximum(share, 0) * n / length


def normalised(ink, box=BOX):
    """Crops ink (0..1, 1 is ink) to its bounding box, scales it to `box` pixels and centres it."""
    ys, xs = np.nonzero(ink > .5)
    if not len(ys):
        return np.zeros((SIDE, SIDE), np.float32)
    x0, x1, y0, y1 = xs.min(), xs.max() + 1, ys.min(), ys.max() + 1
    longer = max(x1 - x0, y1 - y0)
    w, h = max(1, round(box * (x1 - x0) / longer)), max(1, round(box * (y1 - y0) / longer))
    small = coverage(y0, y1 - y0, h) @ ink[:y1, :x1] @ coverage(x0, x1 - x0, w).T
    out = np.zeros((SIDE, SIDE), np.float32)
    top, left = (SIDE - h) // 2, (SIDE - w) // 2
    out[top:top + h, left:left + w] = small
    return out


def worn(rng, image):
    """Thicker or thinner strokes and blur, in the picture's own pixels."""
    kind = rng.integers(6)
    if kind == 0:
        image = image.filter(ImageFilter.MaxFilter(int(rng.choice([3, 5]))))
    elif kind == 1:
        thin = image.filter(ImageFilter.MinFilter(3))
        if np.asarray(thin).sum() > .55 * np.asarray(image).sum():  # a hairline would break
            image = thin
    if rng.random() < .5:
        image = image.filter(ImageFilter.GaussianBlur(rng.uniform(.3, 3)))
    return image


def sample(rng, families, digit):
    """One picture as the network sees it: f32[28,28], ink near 1."""
    if rng.random() < .3:
        image = written(rng, digit)
    else:
        files = families[rng.integers(len(families))]
        image = printed(digit, files[rng.integers(len(files))])
    ink = np.asarray(worn(rng, distorted(rng, image)), np.float32) / 255
    ink /= max(ink.max(), 1e-3)
    x = normalised(ink, int(rng.integers(BOX - 1, BOX + 2)))
    x = np.roll(x, rng.integers(-1, 2, 2), (0, 1))
    x = x * rng.uniform(.75, 1.15)
    x = x + rng.normal(0, rng.uniform(0, .12), x.shape) + rng.uniform(-.05, .08)
    return np.clip(x, 0, 1).astype(np.float32)
