"""Pictures and films that the program draws, and the page that it serves."""
import base64
import pathlib
import struct
import subprocess
import tempfile

import common
from common import PageTest, browser, chasles, examples, simulate, work, write


class RenderTest(PageTest):
    def test_rendered_pictures_show_the_time_that_was_asked_for(self):
        simulate("rendered", f"chasles: 1\nmodel: {examples}/tutorial/arm.urdf\ninitial: {{q: {{shoulder: 1, elbow: 1}}}}\nduration: 1\n")
        # A recorded run, its report, its scenario, which is simulated, the whole page, and a model at rest.
        source, pictures = work / "rendered.json", {}
        for name, given, options in (("start", source, []), ("again", work / "rendered.html", ["--at", "0"]),
                                     ("end", work / "rendered.yaml", ["--at", "1"]), ("page", source, ["--page"]),
                                     ("model", examples / "four_bar.yaml", ["--camera", "front"])):
            chasles("render", given, "-o", work / f"{name}.png", "--size", "160x100", *options)
            pictures[name] = (work / f"{name}.png").read_bytes()
            self.assertEqual(pictures[name][:8], b"\x89PNG\r\n\x1a\n")
            self.assertEqual(struct.unpack(">II", pictures[name][16:24]), (160, 100), name)
            self.assertGreater(len(pictures[name]), 500, name)
        self.assertEqual(pictures["start"], pictures["again"])
        self.assertEqual(len(set(pictures.values())), 4)
        for arguments, said in ((["--at", "2"], "the run is from 0 to 1 s"), (["--time-limit", "0.001"], "--time-limit")):
            done = subprocess.run([common.program, "render", source, "-o", work / "not.png", *arguments], capture_output=True, text=True)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(said, done.stderr)
            self.assertFalse((work / "not.png").exists())
        other = write("other.html", "<p>no report</p>")
        done = subprocess.run([common.program, "render", other, "-o", work / "not.png"], capture_output=True, text=True)
        self.assertIn("is not a page of", done.stderr)
        self.assertEqual([p for p in pathlib.Path(tempfile.gettempdir()).glob("chasles_??????")], [], "no folder is left")
        self.open(work / "rendered.html")

    def test_films_have_every_frame_and_their_length(self):
        simulate("filmed", f"chasles: 1\nmodel: {examples}/tutorial/arm.urdf\ninitial: {{q: {{shoulder: 1, elbow: 1}}}}\nduration: 2\n")
        film = work / "filmed.webm"
        chasles("render", work / "filmed.json", "-o", film, "--size", "160x120", "--fps", "10", "--speed", "1")
        # The browser that plays it is the judge: its length, its size, and that the picture at the end is another one.
        page = write("film.html", f"""<video id=v muted src="data:video/webm;base64,{base64.b64encode(film.read_bytes()).decode()}"></video>
          <script>v.onloadeddata = () => document.documentElement.dataset.ready = 'true'; v.onerror = () => document.title = v.error.message;</script>""")
        browser.messages()
        browser.open(page)
        width, height, length = browser.run("[v.videoWidth, v.videoHeight, v.duration]")
        self.assertEqual((width, height), (160, 120))
        self.assertAlmostEqual(length, 2.1, delta=0.02)  # 21 frames
        shown = browser.later("""async () => {
          const c = document.createElement('canvas'), out = [];
          c.width = 160, c.height = 120;
          for (const t of [0.05, 1.05, 2.05]) {
            v.currentTime = t;
            await new Promise(resolve => { v.onseeked = resolve; });
            const g = c.getContext('2d');
            g.drawImage(v, 0, 0);
            out.push(Array.from(g.getImageData(0, 0, 160, 120).data));
          }
          return [0, 1].map(i => out[i].filter((x, k) => Math.abs(x - out[i + 1][k]) > 60).length); }""")
        for changed in shown:
            self.assertGreater(changed, 100)
        self.open(work / "filmed.html")

    # chasles serve: the page shows the run, steps it, changes a number, pulls a body, and follows the file.
    def test_served_scenario(self):
        scenario = write("served.yaml", f"chasles: 1\nmodel: {examples}/tutorial/arm.urdf\ninitial: {{q: {{shoulder: 0.5}}}}\nduration: 1\n"
                         "forces:\n  - {type: joint_spring_damper, joint: elbow, stiffness: 2, damping: 1}  # soft\n")
        served = subprocess.Popen([common.program, "serve", scenario, "--paused"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            served.stdout.readline()
            address = served.stdout.readline().strip()
            browser.messages()
            browser.go(address)
            browser.wait("window.chasles && chasles.page.live.run > 0")
            self.assertAlmostEqual(browser.run("chasles.page.q[0]"), 0.5)
            press = "[...document.querySelectorAll('#sliders button')].find(b => b.textContent === a[0]).click()"
            for k in range(3):
                browser.run(press, "step")
                browser.wait(f"chasles.page.live.clock.textContent.startsWith('t = {0.01 * (k + 1):.2f}')")
            self.assertGreater(abs(browser.run("chasles.page.q[0]") - 0.5), 1e-6)
            paths = browser.run("[...document.querySelectorAll('.slider span')].map(s => s.textContent)")
            self.assertEqual(paths, ["initial.q.shoulder", "duration", "forces.0.stiffness", "forces.0.damping"])
            browser.run("""(() => { const n = document.querySelectorAll('.slider input[type=number]')[2]; n.value = 7.5; n.dispatchEvent(new Event('change')); })()""")
            browser.run(press, "copy the scenario")
            browser.wait("document.querySelector('#sliders pre').textContent.includes('stiffness: 7.5')")
            self.assertEqual(browser.run("document.querySelector('#sliders pre').textContent"), scenario.read_text().replace("stiffness: 2", "stiffness: 7.5"))
            # Refused numbers come back.
            browser.run("""(() => { const n = document.querySelectorAll('.slider input[type=number]')[2]; n.value = -1; n.dispatchEvent(new Event('change')); })()""")
            browser.wait("document.querySelector('.live-status').textContent.includes('stiffness')")
            browser.wait("document.querySelectorAll('.slider input[type=number]')[2].value === '7.5'")
            browser.run("""(() => { const n = document.querySelectorAll('.slider input[type=number]')[2]; n.value = ''; n.dispatchEvent(new Event('change')); })()""")
            self.assertIn("give a number", browser.run("document.querySelector('.live-status').textContent"))
            self.assertEqual(browser.run("document.querySelectorAll('.slider input[type=number]')[2].value"), "7.5")
            # A body is pulled with the mouse: it follows while the run goes on.
            x, y = browser.run("""(() => {
              const p = chasles.page, b = p.figure.model.bodies.findIndex(x => x.name === 'lower');
              const c = new THREE.Vector3(...Screws.apply(p.figure.bodyPose(b), p.figure.model.bodies[b].com)).project(p.scene.camera);
              const r = p.scene.renderer.domElement.getBoundingClientRect();
              return [r.left + (c.x + 1) / 2 * r.width, r.top + (1 - c.y) / 2 * r.height]; })()""")
            eye = browser.run("chasles.page.scene.camera.position.toArray()")
            q = browser.run("chasles.page.q[0]")
            browser.drag(x, y, x + 120, y - 40, hold=True)
            self.assertTrue(browser.run("Boolean(chasles.page.live.pulling)"))
            browser.run(press, "▶ go")
            browser.wait(f"Math.abs(chasles.page.q[0] - {q}) > 0.05")
            self.assertTrue(browser.run("chasles.page.live.line.visible"), "the spring is drawn")
            browser.release()
            self.assertFalse(browser.run("Boolean(chasles.page.live.pulling) || chasles.page.live.line.visible"))
            self.assertEqual(browser.run("chasles.page.scene.camera.position.toArray()"), eye)
            # The file is what counts: its errors are shown, and when it is mended the page has it.
            good = scenario.read_text()
            scenario.write_text("chasles: 1\nmodel: [")
            browser.wait("document.querySelector('.live-status').textContent.includes('served.yaml')")
            scenario.write_text(good.replace("0.5", "-0.75"))
            browser.wait("document.querySelector('.live-status').textContent === '' && document.querySelectorAll('.slider input[type=number]')[0].value === '-0.75'")
            self.assertEqual(browser.run("chasles.errors"), [])
            self.assertEqual([m for m in browser.messages() if "400" not in m], [])
        finally:
            served.terminate()
            self.assertEqual(served.wait(20), 0)
        self.open(self.plain_page())

    def plain_page(self):
        page = work / "plain.html"
        chasles("view", examples / "four_bar.yaml", "-o", page)
        return page
