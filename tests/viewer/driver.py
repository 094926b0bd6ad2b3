"""A browser for the tests: Debian's chromium through chromedriver's HTTP protocol, with nothing but Python."""
import base64
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request


def available():
    return all(shutil.which(tool) for tool in ("chromium", "chromedriver"))


#: Most of the time of a page in software is compiling its shaders, which happens when they first draw. Pages draw nothing before
#: they are looked at.
DRAW_NOTHING = """(() => {
  const skip = (object, name) => {
    const draw = object[name];
    object[name] = function (...list) { return window.drawn ? draw.apply(this, list) : undefined; };
  };
  const {prototype} = WebGLRenderingContext, extension = prototype.getExtension;
  skip(prototype, 'drawArrays');
  skip(prototype, 'drawElements');
  prototype.getExtension = function (name) {
    const found = extension.call(this, name);
    if (found && name === 'ANGLE_instanced_arrays') skip(found, 'drawElementsInstancedANGLE');
    return found;
  };
})()"""


class Browser:
    FLAGS = ["--headless=new", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
             "--no-first-run", "--disable-background-networking", "--disable-dev-shm-usage", "--hide-scrollbars"]

    def start(self):
        self.profile = tempfile.mkdtemp()
        # To a file: a pipe that nobody empties would stop the browser, which writes to it as well.
        log = pathlib.Path(self.profile) / "chromedriver.log"
        with log.open("w") as output:
            self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=output, stderr=output)
        self.port = None
        end = time.monotonic() + 60
        while self.port is None:
            found = re.search(r"started successfully on port (\d+)", log.read_text())
            if found:
                self.port = int(found[1])
            elif self.driver.poll() is not None or time.monotonic() > end:
                raise RuntimeError("chromedriver does not start: " + log.read_text())
            else:
                time.sleep(0.05)
        options = {"args": self.FLAGS + ["--user-data-dir=" + self.profile + "/profile"], "binary": shutil.which("chromium")}
        answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}}, session=False)
        self.session = answer["sessionId"]
        self.command("Page.addScriptToEvaluateOnNewDocument", source=DRAW_NOTHING)
        self.size()

    def size(self, width=1000, height=700, mobile=False):
        """Of the page: how much of a window is the page's differs between versions of the browser."""
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)

    def command(self, name, **parameters):
        """Of the browser's own protocol."""
        return self.call("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def call(self, method, path, body=None, session=True):
        url = f"http://127.0.0.1:{self.port}" + (f"/session/{self.session}" if session else "") + path
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"].split("\n")[0]) from None

    def open(self, path, hash="play=0"):
        self.call("POST", "/url", {"url": "about:blank"})  # a page with another hash would not be read again
        self.go("file://" + str(path) + "#" + hash)

    def go(self, address):
        self.call("POST", "/url", {"url": address})
        self.wait("document.documentElement.dataset.ready === 'true'")

    def look(self):
        """From now on this page is drawn."""
        self.run("(window.drawn = true, chasles.page.scene.drawNow())")

    def colors(self):
        """How many colors the picture has."""
        self.look()
        return self.run("chasles.page.scene.colors()")

    def run(self, script, *arguments):
        """The value of an expression of JavaScript; `a` are the arguments."""
        return self.call("POST", "/execute/sync", {"script": f"const a = arguments; return ({script});", "args": list(arguments)})

    def later(self, function, *arguments):
        """What an async function of JavaScript gives."""
        self.call("POST", "/timeouts", {"script": 60000})
        return self.call("POST", "/execute/async", {"args": list(arguments), "script":
            f"const a = [...arguments], done = a.pop(); ({function})().then(done, error => done(String(error)));"})

    def wait(self, condition, seconds=120):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.run(condition):
                return
            time.sleep(0.05)
        raise AssertionError(f"did not become true: {condition}; errors: {self.messages()}")

    def press(self, key):
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": [
            {"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]}]})

    def click(self, x, y):
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "x": int(x), "y": int(y)}, {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0}]}]})

    def drag(self, x, y, to_x, to_y, hold=False):
        steps = [{"type": "pointerMove", "x": int(x), "y": int(y)}, {"type": "pointerDown", "button": 0}]
        steps += [{"type": "pointerMove", "x": int(x + (to_x - x) * k / 4), "y": int(y + (to_y - y) * k / 4), "duration": 20} for k in range(1, 5)]
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": steps + ([] if hold else [{"type": "pointerUp", "button": 0}])}]})

    def release(self):
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [{"type": "pointerUp", "button": 0}]}]})

    def messages(self):
        """What the page has said on the console since the last call, but for the graphics driver's talk."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})
                if "GPU stall" not in entry["message"] and "GL Driver Message" not in entry["message"]]

    def screenshot(self):
        return base64.b64decode(self.call("GET", "/screenshot"))

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
            shutil.rmtree(self.profile, ignore_errors=True)
