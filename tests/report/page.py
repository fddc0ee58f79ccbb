"""Opens pages of --report in headless Chromium, as a reader does: clicks, searches, keys, a phone, dark mode, print.

    page.py FOLDER [PART PAGE.html]...    PART is a function below; FOLDER for screenshots

SPDX-License-Identifier: Apache-2.0
"""
import base64
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from browser import Browser, expect  # noqa: E402 (beside this folder)

READY = "document.documentElement?.dataset.ready === 'yes'"
DETAILS = "document.getElementById('details').textContent"
WATCH = "window.mistakes = []; addEventListener('error', e => mistakes.push(e.message)); addEventListener('securitypolicyviolation', e => mistakes.push(e.blockedURI))"


def screen(browser, width, height, phone=False, scheme="light"):
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])


def open_page(browser, page):
    """Seconds until the page is complete and drawn."""
    start = time.monotonic()
    browser.open("file://" + os.path.abspath(page), READY)
    seconds = time.monotonic() - start
    browser.value(WATCH)
    return seconds


def show(browser, section):
    browser.value(f"document.getElementById('{section}').scrollIntoView({{behavior: 'instant'}})")


def click(browser, expression):
    """With the mouse, in the middle of an element."""
    browser.value(f"({expression}).scrollIntoView({{behavior: 'instant', block: 'center'}})")
    x, y = browser.value(f"(b => [b.x + b.width / 2, b.y + b.height / 2])(({expression}).getBoundingClientRect())")
    for kind in ("mousePressed", "mouseReleased"):
        browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)


def no_mistakes(browser):
    seen = browser.value("mistakes")
    expect(f"no script has failed: {seen}", seen == [])


def box_with(title):
    return f"Array.from(document.querySelectorAll('.box')).find(b => b.querySelector('text').textContent === '{title}')"


def number_of(browser, selector):
    return browser.value(f"document.querySelectorAll({selector!r}).length")


def graph(browser):
    """Every layer has a box, wires lead from box to box, and a click says what the layer is."""
    n = browser.value("layers.length")
    expect("a box for each layer, input and output", number_of(browser, ".box") == n + browser.value("manifest.inputs.length + manifest.outputs.length"))
    expect("rows do not overlap", browser.value("""boxes.every((a, i) => boxes.every((b, k) => k <= i || a.y !== b.y ||
        Math.abs(a.x - b.x) >= (a.width + b.width) / 2))"""))
    expect("what is read stands above", browser.value("lines.every(l => boxes[l.from].y < boxes[l.to].y)"))
    expect("nothing is chosen first", "Slowest layers, estimated" in browser.value(DETAILS))
    click(browser, box_with("Conv, Add, Relu"))
    seen = browser.value(DETAILS)
    for wanted in ("net.block.conv2.Conv", "dnnl.conv2d", "layout ", "Emitted C", "_dnnl_0.c, line "):
        expect(f"the details say {wanted}: {seen}", wanted in seen)
    expect("the emitted function is shown", "static dnnl_status_t run_" in browser.value("document.querySelector('#details pre').textContent"))
    expect("two wires lead to a layer that adds", browser.value("lines.filter(l => l.to === chosen).length") == 2)


def keys_and_search(browser):
    browser.value("picture.node().querySelector('[tabindex=\"0\"]').focus()")
    before = browser.value("chosen")
    browser.key("ArrowDown", 40)
    expect("an arrow key goes to the next layer", browser.value("chosen") == before + 1)
    expect("which has the focus", browser.value("document.activeElement.classList.contains('chosen')"))
    browser.value("document.getElementById('search').focus()")
    browser.call("Input.insertText", text="MAXPOOL")
    found = number_of(browser, ".box.hit")
    expect("layers are found, and what they read", found >= 3 and browser.value("document.getElementById('matches').textContent") == f"{found} matches")
    browser.key("Enter", 13, "\r")
    expect("Enter goes to one of them", browser.value("cells.nodes()[chosen].classList.contains('hit')") and "MaxPool" in browser.value(DETAILS))
    browser.value("document.getElementById('search').value = ''; search('')")
    expect("the search is over", number_of(browser, ".box.hit") == 0)


def zooming(browser):
    scale = "d3.zoomTransform(picture.node()).k"
    before = browser.value(scale)
    click(browser, "document.getElementById('zoom-in')")
    expect("the button zooms in", abs(browser.value(scale) / before - 1.4) < .01)
    click(browser, "document.getElementById('zoom-fit')")
    expect("the whole graph fits", browser.value("""(r => cells.nodes().every(c => (b => b.left >= r.left && b.right <= r.right && b.top >= r.top && b.bottom <= r.bottom)
        (c.getBoundingClientRect())))(picture.node().getBoundingClientRect())"""))


