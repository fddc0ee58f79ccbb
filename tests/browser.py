"""Headless Chromium, for tests of pages. SPDX-License-Identifier: Apache-2.0"""
import base64
import json
import os
import shutil
import subprocess
import time


class Browser:
    """Chromium's DevTools protocol over a pair of pipes: messages that end with a zero byte."""

    def __init__(self, profile):
        to_browser, self.to = os.pipe()
        self.back, from_browser = os.pipe()
        os.set_inheritable(to_browser, True)
        os.set_inheritable(from_browser, True)
        program = shutil.which("chromium")
        # The protocol's pipes are file descriptors 3 and 4.
        command = f'exec 3<&{to_browser} 4>&{from_browser}; exec "$@"'
        options = ["--headless=new", "--remote-debugging-pipe", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
                   f"--user-data-dir={profile}", *(["--no-sandbox"] if os.getuid() == 0 else []), "about:blank"]
        self.process = subprocess.Popen(["bash", "-c", command, "bash", program, *options], close_fds=False,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.pending, self.count, self.session = b"", 0, None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")

    def message(self):
        while b"\0" not in self.pending:
            more = os.read(self.back, 1 << 16)
            if not more:
                raise SystemExit("the browser has ended")
            self.pending += more
        text, self.pending = self.pending.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.count += 1
        asked = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            asked["sessionId"] = self.session
        data = json.dumps(asked).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        while True:
            said = self.message()
            if said.get("id") == self.count:
                if "error" in said:
                    raise SystemExit(f"{method}: {said['error']}")
                return said["result"]

    def value(self, expression):
        said = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in said:
            raise SystemExit(f"{expression}: {said['exceptionDetails']}")
        return said["result"].get("value")

    def until(self, expression, wanted, seconds=20):
        end = time.monotonic() + seconds
        while (seen := self.value(expression)) != wanted:
            if time.monotonic() > end:
                raise SystemExit(f"{expression} is {seen!r}, not {wanted!r}")
            time.sleep(.05)

    def open(self, url, ready="true"):
        """Until the page is loaded and an expression is true in it."""
        self.call("Page.navigate", url=url)
        self.until(f"document.readyState + ' ' + ({ready})", "complete true")

    def key(self, key, code, text=None):
        """A key of the keyboard, down and up; `code` is its virtual key code."""
        pressed = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", **pressed, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **pressed)

    def screenshot(self, path):
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))


def expect(what, condition):
    if not condition:
        raise SystemExit(f"not so: {what}")
