"""What the tests of the page share: the program, one browser, files of runs."""
import json
import pathlib
import subprocess
import tempfile
import unittest

import driver

program = ""  # given to run_tests.py
examples = pathlib.Path(__file__).resolve().parents[2] / "examples"
work = pathlib.Path(tempfile.mkdtemp())
browser = driver.Browser()  # started by run_tests.py


def chasles(*arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, f"chasles {arguments}: {done.stderr}"
    return done


def write(name, text):
    path = work / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def simulate(name, text):
    """A scenario as report and as .json."""
    scenario, page, run = write(name + ".yaml", text), work / (name + ".html"), work / (name + ".json")
    chasles("simulate", scenario, "--report", page, "-o", run)
    return page, json.loads(run.read_text())


def eval_pose(model, q, frame):
    states = write("states.json", json.dumps({"states": [{"q": q}]}))
    out = chasles("eval", model, "--states", states, "--compute", "pose:" + frame)
    return json.loads(out.stdout)["results"][0]["pose:" + frame]


def shown_pose(body):
    """The pose of a body as it is drawn: what the page computed, as a matrix of 4 x 4."""
    C = browser.run("Array.from(chasles.page.figure.bodyPose(chasles.page.figure.model.bodies.findIndex(b => b.name === a[0])))", body)
    return [C[0:3] + [C[9]], C[3:6] + [C[10]], C[6:9] + [C[11]], [0, 0, 0, 1]]


def difference(a, b):
    return max(abs(x - y) for row, other in zip(a, b) for x, y in zip(row, other))


class PageTest(unittest.TestCase):
    def open(self, page, hash="play=0"):
        browser.messages()
        browser.open(page, hash)

    def tearDown(self):
        self.assertEqual(browser.messages(), [])
        self.assertEqual(browser.run("chasles.errors"), [])
        self.assertEqual(browser.run("performance.getEntriesByType('resource').length"), 0, "the page loads nothing")