def colours(browser):
    fill = f"getComputedStyle({box_with('Conv, Add, Relu')}.querySelector('rect')).fill"
    before = browser.value(fill)
    click(browser, "document.querySelector('[value=time]')")
    expect("time has another colour", browser.value(fill) != before)
    expect("a legend says what the colours are", "estimated" in browser.value("document.getElementById('legend').textContent"))


def tables(browser):
    n = browser.value("layers.length")
    expect("a row for each layer", number_of(browser, "#times-table tbody tr") == min(20, n))
    shares = browser.value("Array.from(document.querySelectorAll('#times-table tbody tr'), r => parseFloat(r.cells[5].textContent))")
    expect(f"shares sum up, the largest first: {shares}", abs(sum(shares) - 100) < .5 and shares == sorted(shares, reverse=True))
    expect("times are marked as estimates", "not measurements" in browser.value("document.getElementById('times-lead').textContent"))
    placed = browser.value("buffers.filter(b => b.place === 'workspace').length")
    expect("each buffer is on the map", number_of(browser, ".buffer") == placed > 0)
    expect("none is above the workspace", browser.value("buffers.every(b => b.place !== 'workspace' || b.offset + b.bytes <= manifest.workspace_bytes)"))
    expect("the most that is alive is the lower bound", browser.value(
        "Math.abs(Math.max(...aliveByLayer(buffers.map((b, k) => k).filter(k => buffers[k].place === 'workspace'))) / manifest.live_bytes - 1) < .02"))
    expect("weights are listed", number_of(browser, "#weights-table tbody tr") > 5)
    expect("anchors are listed", number_of(browser, "#fusions-table tbody tr") == min(20, browser.value("manifest.anchors.length")))
    expect("reorders are listed", browser.value("manifest.reorders.length") in (0, number_of(browser, "#reorders-table tbody tr")))
    expect("layers are in the roofline", number_of(browser, ".dot") > 5)
    click(browser, "document.querySelector('#times-table .link')")
    expect("a row of a table chooses its layer", browser.value("boxes[chosen].index") == int(browser.value("document.querySelector('#times-table tbody td').textContent")))


