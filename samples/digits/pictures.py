"""Draws the test pictures: digits in held-out fonts, as scanners, cameras and screens give them."""
import os

import numpy as np
from PIL import Image, ImageFilter

import draw

# name, font file ("" is a pen), width, height, the digit's share of the height, grey of paper and
# ink, noise, blur in pixels, degrees, maxval
LOOKS = [
    ("0_monospace", "Hack-Regular.ttf", 64, 64, .7, 250, 10, 0, 0, 0, 255),
    ("0_pen", "", 90, 110, .6, 215, 60, 6, .8, 5, 255),
    ("1_serif", "Caladea-Regular.ttf", 40, 96, .8, 255, 0, 0, 0, 0, 255),
    ("2_white_on_black", "Cabin-Bold.otf", 120, 120, .5, 8, 240, 4, .6, -4, 255),
    ("2_pen", "", 160, 100, .7, 235, 30, 5, .5, 0, 255),
    ("3_serif", "Caladea-BoldItalic.ttf", 80, 80, .75, 240, 20, 3, 0, 0, 255),
    ("3_deep", "Andika-Regular.ttf", 48, 64, .8, 255, 0, 0, 0, 0, 65535),
    ("4_pen", "", 200, 150, .45, 200, 40, 8, 1, -6, 255),
    ("4_faint", "Play-Regular.ttf", 72, 72, .7, 170, 130, 2, .6, 0, 255),
    ("5_typewriter", "Courier Prime.otf", 96, 96, .6, 225, 55, 14, .7, 3, 255),
    ("6_script", "DancingScript-Regular.otf", 100, 120, .7, 245, 25, 3, 0, 0, 255),
    ("7_pen", "", 110, 130, .6, 30, 220, 6, .7, 6, 255),
    ("7_comic", "Humor-Sans.ttf", 64, 90, .6, 255, 0, 0, 0, 8, 255),
    ("8_heavy", "LeagueSpartan-Bold.otf", 60, 60, .8, 255, 15, 0, 1.2, 0, 255),
    ("8_small", "Cabin-Regular.otf", 14, 20, .8, 250, 5, 0, 0, 0, 255),
    ("9_hand", "Breip.ttf", 90, 120, .6, 230, 50, 6, .8, 0, 255),
    ("9_grey_on_grey", "LobsterTwo-Bold.otf", 96, 96, .6, 90, 150, 3, .5, -8, 1023),
]


def font_path(name):
    for package in draw.HELD_OUT_PACKAGES:
        for path in draw.font_files(package):
            if os.path.basename(path) == name:
                return path
    raise SystemExit(f"pictures.py: no font {name}")


def picture(rng, name, font, width, height, share, paper, ink, noise, blur, degrees):
    """Grey values 0..255 as f64[height,width]: drawn four times larger, off the centre."""
    digit = int(name[0])
    glyph = draw.printed(digit, font_path(font), 300) if font else draw.written(rng, digit, 300)
    tall = int(share * height * 4)
    wide = min(int(3.7 * width), max(1, glyph.width * tall // glyph.height))
    glyph = glyph.resize((wide, tall), Image.LANCZOS)
    sheet = Image.new("L", (width * 4, height * 4))
    free = np.array([sheet.width - wide, sheet.height - tall]) / 2
    left, top = (free + free * rng.uniform(-.5, .5, 2)).astype(int)
    sheet.paste(glyph, (int(left), int(top)))
    sheet = sheet.rotate(degrees, Image.BILINEAR).filter(ImageFilter.GaussianBlur(4 * blur))
    cover = np.asarray(sheet.resize((width, height), Image.BOX), np.float64) / 255
    return np.clip(paper + (ink - paper) * cover + rng.normal(0, noise, cover.shape), 0, 255)


def write_all(folder):
    os.makedirs(folder, exist_ok=True)
    for k, (name, *look, maxval) in enumerate(LOOKS):
        grey = picture(np.random.default_rng((77, k)), name, *look)
        values = np.rint(grey * maxval / 255).astype(">u2" if maxval > 255 else "u1")
        with open(os.path.join(folder, name + ".pgm"), "wb") as f:
            f.write(b"P5\n%d %d\n%d\n" % (*values.shape[::-1], maxval) + values.tobytes())
