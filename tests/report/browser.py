# SPDX-License-Identifier: Apache-2.0
"""
A browser for tests: Chromium without a window, told what to do through a pair of pipes.

    with Browser() as browser:
        page = browser.open("/folder/index.html", width=1440, height=900)
        assert page.run("document.title") == "Coverage"
        page.press("/")
        assert page.problems() == []

Each message is one JSON object with a zero byte behind it; no port is opened. What a page asks of the
network, and what it logs as an error, is kept and makes problems().
"""
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 60  # seconds; a machine may be busy


def program():
    return next((found for found in map(shutil.which, PROGRAMS) if found), None)


class Browser:
    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="anneal-browser.")
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()

        def place_pipes():
            # 3 and 4 are where the browser looks; neither may be closed by moving the other.
            reading, writing = os.dup(to_browser), os.dup(from_browser)
            high_reading, high_writing = 200, 201
            os.dup2(reading, high_reading)
            os.dup2(writing, high_writing)
            os.dup2(high_reading, 3)
            os.dup2(high_writing, 4)

        self.process = subprocess.Popen(
            [program(), "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--remote-debugging-pipe", "--disable-dev-shm-usage", "--force-color-profile=srgb",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--hide-scrollbars", "--user-data-dir=" + self.folder, "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False,
            preexec_fn=place_pipes)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.number, self.events, self.context = b"", 0, [], None
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
            self.process.wait(10)
        except (OSError, TimeoutError, EOFError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.output)
        os.close(self.input)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _receive(self, deadline):
        while b"\0" not in self.buffer:
            if not select.select([self.input], [], [], max(0, deadline - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            more = os.read(self.input, 1 << 20)
            if not more:
                raise EOFError("the browser has ended")
            self.buffer += more
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **parameters):
        self.number += 1
        number, message = self.number, {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.output, data):]
        deadline = time.monotonic() + PATIENCE
        while True:
            answer = self._receive(deadline)
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait(self, method, session):
        """The first event of this kind that nobody waited for yet."""
        deadline = time.monotonic() + PATIENCE
        while True:
            for index, event in enumerate(self.events):
                if event.get("method") == method and event.get("sessionId") == session:
                    return self.events.pop(index)["params"]
            self.events.append(self._receive(deadline))

    def renew(self):
        """Closes all pages, and forgets what they kept."""
        if self.context:
            self.call("Target.disposeBrowserContext", browserContextId=self.context)
        self.context = self.call("Target.createBrowserContext")["browserContextId"]
        self.events = []

    def open(self, path, **how):
        if not self.context:
            self.renew()
        return Page(self, path, **how)


class Page:
    def __init__(self, browser, path, width=1440, height=900, dark=False, scripts=True):
        self.browser, self.session, self.scripts = browser, None, scripts
        target = browser.call("Target.createTarget", url="about:blank",
                              browserContextId=browser.context)["targetId"]
        self.target = target
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.go(path)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def go(self, path):
        path, hash_sign, rest = str(path).partition("#")
        address = pathlib.Path(path).resolve().as_uri() + hash_sign + rest
        started = time.monotonic()
        if "loaderId" in self.call("Page.navigate", url=address):  # else: within the page
            self.browser.wait("Page.loadEventFired", self.session)
        self.seconds = time.monotonic() - started

    def run(self, script):
        """The value of an expression; a promise's, when it is one."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True,
                           awaitPromise=True, userGesture=True)
        if "exceptionDetails" in result:
            raise AssertionError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def settle(self):
        """Until two frames were drawn, of a page that is in front: others are not drawn."""
        self.call("Page.bringToFront")
        try:
            self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        except RuntimeError as error:
            if "navigated" not in str(error):  # what was clicked may have led to another page
                raise

    def press(self, key, modifiers=0):
        codes = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowLeft": 37, "ArrowRight": 39}
        event = {"key": key, "modifiers": modifiers, "windowsVirtualKeyCode": codes.get(key, 0)}
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else None)
        self.call("Input.dispatchKeyEvent", type="keyDown", **event, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **event)
        self.settle()

    def type(self, text):
        for key in text:
            self.press(key)

    def click(self, selector):
        """With the mouse, in the middle of the element."""
        box = self.run(f"""(() => {{
            const found = document.querySelector({json.dumps(selector)});
            if (!found) return null;
            found.scrollIntoView({{block: 'center'}});
            const box = found.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2]; }})()""")
        assert box, f"there is no {selector}"
        self.click_at(*box)

    def click_at(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        self.settle()

    def picture(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def problems(self):
        """Exceptions, messages of errors, and requests that leave the disk."""
        if self.scripts:
            self.settle()
        found = []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            what, details = event["method"], event["params"]
            if what == "Runtime.exceptionThrown":
                found.append(details["exceptionDetails"].get("exception", {}).get("description", what))
            elif what == "Runtime.consoleAPICalled" and details["type"] in ("error", "warning", "assert"):
                found.append(str(details["args"]))
            elif what == "Log.entryAdded" and details["entry"]["level"] in ("error", "warning"):
                found.append(details["entry"]["text"])
            elif what == "Network.loadingFailed":
                found.append("not loaded: " + details["errorText"])
            elif what == "Network.requestWillBeSent":
                address = details["request"]["url"]
                if not address.startswith(("file:", "data:")):
                    found.append("asked for " + address)
        return found

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)
