"""Reports and views in a browser: poses, sliders, loops, time, names, meshes, forces."""
import json
import math
import random
import re
import struct

from common import PageTest, browser, chasles, difference, eval_pose, examples, shown_pose, simulate, work, write


class ViewerTest(PageTest):
    # every_joint.yaml has each type of joint; here every body has a mass, so that it can move.
    def test_scrubbed_poses_are_the_recorded_ones(self):
        head, *parts = re.split("\n(?=  - name: |loops:)", (examples / "every_joint.yaml").read_text())
        parts = [part if "inertia:" in part or not part.startswith("  - name") else
                 part + "\n    inertia: {mass: 1, com: [0.02, 0.01, 0.03], tensor: [0.1, 0, 0, 0.12, 0, 0.09]}" for part in parts]
        write("every_joint.yaml", "\n".join([head, *parts]))
        bodies = ["rover", "turret", "drill", "piston", "wheel", "trailer", "gimbal", "compliant_stage", "float", "scara", "drone"]
        page, run = simulate("every", f"""
chasles: 1
model: every_joint.yaml
loops: open
mimic: false
joint_dynamics: false
gravity: [0, 0, -1]
initial: {{v: {{base: [0.5, 0.3, -0.4, 0.1, 0.2, 0.3], turret: 1, drill: 2, wheel: [1, -2], trailer: [0.5, 0.7, -0.3],
  gimbal: [1, 0.5], compliant_stage: [0.6, 0.2], scara: [0.1, 0.2, 0.1, 1], drone: [0.3, -0.2, 0.5, 0.1, 0.1, 0.2]}}}}
integrator: {{method: dop853, tolerance: 1e-9}}
duration: 1
record: {{every: 0.05, quantities: [{", ".join("pose:" + b for b in bodies)}]}}
""")
        self.open(page)
        for i in (0, 7, 20):
            sample = run["samples"][i]
            browser.run("(() => { const s = document.getElementById('time'); s.value = a[0]; s.dispatchEvent(new Event('input')); })()", sample["t"])
            for body in bodies:
                self.assertLess(difference(shown_pose(body), sample["pose:" + body]), 1e-6, f"{body} at {sample['t']}")
        points = browser.run("chasles.page.plots.charts.map(c => [c.plot.key, c.graph.numRows()])")
        self.assertGreaterEqual(len(points), 4)
        for key, count in points:
            self.assertEqual(count, len(run["samples"]), key)

    def test_plays_and_obeys_keys(self):
        page, run = simulate("swing", f"chasles: 1\nmodel: {examples}/tutorial/arm.urdf\ninitial: {{q: {{shoulder: 1, elbow: 1}}}}\nduration: 3\n")
        self.open(page)
        self.assertEqual(browser.run("chasles.page.player.t"), 0)
        browser.press(" ")
        browser.wait("chasles.page.player.t > 0.2")
        browser.press(" ")
        at = browser.run("chasles.page.player.t")
        self.assertFalse(browser.run("chasles.page.player.playing"))
        browser.press("\ue014")  # to the right
        self.assertAlmostEqual(browser.run("chasles.page.player.t"), min(at + 0.03, 3), places=9)
        browser.press("\ue010")  # end
        self.assertEqual(browser.run("chasles.page.player.t"), 3)
        browser.press(".")
        browser.press(",")
        self.assertAlmostEqual(browser.run("chasles.page.player.t"), run["samples"][-2]["t"], places=12)
        # A click on a plot seeks, and the cursor goes there.
        x, y, t = browser.run("(() => { const c = chasles.page.plots.charts[0], r = c.graph.graphDiv.getBoundingClientRect(); "
                              "return [r.left + c.graph.toDomXCoord(1.5), r.top + 40, 1.5]; })()")
        browser.click(x, y)
        self.assertAlmostEqual(browser.run("chasles.page.player.t"), t, delta=0.02)
        self.assertAlmostEqual(browser.run("chasles.page.plots.charts[0].cursor.getBoundingClientRect().left"), x, delta=3)
        # A curve is switched off.
        browser.run("document.querySelector('.legend input').click()")
        self.assertEqual(browser.run("chasles.page.plots.charts[0].graph.visibility()[0]"), False)
        # A click on a body names it.
        browser.press("\ue011")  # home
        browser.click(*browser.run("""(() => {
          const p = chasles.page, b = p.figure.model.bodies.findIndex(x => x.name === 'upper');
          const c = new THREE.Vector3(...Screws.apply(p.figure.bodyPose(b), p.figure.model.bodies[b].com)).project(p.scene.camera);
          const r = p.scene.renderer.domElement.getBoundingClientRect();
          return [r.left + (c.x + 1) / 2 * r.width, r.top + (1 - c.y) / 2 * r.height]; })()"""))
        self.assertEqual(browser.run("document.querySelector('#body h2').textContent"), "upper")
        browser.run("[...document.querySelectorAll('#body button')].find(b => b.textContent === 'trace').click()")
        self.assertEqual(browser.run("chasles.page.trail.count"), 8 * (len(run["samples"]) - 1) + 1)
        self.assertGreater(browser.colors(), 8)
        self.assertGreater(len(browser.screenshot()), 10000)
        self.assertIn("beyond bounds: joint 'elbow'", browser.run("document.getElementById('facts').textContent"))

    def test_slider_moves_its_body(self):
        page = work / "arm.html"
        model = examples / "tutorial/arm.urdf"
        chasles("view", model, "-o", page)
        self.open(page)
        upper = shown_pose("upper")
        move = "(() => { const s = document.querySelectorAll('#sliders input[type=range]')[a[0]]; s.value = a[1]; s.dispatchEvent(new Event('input')); })()"
        browser.run(move, 1, 0.7)
        self.assertEqual(difference(shown_pose("upper"), upper), 0)
        self.assertLess(difference(shown_pose("hand"), eval_pose(model, [0, 0.7], "hand")), 1e-12)
        browser.run(move, 0, -0.4)
        self.assertLess(difference(shown_pose("hand"), eval_pose(model, [-0.4, 0.7], "hand")), 1e-12)
        self.assertEqual(browser.run("document.querySelectorAll('#sliders input[type=range]')[1].max"), "2.5", "the limit of the joint")
        self.assertGreater(browser.colors(), 8)

    def test_canonical_coordinates_are_those_of_every_joint(self):
        page, model = work / "joints.html", examples / "every_joint.yaml"
        chasles("view", model, "-o", page)
        self.open(page)
        random.seed(1)
        n = browser.run("chasles.page.x.length")
        x = [random.uniform(-1, 1) for _ in range(n)]
        q = browser.run("Array.from(chasles.page.figure.chain.fromCanonical(a[0], new Float64Array(chasles.page.q.length)))", x)
        browser.run("chasles.page.show(Float64Array.from(a[0]))", q)
        for body in browser.run("chasles.page.figure.model.bodies.map(b => b.name)"):
            self.assertLess(difference(shown_pose(body), eval_pose(model, q, body)), 1e-12, body)
        back = browser.run("Array.from(chasles.page.figure.chain.toCanonical(a[0], new Float64Array(a[1])))", q, n)
        self.assertLess(max(abs(a - b) for a, b in zip(x, back)), 1e-12)

    def test_loops_are_shown_closed_or_open(self):
        gap = "Math.max(...chasles.page.figure.closure.residual(chasles.page.x).map(Math.abs))"
        move = "(() => { const s = document.querySelectorAll('#sliders input[type=range]')[a[0]]; s.value = a[1]; s.dispatchEvent(new Event('input')); })()"
        for model, slider in (("four_bar", 0), ("stewart", 8)):
            page = work / (model + ".html")
            chasles("view", examples / (model + ".yaml"), "-o", page)
            self.open(page)
            browser.run(move, slider, 0.2)
            self.assertAlmostEqual(browser.run("chasles.page.x[a[0]]", slider), 0.2, places=6)
            self.assertLess(browser.run(gap), 1e-9, model)
            browser.run("document.getElementById('closed').click()")
            browser.run(move, slider, 0.1)
            self.assertGreater(browser.run(gap), 1e-3, model)

    # Every coordinate of closed mechanisms is asked for values over its whole range, in jumps. What can be reached is; what
    # cannot stays closed, and the page says so.
    def test_jumps_close_or_are_rolled_back_with_a_message(self):
        for model, least in (("delta", 0.7), ("four_bar", 0.6)):
            page = work / (model + ".html")
            chasles("view", examples / (model + ".yaml"), "-o", page)
            self.open(page)
            jumps = []
            for row in range(browser.run("chasles.page.sliders.rows.length")):
                jumps += browser.run("""(() => {
                  const page = chasles.page, {slider, i} = page.sliders.rows[a[0]], out = [];
                  for (const share of [1, 0, 0.3]) {
                    const value = Number(slider.min) + share * (slider.max - slider.min);
                    slider.value = value;
                    slider.dispatchEvent(new Event('input'));
                    for (const [k, x] of page.x.entries()) if (k !== i && !(Math.abs(x) < 3.1416)) return `${k} is at ${x}`;
                    out.push([page.figure.closure.open(page.x), Math.abs(page.x[i] - value), page.sliders.status.textContent]);
                  }
                  return out; })()""", row)
            for gap, missed, said in jumps:
                self.assertLess(gap, 1e-10, model)
                self.assertEqual(missed > 1e-9, "the loops cannot" in said, f"{model}: off by {missed}, said '{said}'")
            reached = sum(missed <= 1e-9 for _, missed, _ in jumps)
            self.assertGreater(reached / len(jumps), least, model)
            browser.run("chasles.page.sliders.reset()")
            self.assertEqual(browser.run("Array.from(chasles.page.x)"), browser.run("Array.from(chasles.page.sliders.first.x)"))

    # Rods, cables, points on planes, lines and curves, rolling: positions against closed forms.
    def test_sliders_keep_constraints_of_the_model(self):
        body = "{{name: {0}, joint: {{name: {0}, {1}}}, pose: {{xyz: [{2}]{3}}}, inertia: {{mass: 1, com: [{2}], tensor: [0.01, 0, 0, 0.01, 0, 0.01]}}}}"
        moves, turns, lifts = "type: translation3, axis: [0, 0, 1], x_axis: [1, 0, 0]", "type: revolute, axis: [0, 1, 0]", "type: prismatic, axis: [0, 0, 1]"
        bodies = [("crank", turns, "0, 0, 0", ""), ("slider", moves, "0, 0, 0", ""), ("bead", moves, "0.3, 2, 0", ""), ("drop", moves, "0, 0, 0", ""),
                  ("left", lifts, "0, 3, -1", ""), ("right", lifts, "1, 3, -1", ""), ("ball", "type: floating", "0, 5, 0.2", ""),
                  ("cam", turns + ", point: [0, 6, 0]", "0, 6, 0", ", rpy: [-90 deg, 0, 0]"), ("follower", lifts, "0, 6, 0.1", "")]
        model = write("kept.yaml", "chasles: 1\nbodies:\n" + "".join(f"  - {body.format(*given)}\n" for given in bodies) + """constraints:
  - {type: distance, name: rod, a: {body: crank, point: [0.1, 0, 0]}, b: {body: slider, point: [0.4, 0, 0]}}
  - {type: point_on_line, name: guide, body: slider, line: {direction: [1, 0, 0]}}
  - {type: point_on_curve, name: wire, body: bead, curve: {x: 0.3*cos(s), y: 2, z: 0.3*sin(s), from: 0, to: 2*pi, closed: true}}
  - {type: point_on_plane, name: table, body: drop, plane: {body: crank, normal: [0, 0, 1]}}
  - {type: cable, name: rope, points: [{body: left}, {body: ground, point: [0, 3, 0]}, {body: ground, point: [1, 3, 0]}, {body: right}]}
  - {type: rolling, name: floor, body: ball, radius: 0.2}
  - {type: point_on_curve, name: rim, body: follower, curve: {body: cam, points: [[0.1, 0], [0, 0.15], [-0.1, 0], [0, -0.1]], closed: true}}
""")
        page = work / "kept.html"
        chasles("view", model, "-o", page)
        self.open(page)
        self.assertEqual(browser.run("document.getElementById('closed').parentElement.textContent.trim()"), "constraints kept")

        def move(name, value):
            """Types a number; the message, after it is seen that everything is kept."""
            said = browser.run("""(() => { const {rows, status} = chasles.page.sliders, {number} = rows.find(row => row.name === a[0]);
              number.value = a[1]; number.dispatchEvent(new Event('change')); return status.textContent; })()""", name, value)
            self.assertLess(browser.run("chasles.page.figure.closure.open(chasles.page.x)"), 1e-10, name)
            return said

        def place(body):
            return [row[3] for row in shown_pose(body)[:3]]

        def expect(body, position, tolerance=1e-9):
            for a, b in zip(place(body), position):
                self.assertAlmostEqual(a, b, delta=tolerance, msg=body)

        s, c = math.sin(0.7), math.cos(0.7)
        self.assertEqual(move("crank", 0.7), "")
        expect("slider", [0.1 * c + math.sqrt(0.09 - 0.01 * s * s) - 0.4, 0, 0])
        self.assertEqual(move("drop[0]", 0.1), "")
        crank = browser.run("chasles.page.x[chasles.page.sliders.rows.find(row => row.name === 'crank').i]")  # has followed
        x, _, z = place("drop")
        self.assertAlmostEqual(x, 0.1, delta=1e-12)
        self.assertAlmostEqual(z, -0.1 * math.tan(crank), delta=1e-9)
        self.assertEqual(move("bead[2]", 0.2), "")
        expect("bead", [math.sqrt(0.05), 2, 0.2])
        self.assertIn("the constraints cannot be kept fulfilled to 0.35", move("bead[2]", 0.35))
        self.assertGreater(place("bead")[2], 0.298)
        self.assertEqual(move("left", 0.3), "")
        expect("right", [1, 3, -1.3])
        self.assertEqual(move("cam", math.pi), "")
        expect("follower", [0, 6, 0.15])
        self.assertEqual(move("ball[1]", 1), "")
        expect("ball", [0.2, 5, 0.2], 1e-6)  # rolled by the arc
        turned = [[math.cos(1), 0, math.sin(1)], [0, 1, 0], [-math.sin(1), 0, math.cos(1)]]
        self.assertLess(difference([row[:3] for row in shown_pose("ball")[:3]], turned), 1e-6)
        # Without them every coordinate is free; they are found again, or the page says that they are not.
        browser.run("document.getElementById('closed').click()")
        browser.run("(() => { const {number} = chasles.page.sliders.rows.find(row => row.name === 'bead[0]'); number.value = 0.1; number.dispatchEvent(new Event('change')); })()")
        self.assertGreater(browser.run("chasles.page.figure.closure.open(chasles.page.x)"), 1e-3)
        browser.run("document.getElementById('closed').click()")
        self.assertEqual(browser.run("chasles.page.sliders.status.textContent"), "")
        self.assertLess(browser.run("chasles.page.figure.closure.open(chasles.page.x)"), 1e-10)

    def test_mouse_moves_take_few_evaluations(self):
        page = work / "delta_moves.html"
        chasles("view", examples / "delta.yaml", "-o", page)
        self.open(page)
        evaluations, off, milliseconds = browser.run("""(() => {
          const {sliders, figure, x} = chasles.page, {slider, i} = sliders.rows.find(row => row.name === 'motor1');
          let count = 0;
          const {closure} = figure, equations = closure.equations.bind(closure);
          closure.equations = x => (++count, equations(x));
          const begin = performance.now();
          for (let k = 1; k <= 60; ++k) {
            slider.value = 0.01 * k;
            slider.dispatchEvent(new Event('input'));
          }
          return [count, Math.abs(x[i] - 0.6) + closure.open(x), performance.now() - begin]; })()""")
        print(f"60 moves of the delta robot: {evaluations} Jacobians, {milliseconds:.0f} ms")
        self.assertLess(off, 1e-9)
        self.assertLess(evaluations, 60 * 5)  # a tangent and Newton's steps; by differences there were 39 residuals for each

    # The crank of a four-bar comes back to where it was, and a value beyond a limit of the loops is refused in place.
    def test_typed_values_reset_and_rows_that_stay(self):
        page = work / "four_bar_typed.html"
        chasles("view", examples / "four_bar.yaml", "-o", page)
        self.open(page)
        rows = "[...document.querySelectorAll('.slider')].map(r => r.getBoundingClientRect().top)"
        tops = browser.run(rows)
        type_in = """(() => { const n = document.querySelectorAll('.slider input[type=number]')[a[0]]; n.value = a[1];
          n.dispatchEvent(new Event('change')); return [chasles.page.x[a[0]], document.querySelector('.slider-status').textContent]; })()"""
        start = browser.run("Array.from(chasles.page.x)")
        for value in (0.5, 3.0, -3.0, 0.0):
            self.assertEqual(browser.run(type_in, 0, value), [value, ""])
        self.assertLess(max(abs(a - b) for a, b in zip(start, browser.run("Array.from(chasles.page.x)"))), 1e-8)
        x, said = browser.run(type_in, 1, 300)
        self.assertNotEqual(x, 300)
        self.assertIn("the loops cannot be kept closed to 300", said)
        self.assertLess(browser.run("chasles.page.figure.closure.open(chasles.page.x)"), 1e-10)
        self.assertEqual(browser.run(rows), tops)
        before, said = browser.run(type_in, 0, "")
        self.assertIn("give a number", said)
        self.assertAlmostEqual(browser.run("Number(document.querySelectorAll('.slider input[type=number]')[0].value)"), before, delta=1e-5)
        browser.run("document.querySelector('.slider-reset').click()")
        self.assertEqual(browser.run("Array.from(chasles.page.x)"), start)
        self.assertEqual(browser.run(rows), tops)
        # Opened, moved far, closed again: closed, or open and said.
        browser.run("document.getElementById('closed').click()")
        browser.run(type_in, 0, 2.5)
        browser.run("document.getElementById('closed').click()")
        gap, said = browser.run("[chasles.page.figure.closure.open(chasles.page.x), document.querySelector('.slider-status').textContent]")
        self.assertEqual(gap < 1e-10, said == "")

    def test_small_turns_keep_positions(self):
        page = work / "small.html"
        chasles("view", examples / "four_bar.yaml", "-o", page)
        self.open(page)
        for angle in (1e-5, 1e-8, 1e-11, 1e-13):  # the exponential of a small turn and a long way
            off = browser.run("(() => { const C = Screws.exp([a[0], 0, 0, 0, 1, 2], 1); return Math.hypot(C[9], C[10] - 1 + a[0], C[11] - 2 - a[0] / 2); })()", angle)
            self.assertLess(off, 3e-16 + angle * angle)

    def test_names_are_text(self):
        evil = "</script><script>window.hacked=1</script><img src=x onerror='window.hacked=2'>\\\"'&lt;"
        text = json.dumps(evil)
        write("evil_model.yaml", f"chasles: 1\nname: {text}\nbodies:\n  - {{name: {text}, joint: {{name: {text}, type: revolute, "
              "axis: [0, 1, 0]}, inertia: {mass: 1, com: [0, 0, -1], tensor: [1, 0, 0, 1, 0, 1]}}\n")
        page, _ = simulate("evil", f"chasles: 1\nname: {text}\nmodel: evil_model.yaml\nduration: 1\n# {evil}\n")
        view = work / "evil_view.html"
        chasles("view", work / "evil_model.yaml", "-o", view)
        for opened in (page, view):
            self.open(opened)
            if opened == page:
                browser.run("chasles.page.select(0)")
                self.assertEqual(browser.run("document.querySelector('#body h2').textContent"), evil)
            self.assertEqual(browser.run("document.getElementById('title').textContent"), evil)
            self.assertIsNone(browser.run("window.hacked"))
            self.assertEqual(browser.run("document.images.length"), 0)

    def test_meshes_that_cannot_be_shown_are_left_out_and_named(self):
        corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
        faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
        stl = b"\0" * 80 + struct.pack("<I", 4) + b"".join(
            struct.pack("<3f", 0, 0, 0) + b"".join(struct.pack("<3f", *corners[i]) for i in face) + b"\0\0" for face in faces)
        write("good.stl", stl)
        write("cut.stl", stl[:100])
        write("good.obj", "".join(f"v {x} {y} {z}\n" for x, y, z in corners) + "".join("f %d %d %d\n" % tuple(i + 1 for i in f) for f in faces))
        write("bad.obj", "v 0 0 0\nf 1 2 3\n")
        visual = "<visual><geometry>{}</geometry><material name='red'><color rgba='1 0 0 1'/></material></visual>"
        meshes = ["good.stl", "good.obj", "cut.stl", "bad.obj", "missing.stl", "scene.dae"]
        shapes = [f"<mesh filename='{m}' scale='0.1 0.1 0.1'/>" for m in meshes] + \
            ["<box size='0.1 0.1 0.1'/>", "<sphere radius='0.1'/>", "<cylinder radius='0.1' length='0.3'/>", "<sphere radius='-1'/>"]
        write("shapes.urdf", "<robot name='shapes'><link name='a'/><link name='b'>" + "".join(visual.format(s) for s in shapes) +
              "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>"
              "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint></robot>")
        page = work / "shapes.html"
        chasles("view", work / "shapes.urdf", "-o", page)
        self.open(page)
        kinds = browser.run("chasles.page.figure.parts.filter(p => p.layer === 'shape').map(p => p.kind)")
        self.assertEqual(kinds, ["mesh0", "mesh1", "box", "sphere", "cylinder"])
        facts = browser.run("document.getElementById('facts').textContent")
        for name in ("cut.stl", "bad.obj", "missing.stl", "scene.dae"):
            self.assertIn(name, facts)
        self.assertIn("-1", facts)
        self.assertEqual(browser.run("chasles.page.figure.meshes.map(m => m.geometry.attributes.position.count).slice(0, 2)"), [12, 12])
        self.assertEqual(browser.run("chasles.page.figure.parts[0].color.toArray()"), [1, 0, 0])

    # Colors of an OBJ file are those of its materials; what is not shown, textures, and what is not there, is said with the whole path.
    def test_materials_of_meshes_are_seen_and_what_is_left_out_is_said(self):
        folder = "a_folder_with_a_very_long_name/of_a_robot_description/with_meshes/for_visuals_of_the_left_arm"
        (work / folder).mkdir(parents=True, exist_ok=True)
        write(f"{folder}/two.obj", "mtllib two.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nusemtl green\nf 1 3 2\nf 1 2 4\nusemtl glass\nf 1 4 3\nf 2 3 4\n")
        write(f"{folder}/two.mtl", "newmtl green\nKd 0 1 0\nmap_Kd wood.png\nnewmtl glass\nKd 0 0 1\nd 0.5\n")
        visual = "<visual><geometry>{}</geometry></visual>"
        shapes = [f"<mesh filename='{folder}/{name}'/>" for name in ("two.obj", "missing.obj")] + ["<capsule radius='0.1' length='0.4'/>"]
        write("materials.urdf", "<robot name='materials'><link name='a'/><link name='b'>" + "".join(visual.format(s) for s in shapes) +
              "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>"
              "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint></robot>")
        page = work / "materials.html"
        chasles("view", work / "materials.urdf", "-o", page)
        self.open(page)
        parts = browser.run("chasles.page.figure.parts.filter(p => p.layer === 'shape').map(p => [p.kind.slice(0, 4), p.color.toArray(), p.opacity])")
        self.assertIn(["mesh", [0, 1, 0], 1], parts)
        self.assertIn(["mesh", [0, 0, 1], 0.5], parts)
        self.assertEqual([kind for kind, _, _ in parts].count("caps"), 1)
        said = browser.run("document.getElementById('facts').textContent")
        self.assertIn(f"{folder}/missing.obj", said)
        self.assertIn(f"textures of meshes are not shown: '{work}/{folder}/two.obj'", said)

    def test_recorded_forces_are_arrows(self):
        page, run = simulate("forces", f"chasles: 1\nmodel: {examples}/tutorial/arm.urdf\ninitial: {{q: {{shoulder: 1, elbow: 1}}}}\n"
                             "duration: 1\nrecord: {quantities: ['reaction:elbow', 'reaction:elbow:body', 'reaction:shoulder:hybrid']}\n")
        self.open(page)
        sample = run["samples"][-1]
        browser.run("chasles.page.player.seek(a[0])", sample["t"])
        arrow = """(() => { const d = chasles.page.timed.find(g => g.arrows).arrows[a[0]].drawing, z = new THREE.Vector3(0, 1, 0).applyQuaternion(d.quaternion);
          return [d.position.toArray(), z.toArray()]; })()"""
        at, along = browser.run(arrow, 1)
        elbow = shown_pose("lower")
        force = sample["reaction:elbow:body"][3:]
        world = [sum(elbow[i][k] * force[k] for k in range(3)) for i in range(3)]
        size = sum(x * x for x in world) ** 0.5
        self.assertLess(max(abs(x - y / size) for x, y in zip(along, world)), 1e-5)
        self.assertLess(max(abs(x - row[3]) for x, row in zip(at, elbow)), 1e-6)
        _, along = browser.run(arrow, 0)
        force = sample["reaction:shoulder:hybrid"][3:]
        size = sum(x * x for x in force) ** 0.5
        self.assertLess(max(abs(x - y / size) for x, y in zip(along, force)), 1e-5)
        moment = sample["reaction:elbow:body"][:3]
        moment = [sum(elbow[i][k] * moment[k] for k in range(3)) for i in range(3)]
        turn = browser.run("""(() => { const g = chasles.page.timed.find(g => g.arrows), d = g.arrows[1].turning;
          return [d.visible, d.position.toArray(), new THREE.Vector3(0, 1, 0).applyQuaternion(d.quaternion).toArray()]; })()""")
        size = sum(x * x for x in moment) ** 0.5
        if turn[0]:
            self.assertLess(max(abs(x - y / size) for x, y in zip(turn[2], moment)), 1e-5)
            self.assertLess(max(abs(x - row[3]) for x, row in zip(turn[1], elbow)), 1e-6)
        browser.run("document.getElementById('layer-reactions').click()")
        self.assertFalse(browser.run("chasles.page.timed.find(g => g.arrows).group.visible"))

    def test_recorded_runs_are_compared(self):
        for name, shoulder in (("one", 0.5), ("two", 0.6)):
            simulate(name, f"chasles: 1\nmodel: {examples}/tutorial/arm.urdf\ninitial: {{q: {{shoulder: {shoulder}, elbow: 1}}}}\n"
                     "duration: 1\nrecord: {quantities: [energy]}\n")
        page = work / "both.html"
        chasles("report", work / "one.json", work / "two.json", "-o", page)
        self.open(page)
        self.assertEqual(browser.run("chasles.page.ghosts.length"), 1, "the other run is there from the start")
        browser.run("document.getElementById('ghosts').click()")
        self.assertEqual(browser.run("chasles.page.ghosts.length"), 0)
        browser.run("document.getElementById('ghosts').click()")
        self.assertEqual(browser.run("chasles.page.plots.charts.find(c => c.plot.key === 'q [rad]').plot.curves.map(c => c.name)"),
                         ["one: shoulder", "one: elbow", "two: shoulder", "two: elbow"])
        browser.run("(() => { const s = document.getElementById('run'); s.value = 1; s.dispatchEvent(new Event('change')); })()")
        self.assertAlmostEqual(browser.run("chasles.page.figure.q[0]"), 0.6, places=8)

    # A plane linkage has no moments at its pins but by rounding: none are drawn. Numbers of recorded runs have the units of runs.
    def test_a_recorded_linkage_shows_forces_and_one_unit_per_plot(self):
        scenario = (examples / "scenarios/closed/four_bar.yaml").read_text().replace("../../", f"{examples}/").replace("duration: 20", "duration: 1")
        page, run = simulate("linkage", scenario)
        recorded = work / "linkage_recorded.html"
        chasles("report", work / "linkage.json", "-o", recorded)
        keys = {}
        for opened in (page, recorded):
            self.open(opened)
            keys[opened] = sorted(browser.run("chasles.page.plots.blocks.map(b => b.plot.key)"))
            self.assertEqual(browser.run("chasles.page.plots.blocks.find(b => b.plot.key === 'pose:coupler [m]').plot.curves.map(c => c.name)"), ["x", "y", "z"])
            self.assertEqual(browser.run("chasles.page.plots.blocks.find(b => b.plot.key === 'pose:coupler [1]').plot.curves.length"), 9)
            seen = browser.run("""[0.2, 0.5, 0.9].map(t => { chasles.page.player.seek(t);
              return chasles.page.timed.flatMap(g => g.arrows).map(a => [a.drawing.visible, a.turning.visible]); })""")
            self.assertTrue(all(arrow == [True, False] for arrows in seen for arrow in arrows), seen)
        self.assertLessEqual(set(keys[recorded]), set(keys[page]))

    def test_a_model_is_viewed_within_its_limits(self):
        joint = "<joint name='a' axis='0 1 0' range='0.5 1' limited='true'/><geom type='capsule' fromto='0 0 0 0 0 1' size='0.1'/>"
        model = write("key.xml", f"<mujoco><compiler angle='radian'/><worldbody><body name='b'>{joint}</body></worldbody>"
                      "<keyframe><key name='other' qpos='0.6'/><key name='home' qpos='0.75'/></keyframe></mujoco>")
        page = work / "key.html"
        chasles("view", model, "-o", page)
        self.open(page)
        self.assertEqual(browser.run("Array.from(chasles.page.x)"), [0.75])
        chasles("view", model, "--q", "a=0.9", "-o", page)
        self.open(page)
        self.assertEqual(browser.run("Array.from(chasles.page.x)"), [0.9])

    def test_space_presses_the_focused_control(self):
        page, _ = simulate("keys", f"chasles: 1\nmodel: {examples}/tutorial/arm.urdf\nduration: 0.03\n")
        self.open(page)
        self.assertLess(browser.run("chasles.page.player.speed"), 0.011, "0.03 s take at least 3 s")
        browser.run("document.getElementById('layers-menu').open = true")
        for control, checked in (("layer-com", True), ("layer-com", False)):
            browser.run("document.getElementById(a[0]).focus()", control)
            browser.press(" ")
            self.assertEqual(browser.run("document.getElementById(a[0]).checked", control), checked)
            self.assertFalse(browser.run("chasles.page.player.playing"))
        browser.run("document.activeElement.blur()")
        browser.press(" ")
        self.assertTrue(browser.run("chasles.page.player.playing"))
        browser.press(" ")

    def test_fit_while_following_keeps_the_mechanism_in_view(self):
        write("flying.yaml", "chasles: 1\nbodies:\n  - {name: stone, joint: {type: floating}, "
              "inertia: {mass: 1, com: [0, 0, 0], tensor: [0.01, 0, 0, 0.01, 0, 0.01]}}\n")
        page, _ = simulate("flight", "chasles: 1\nmodel: flying.yaml\ninitial: {v: {stone: [0, 0, 0, 20, 0, 0]}}\nduration: 5\n")
        self.open(page)
        self.assertEqual(browser.run("chasles.page.following"), "center")
        browser.run("chasles.page.player.seek(5)")
        browser.run("document.getElementById('fit').click()")
        off = browser.run("new THREE.Vector3(...chasles.page.figure.center()).distanceTo(chasles.page.scene.controls.target)")
        self.assertLess(off, 0.2)  # of the picture, whose target is the middle of what is seen
        self.assertGreater(browser.colors(), 100)

    def test_run_without_its_model_is_plotted(self):
        _, run = simulate("alone", f"chasles: 1\nmodel: {examples}/tutorial/arm.urdf\nduration: 1\n")
        del run["scenario"]
        page = work / "plotted.html"
        chasles("report", write("alone.json", json.dumps(run)), "-o", page)
        self.open(page)
        self.assertIn("only plotted", browser.run("document.getElementById('facts').textContent"))
        self.assertEqual(browser.run("chasles.page.plots.charts[0].graph.numRows()"), 201)

    def test_many_bodies_are_few_drawings(self):
        bodies = "".join(f"  - {{name: b{i}, parent: {'ground' if i == 0 else f'b{i - 1}'}, joint: {{type: revolute, axis: [{i % 2}, {1 - i % 2}, 0], "
                         f"point: [0, 0, {-0.1 * i}]}}, pose: {{xyz: [0, 0, {-0.1 * i}]}}, inertia: {{mass: 1, com: [0, 0, -0.05], "
                         "tensor: [0.01, 0, 0, 0.01, 0, 0.01]}}\n" for i in range(300))
        write("chain.yaml", "chasles: 1\nbodies:\n" + bodies)
        page, run = simulate("many", "chasles: 1\nmodel: chain.yaml\ninitial: {v: {b0: 0.3}}\nintegrator: {method: rk4, step: 0.002}\nduration: 0.02\n"
                             "record: {every: 0.002, quantities: [pose:b299]}\n")
        self.open(page)
        browser.run("chasles.page.player.seek(0.02)")
        self.assertLess(difference(shown_pose("b299"), run["samples"][-1]["pose:b299"]), 1e-6)
        browser.run("chasles.page.scene.drawNow()")
        self.assertLess(browser.run("chasles.page.scene.renderer.info.render.calls"), 10)
