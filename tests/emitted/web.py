"""Draws digits in samples/web's page as a person does, in headless Chromium, and compares what the page says with
what the program answers to the same bytes.

    web.py URL PID FOLDER    URL and process of the running program; FOLDER for screenshots

SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import signal
import sys
import tempfile
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from browser import Browser, expect  # noqa: E402 (beside this folder)

# Strokes of a pen in the unit square.
SEVEN = [(.1, .05), (.85, .05), (.45, 1)]
THREE = [(.15, .1), (.45, 0), (.78, .15), (.7, .4), (.4, .48), (.7, .55), (.85, .75), (.65, .97), (.35, 1), (.1, .88)]


def points(browser, stroke):
    """A stroke on the screen, over the middle of the sheet, with places between its corners."""
    x, y, w, h = browser.value("(b => [b.x, b.y, b.width, b.height])(document.querySelector('canvas').getBoundingClientRect())")
    places = [(x + w * (.3 + .4 * a), y + h * (.15 + .7 * b)) for a, b in stroke]
    for (a, b), (c, d) in zip(places, places[1:]):
        yield from ((a + (c - a) * k / 6, b + (d - b) * k / 6) for k in range(6))
    yield places[-1]


def draw_by_mouse(browser, stroke):
    for k, (x, y) in enumerate(points(browser, stroke)):
        if k == 0:
            browser.call("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button="left", buttons=1, clickCount=1)
        browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y, button="left", buttons=1)
    browser.call("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, button="left", clickCount=1)


def draw_by_finger(browser, stroke):
    for k, (x, y) in enumerate(points(browser, stroke)):
        browser.call("Input.dispatchTouchEvent", type="touchMove" if k else "touchStart", touchPoints=[{"x": x, "y": y}])
    browser.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])


def compare(browser, url, digit):
    """The page shows the digit, the bars show what the program says of the page's own bytes."""
    browser.until("document.querySelector('output').textContent", f"This is a {digit}")
    browser.until("asking", False)
    body = bytes(browser.value("Array.from(picture())"))
    with urllib.request.urlopen(url + "digit", body) as said:
        answer = json.load(said)
    rows = browser.value("Array.from(document.querySelectorAll('li'), r => [r.textContent, r.className, r.querySelector('.bar').style.width])")
    if answer["digit"] != digit or len(rows) != 10:
        raise SystemExit(f"the program says {answer}, the page has {rows}")
    for d, (text, kind, width) in enumerate(rows):
        p = 100 * answer["probabilities"][d]
        if text != f"{d}{p:.1f} %" or kind != ("best" if d == digit else "") or abs(float(width.rstrip("%")) - p) > .01:
            raise SystemExit(f"bar {d} is {text!r} {kind!r} {width!r} where the program says {p}")


def main(url, pid, folder):
    empty = "(w => w.getImageData(0, 0, 280, 280).data.every(v => v === 0))(document.querySelector('canvas').getContext('2d'))"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(profile)
        try:
            browser.open(url, "!!document.querySelector('canvas')")
            expect("the sheet is empty first", browser.value(empty))
            draw_by_mouse(browser, SEVEN)
            compare(browser, url, 7)
            browser.screenshot(os.path.join(folder, "mouse.png"))
            # Clear by the keyboard alone: Tab to the button, Enter.
            browser.key("Tab", 9)
            expect("the button has the focus", browser.value("document.activeElement.tagName") == "BUTTON")
            browser.key("Enter", 13, "\r")
            expect("the sheet is empty after Clear", browser.value(empty))
            browser.until("document.querySelector('output').className", "none")

            browser.call("Emulation.setDeviceMetricsOverride", width=360, height=740, deviceScaleFactor=2, mobile=True)
            browser.call("Emulation.setTouchEmulationEnabled", enabled=True)
            browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
            browser.open(url, "!!document.querySelector('canvas')")
            draw_by_finger(browser, THREE)
            compare(browser, url, 3)
            browser.screenshot(os.path.join(folder, "finger.png"))
            expect("nothing is wider than a phone", browser.value("document.documentElement.scrollWidth") <= 360)
            expect("the last bar is on the phone's screen", browser.value("document.querySelector('li:last-child').getBoundingClientRect().bottom") <= 740)
            red = int(browser.value("getComputedStyle(document.body).backgroundColor").split("(")[1].split(",")[0])
            expect("dark mode is dark", red < 64)

            os.kill(pid, signal.SIGINT)
            draw_by_finger(browser, SEVEN)
            browser.until("document.querySelector('output').textContent", "The program that answers has been stopped.")
        finally:
            browser.process.terminate()
            browser.process.wait()
    print("the page shows what the program says")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