def digits(browser, page, folder):
    screen(browser, 1280, 900)
    open_page(browser, page)
    browser.screenshot(os.path.join(folder, "laptop.png"))
    graph(browser)
    keys_and_search(browser)
    zooming(browser)
    colours(browser)
    tables(browser)
    for section in ("graph", "times", "roofline", "memory", "weights", "decisions"):
        show(browser, section)
        browser.screenshot(os.path.join(folder, f"{section}.png"))
    no_mistakes(browser)

    screen(browser, 380, 780, phone=True, scheme="dark")
    open_page(browser, page)
    expect("nothing is wider than a phone", browser.value("document.documentElement.scrollWidth") <= 380)
    red = int(browser.value("getComputedStyle(document.body).backgroundColor").split("(")[1].split(",")[0])
    expect("dark mode is dark", red < 64)
    for drawing in ("roofline-chart", "memory-chart"):
        expect(f"words of {drawing} can be read on a phone", browser.value(
            f"Math.min(...Array.from(document.querySelectorAll('#{drawing} text')).filter(t => t.textContent).map(t => t.getBoundingClientRect().height))") > 9)
    expect("names of operators are not broken", browser.value("document.querySelector('#times-table .link').getClientRects().length") == 1)
    browser.screenshot(os.path.join(folder, "phone.png"))
    no_mistakes(browser)

    screen(browser, 1280, 900)
    open_page(browser, page)
    pdf = base64.b64decode(browser.call("Page.printToPDF", printBackground=True)["data"])
    with open(os.path.join(folder, "print.pdf"), "wb") as f:
        f.write(pdf)
    browser.value("dispatchEvent(new Event('beforeprint'))")
    strips = browser.value("""Array.from(document.querySelectorAll('.strip'), s => s.viewBox.baseVal).map(v => boxes.filter(b => b.x - b.width / 2 >= v.x &&
        b.x + b.width / 2 <= v.x + v.width && b.y - boxHeight / 2 >= v.y && b.y + boxHeight / 2 <= v.y + v.height).length)""")
    expect(f"on paper each box is whole in one strip: {strips}", len(strips) > 1 and sum(strips) == browser.value("boxes.length"))
    expect("it can be printed", pdf[:5] == b"%PDF-" and 2 <= pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") <= 20)
    no_mistakes(browser)


def names(browser, page, folder):
    """What stands in names of a model is text."""
    screen(browser, 1280, 900)
    open_page(browser, page)
    expect("no name has become a script", browser.value("window.broken") is None)
    expect("no name has become an element", browser.value("document.querySelectorAll('img, b, #broken').length") == 0)
    expect("names are shown as they are", browser.value("document.querySelector('.box title').textContent").startswith("input </script><script>window.broken = 1</script>, f32[2,5]"))
    for k in range(browser.value("boxes.length")):
        browser.value(f"chooseBox({k}, true)")
    browser.value("search('<b>')")
    expect("no name has become an element of the details", browser.value("document.querySelectorAll('img, b, #broken').length") == 0)
    expect("still no script", browser.value("window.broken") is None)
    browser.screenshot(os.path.join(folder, "names.png"))
    no_mistakes(browser)


def errors_of(browser, page):
    """The column of the times with the layers' own errors, and what stands above."""
    screen(browser, 1280, 900)
    open_page(browser, page)
    column = browser.value("Array.from(document.querySelectorAll('#times-table th'), h => h.textContent).indexOf('Error')")
    expect("there is a column", column > 0)
    return (browser.value(f"Array.from(document.querySelectorAll('#times-table tbody tr'), r => r.cells[{column}].textContent)"),
            browser.value("document.getElementById('times-lead').textContent"))


def verified(browser, page, folder):
    cells, lead = errors_of(browser, page)
    expect(f"each layer has an error: {cells}", len(cells) == browser.value("layers.length") and all(c == "equal" or float(c) < 1e-5 for c in cells))
    expect(f"what they are of is said: {lead}", "random inputs of seed 1" in lead and "All are within their bounds." in lead)
    browser.value("chooseBox(boxes.findIndex(b => b.kind === 'layer'), true)")
    expect("the details have it", "error" in browser.value("Array.from(document.querySelectorAll('#details dt'), d => d.textContent)"))
    no_mistakes(browser)
    browser.screenshot(os.path.join(folder, "verified.png"))


def wrong(browser, page, folder):
    cells, lead = errors_of(browser, page)
    expect(f"one is beyond its bound: {cells}", sum(c.startswith("infinite > ") for c in cells) == 1)
    expect("it is marked", number_of(browser, "#times-table .beyond") == 1 and "beyond their bound are marked" in lead)
    no_mistakes(browser)


def measured(browser, page, folder):
    screen(browser, 1280, 900)
    open_page(browser, page)
    expect("times are measured", browser.value("document.getElementById('times-lead').textContent").startswith("Measured: "))
    expect("the share of peak is a column", "Of peak" in browser.value("document.querySelector('#times-table thead').textContent"))
    expect("as the profile has it", browser.value("profile.layers.length === layers.length && profile.mean_ms > 0 && facts.cpu.gflops > 0"))
    browser.value("chooseBox(boxOfLayer(0), true)")
    expect("details have it as well", "share of peak" in browser.value(DETAILS))
    show(browser, "times")
    browser.screenshot(os.path.join(folder, "measured.png"))
    no_mistakes(browser)


def large(browser, page, folder):
    """How long it takes to open is said, not judged: machines differ."""
    screen(browser, 1280, 900)
    seconds = open_page(browser, page)
    size = os.path.getsize(page)
    print(f"{browser.value('layers.length')} layers: {size} bytes, opened in {seconds:.2f} s")
    expect(f"{size} bytes are less than 5 MB", size < 5e6)
    browser.screenshot(os.path.join(folder, "large.png"))
    click(browser, "document.getElementById('zoom-fit')")
    browser.screenshot(os.path.join(folder, "large-whole.png"))
    browser.value("dispatchEvent(new Event('beforeprint'))")
    expect("what is too large for paper is said to be", number_of(browser, ".strip") == 0 and "too large for paper" in browser.value("document.getElementById('paper').textContent"))
    click(browser, "document.querySelector('#times .more')")
    expect("all rows are shown", number_of(browser, "#times-table tbody tr") == browser.value("layers.length"))
    no_mistakes(browser)


def empty(browser, page, folder):
    """A model whose outputs are its inputs has no layers; the page says so instead of breaking."""
    screen(browser, 1280, 900)
    open_page(browser, page)
    expect("there are no layers", browser.value("layers.length") == 0)
    expect("the page says so", number_of(browser, ".empty") >= 4)
    browser.value("for (let k = 0; k < boxes.length; k++) chooseBox(k, true)")
    browser.screenshot(os.path.join(folder, "empty.png"))
    no_mistakes(browser)


PARTS = {f.__name__: f for f in (digits, names, measured, verified, wrong, large, empty)}

if __name__ == "__main__":
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(profile)
        try:
            for part, page in zip(sys.argv[2::2], sys.argv[3::2]):
                PARTS[part](browser, page, sys.argv[1])
        finally:
            browser.process.terminate()
            browser.process.wait()
