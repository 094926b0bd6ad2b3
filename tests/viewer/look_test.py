"""The picture: shapes, floor, framing, layers, time, the address."""
import base64
import math
import re

from common import PageTest, browser, chasles, examples, simulate, work, write

robots = examples.parents[1] / "shared" / "robots"
LARGEST = """(() => { const f = chasles.page.figure, largest = layers => Math.max(0, ...f.parts.filter(p => layers.includes(p.layer)).map(p => {
    const s = Figure.boxOf(p).getSize(new THREE.Vector3()); return Math.max(s.x, s.y, s.z); }));
  return [largest(['shape', 'inertia', 'contact', 'mount']), f.skeleton.size]; })()"""
#: The box around the mechanism in pictures of sizes a[0], with the posts it stands on, from -1 to 1 in width and height.
FRAMED = """a[0].map(([width, height]) => { const p = chasles.page; p.scene.cameras.setAspect(width / height); p.fitAgain(); const c = p.figure.corners(p.figure.parts.filter(x => ['shape', 'mount'].includes(x.layer))), v = new THREE.Vector3();
  const box = new THREE.Box2(); p.scene.camera.updateMatrixWorld();
  for (let i = 0; i < c.length; i += 3) { v.set(c[i], c[i + 1], c[i + 2]).project(p.scene.camera); box.expandByPoint(new THREE.Vector2(v.x, v.y)); }
  return [box.min.x, box.min.y, box.max.x, box.max.y]; })"""


def view(model):
    page = work / (model.stem + "_look.html")
    chasles("view", model, "-o", page)
    return page


class LookTest(PageTest):
    def test_no_part_is_larger_than_the_skeleton_by_half(self):
        # Shapes of files are as large as they are; those that the page makes up are bounded.
        models = sorted(examples.glob("*.yaml")) + [examples / "tutorial/arm.urdf"] + sorted(robots.glob("*.urdf"))
        self.assertGreater(len(models), 15)
        for model in models:
            browser.open(view(model))
            largest, skeleton = browser.run(LARGEST)
            self.assertLessEqual(largest, 1.5 * skeleton, model.name)
            sizes = [(600, 610), (960, 410), (700, 560), (390, 470)]  # of pictures on a screen, a low one, a tall one, a phone
            if model == models[0]:  # on real pages they are these
                for size in ((1000, 700), (390, 844)):
                    self.resize(*size)
                    sizes.append(browser.run("[chasles.page.scene.element.clientWidth, chasles.page.scene.element.clientHeight]"))
                    self.assertAlmostEqual(browser.run("chasles.page.scene.camera.aspect"), sizes[-1][0] / sizes[-1][1], places=9)
                browser.size()
            for (width, height), (left, low, right, high) in zip(sizes, browser.run(FRAMED, sizes)):
                size = (width, height)
                share = max((right - left) / 2 * width, (high - low) / 2 * height) / min(width, height)
                self.assertGreater(share, 0.65, f"{model.name} fills a page of {size}")
                self.assertLess(max(-left, -low, right, high), 0.95, f"{model.name} has room around it on a page of {size}")
            self.assertGreater(browser.colors(), 30, model.name + " is drawn")

    def resize(self, width, height):
        browser.size(width, height)
        browser.wait("innerWidth === %d && innerHeight === %d" % (width, height))
        # The canvas has the size of its place when the camera has been told of it.
        browser.wait("(e => e.clientWidth === parseInt(e.firstElementChild.style.width) && e.clientHeight === parseInt(e.firstElementChild.style.height))(chasles.page.scene.element)")

    def test_a_light_base_is_not_a_wall(self):
        write("light.yaml", """chasles: 1
bodies:
  - {name: base, joint: {type: floating}, inertia: {mass: 1e-6, tensor: [3, 0, 0, 3, 0, 3]}}
  - {name: leg, parent: base, joint: {type: revolute, axis: [0, 1, 0], point: [0.3, 0, 0]}, inertia: {mass: 1, com: [0.3, 0, -0.2], tensor: [0.01, 0, 0, 0.01, 0, 0.01]}}
""")
        browser.open(view(work / "light.yaml"))
        largest, skeleton = browser.run(LARGEST)
        self.assertLess(skeleton, 1)
        self.assertLessEqual(largest, 1.5 * skeleton)

    def test_spheres_are_spheres(self):
        browser.open(view(examples / "three_spheres.yaml"))
        kinds = browser.run("chasles.page.figure.parts.filter(p => p.layer === 'shape' && p.kind === 'sphere' && p.extent[0] > 0.5).map(p => p.extent)")
        self.assertEqual(len(kinds), 3)
        for extent in kinds:  # of equal inertia, 2/5 m r^2 = 4 kg m^2, would be 1 m; neighbors are 2 m away
            self.assertEqual(extent[0], extent[1])
            self.assertEqual(extent[0], extent[2])

    def test_the_floor_is_where_contacts_are(self):
        write("ball.yaml", "chasles: 1\nbodies:\n  - {name: ball, joint: {type: floating}, inertia: {mass: 1, tensor: [0.004, 0, 0, 0.004, 0, 0.004]}}\n")
        page, _ = simulate("resting", """chasles: 1
model: ball.yaml
initial: {q: {ball: [1, 0, 0, 0, 0, 0, 1]}}
contacts: [{sphere: {body: ball, radius: 0.1}, against: {plane: {point: [0, 0, 0.4]}}}]
duration: 0.1
""")
        self.open(page)
        self.assertAlmostEqual(browser.run("chasles.page.scene.floorGroup.position.z"), 0.4, places=9)
        self.assertTrue(browser.run("chasles.page.scene.floorGroup.visible"))
        part = browser.run("chasles.page.figure.parts.filter(p => p.layer === 'shape').map(p => [p.kind, p.extent])")
        self.assertEqual(part, [["sphere", [0.1, 0.1, 0.1]]], "the contact shape is drawn")

    def test_the_floor_of_examples_with_contacts_is_theirs(self):
        for name in ("drop", "stand"):
            page, _ = simulate(name, re.sub(r"model: *\.\./", f"model: {examples}/", (examples / f"scenarios/{name}.yaml").read_text()).replace("duration: 3", "duration: 0.5"))
            self.open(page)
            self.assertEqual(browser.run("chasles.page.scene.floorGroup.position.z"), 0, name)
            self.assertTrue(browser.run("chasles.page.scene.floorGroup.visible"), name)

    def test_a_robot_whose_base_has_a_shape_stands_on_no_posts(self):
        box = "<visual><geometry><box size='0.4 0.2 0.1'/></geometry></visual>"
        link = "<inertial><mass value='1'/><origin xyz='0 0 -0.2'/><inertia ixx='0.01' ixy='0' ixz='0' iyy='0.01' iyz='0' izz='0.01'/></inertial>"
        for visual, posts in ((box, 0), ("", 1)):
            write("fixed.urdf", f"<robot name='fixed'><link name='base'>{visual}</link><link name='leg'>{link}</link><joint name='hip' type='revolute'>"
                  "<parent link='base'/><child link='leg'/><axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>")
            browser.open(view(work / "fixed.urdf"))
            self.assertEqual(browser.run("chasles.page.figure.parts.filter(p => p.layer === 'mount').length"), posts)
        # The first body of the Puma has no mass, and its axis stands all the same; coordinates of a base that moves in a plane stand on nothing.
        write("plane.yaml", "chasles: 1\nbodies:\n  - {name: x, joint: {type: prismatic, axis: [1, 0, 0]}}\n  - {name: z, parent: x, joint: {type: prismatic, axis: [0, 0, 1]}}\n"
              "  - {name: torso, parent: z, joint: {type: revolute, axis: [0, 1, 0]}, inertia: {mass: 1, com: [0, 0, 0.5], tensor: [0.1, 0, 0, 0.1, 0, 0.01]}}\n")
        for model, posts in ((examples / "puma560.yaml", 1), (work / "plane.yaml", 0)):
            browser.open(view(model))
            self.assertEqual(browser.run("chasles.page.figure.parts.filter(p => p.layer === 'mount').length"), posts, model.name)

    # Frames and screws are as large as the links they are at, and a long chain is not a hairline.
    def test_glyphs_and_links_have_sizes_of_their_own(self):
        def chain(name, lengths):
            at, bodies = 0, ""
            for i, length in enumerate(lengths):
                bodies += (f"  - {{name: b{i}, parent: {'ground' if i == 0 else f'b{i - 1}'}, joint: {{type: revolute, axis: [0, 1, 0], point: [{at}, 0, 0]}}, "
                           f"pose: {{xyz: [{at}, 0, 0]}}, inertia: {{mass: 1, com: [{length / 2}, 0, 0], tensor: [1e-4, 0, 0, 1e-4, 0, 1e-4]}}}}\n")
                at += length
            return view(write(name + ".yaml", "chasles: 1\nbodies:\n" + bodies))
        browser.open(chain("uneven", [1, 0.1, 0.02, 0.6]))
        sizes = browser.run("""(() => { const f = chasles.page.figure, box = o => new THREE.Box3().setFromBufferAttribute(o.geometry.attributes.position);
          return f.glyphs.find(g => g instanceof Frames).group.children.slice(0, 4).map(axes => Math.max(...axes.children.map(o => box(o).getSize(new THREE.Vector3()).length()))); })()""")
        for size, length in zip(sizes, [1, 0.1, 0.02, 0.6]):
            self.assertLess(size, max(length, 0.1), "a frame is not larger than its link")
            self.assertGreater(size, 0.01)
        for count in (1000, 200):
            browser.open(chain("long", [0.1] * count))
            self.assertEqual(browser.run("new Set(chasles.page.figure.parts.filter(p => p.layer === 'shape').map(p => p.body)).size"), count, "every link is drawn")
        pixels = browser.run("""(() => { const p = chasles.page, part = p.figure.parts.find(x => x.layer === 'shape'), {camera, element} = p.scene, c = p.scene.controls.target;
          return 2 * Math.max(...part.extent) / (camera.position.distanceTo(c) * Math.tan(camera.fov * Math.PI / 360) * 2) * element.clientHeight; })()""")
        self.assertGreater(pixels, 4)

    def test_springs_rods_and_bushings_are_drawn_between_their_points(self):
        scenario = (examples / "scenarios/tether.yaml").read_text()
        page, run = simulate("tether", re.sub("model: .*", f"model: {examples}/three_spheres.yaml", scenario))
        self.open(page)
        browser.run("chasles.page.player.seek(chasles.page.player.end)")
        springs = "chasles.page.figure.glyphs.find(g => g instanceof Connections).group.children"
        self.assertEqual(browser.run(springs + ".length"), 2)
        # From a body's origin to another's: as the picture has them, and as the screws say.
        ends = browser.run("(() => { const m = " + springs + "[0].matrix, f = chasles.page.figure, at = n => Array.from(f.bodyPose(f.model.bodies.findIndex(b => b.name === n)).slice(9));"
                           "return [new THREE.Vector3(0, 0, 0).applyMatrix4(m).toArray(), new THREE.Vector3(0, 0, 1).applyMatrix4(m).toArray(), at('sphere1'), at('sphere3')]; })()")
        for a, b in ((0, 2), (1, 3)):
            self.assertLess(math.dist(ends[a], ends[b]), 1e-9)

    # What is bound to a wire, a rail, a spring is drawn with it, in front of the floor.
    def test_wires_rails_and_what_springs_pull_at_are_drawn(self):
        page, _ = simulate("wire", (examples / "scenarios/closed/cycloid.yaml").read_text().replace("../../", f"{examples}/").replace("duration: 5", "duration: 1"))
        self.open(page)
        self.assertEqual(browser.run("chasles.page.figure.parts.filter(p => p.layer === 'mount').length"), 0, "a bead that moves in all directions stands on nothing")
        browser.run("document.getElementById('layer-trail').click()")
        browser.look()
        changed = browser.run("""(() => { const {scene} = chasles.page, box = document.getElementById('layer-lines'), before = scene.pixels(); box.click();
          const after = scene.pixels(); return before.filter((color, i) => color !== after[i]).length; })()""")
        self.assertGreater(changed, 500, "the wire is seen")
        page, run = simulate("rail", (examples / "scenarios/cart_pole.yaml").read_text().replace("../", f"{examples}/"))
        self.open(page)
        rail = browser.run("chasles.page.figure.corners(chasles.page.figure.parts.filter(p => p.layer === 'mount' && p.kind === 'capsule'))")
        at = [sample["q"][0] for sample in run["samples"]]
        self.assertLess(min(rail[::3]), min(at))
        self.assertGreater(max(rail[::3]), max(at))
        page, _ = simulate("pulled", (examples / "scenarios/closed/andrews.yaml").read_text().replace("../../", f"{examples}/"))
        self.open(page)
        browser.run("chasles.page.player.seek(0.02)")
        off = browser.run("""(() => { const f = chasles.page.figure, p = new THREE.Vector3(), parts = f.parts.filter(x => ['shape', 'mount'].includes(x.layer));
          return f.model.lines.flatMap(l => l.points).map(place => Math.min(...parts.map(part => Figure.boxOf(part).distanceToPoint(
            p.set(...f.chain.pose(place).slice(9)).applyMatrix4(new THREE.Matrix4().getInverse(f.matrixOf(part))))))); })()""")
        self.assertEqual(len(off), 2)
        self.assertLess(max(off), 0.002, "a spring ends at its body, or at ground")

    # A cart that flies off its rail is followed, and its floor is below its pole; a ball is seen with its path in the world.
    def test_what_travels_is_followed_or_seen_with_its_path(self):
        write("runaway.yaml", f"chasles: 1\nmodel: {examples}/cart_pole.yaml\nduration: 2\ninitial: {{q: {{pole: 1}}, v: {{cart: 60}}}}\n")
        page = work / "runaway.html"
        chasles("simulate", work / "runaway.yaml", "--report", page)
        self.open(page, "t=1.5")
        self.assertEqual(browser.run("chasles.page.following"), "center")
        self.assertLess(browser.run("chasles.page.scene.radius"), 3, "it is not a dot")
        lowest = browser.run("[0, 0.4, 0.8, 1.2, 1.6].map(t => { chasles.page.player.seek(t); const c = chasles.page.figure.corners(chasles.page.figure.parts.filter(p => p.layer === 'shape')); return Math.min(...c.filter((_, i) => i % 3 === 2)); })")
        self.assertLess(browser.run("chasles.page.scene.floor"), min(lowest) + 0.05)
        write("stone.yaml", "chasles: 1\nbodies:\n  - {name: stone, joint: {type: floating}, inertia: {mass: 1, tensor: [0.004, 0, 0, 0.004, 0, 0.004]}}\n")
        page, run = simulate("thrown", "chasles: 1\nmodel: stone.yaml\ninitial: {v: {stone: [0, 0, 0, 10, 0, 10]}}\nduration: 2\n")
        self.open(page)
        first = browser.run("Array.from(chasles.page.trail.group.geometry.attributes.position.array.slice(0, 3))")
        last = browser.run("Array.from(chasles.page.trail.group.geometry.attributes.position.array.slice(-3))")
        self.assertLess(math.dist(first, [0, 0, 0]), 1e-6)
        self.assertLess(math.dist(last, [20, 0, 20 - 9.81 * 2]), 2e-3)

    def test_past_poses_and_paths_are_where_the_mechanism_was(self):
        page, run = simulate("past", f"chasles: 1\nmodel: {examples}/tutorial/arm.urdf\ninitial: {{q: {{shoulder: 1, elbow: 1}}}}\nduration: 3\n")
        self.open(page)
        self.assertEqual(browser.run("Boolean(chasles.page.past)"), False, "not where shadows are left out")
        browser.run("document.getElementById('layer-past').click()")
        apart = browser.run("chasles.page.apart")
        self.assertTrue(0 < apart < 1, apart)
        # At a sample whose past is between samples: the present pose is not touched by them, and they are those of their times.
        browser.run("chasles.page.player.seek(1.5)")
        now, *before = browser.run("[chasles.page.figure, ...chasles.page.past.figures].map(f => Array.from(f.bodyPose(f.model.bodies.length - 1)))")
        for k, pose in enumerate(before):
            browser.run("chasles.page.player.seek(a[0])", 1.5 - (k + 1) * apart)
            there = browser.run("Array.from(chasles.page.figure.bodyPose(chasles.page.figure.model.bodies.length - 1))")
            self.assertLess(max(abs(a - b) for a, b in zip(pose, there)), 1e-9)
            self.assertGreater(max(abs(a - b) for a, b in zip(pose, now)), 1e-3)
        browser.run("chasles.page.player.seek(0)")
        self.assertEqual(browser.run("chasles.page.past.figures.map(f => f.group.visible)"), [False] * 3, "there was nothing before")

    def test_motion_between_samples_is_smooth(self):
        # A pendulum in 16 samples a period: between them the cubic is two digits nearer to the motion than chords are.
        write("swing.yaml", "chasles: 1\nbodies:\n  - {name: bob, joint: {type: revolute, axis: [0, 1, 0]}, inertia: {mass: 1, com: [0, 0, -1], tensor: [1, 0, 0, 1, 0, 1]}}\n")
        text = "chasles: 1\nmodel: swing.yaml\ninitial: {q: {bob: 0.1}}\nduration: 6\nrecord: {every: %g}\n"
        page, _ = simulate("coarse_swing", text % 0.15)
        _, fine = simulate("fine_swing", text % 0.0375)
        self.open(page)
        shown = browser.run("a[0].map(t => chasles.page.run.configuration(t)[0])", [sample["t"] for sample in fine["samples"]])
        self.assertLess(max(abs(x - sample["q"][0]) for x, sample in list(zip(shown, fine["samples"]))[8:-8]), 1e-4)

    def test_it_plays_when_opened_unless_motion_is_unwelcome(self):
        page, _ = simulate("opened", f"chasles: 1\nmodel: {examples}/tutorial/arm.urdf\ninitial: {{q: {{shoulder: 1}}}}\nduration: 5\n")
        self.open(page, "")
        browser.wait("chasles.page.player.t > 0.1")
        self.assertTrue(browser.run("chasles.page.player.playing"))
        browser.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
        self.open(page, "")
        self.assertFalse(browser.run("chasles.page.player.playing"))
        browser.command("Emulation.setEmulatedMedia", features=[])

    def test_an_address_is_a_moment_and_a_view(self):
        page, _ = simulate("moment", f"chasles: 1\nmodel: {examples}/tutorial/arm.urdf\ninitial: {{q: {{shoulder: 1}}}}\nduration: 5\n")
        self.open(page, "t=2.5&camera=3,1,2,0,0,0.5")
        self.assertEqual(browser.run("chasles.page.player.t"), 2.5)
        seen = browser.run("[...chasles.page.scene.camera.position.toArray(), ...chasles.page.scene.controls.target.toArray()]")
        self.assertLess(math.dist(seen, [3, 1, 2, 0, 0, 0.5]), 1e-12)
        again = browser.run("chasles.page.address()")
        self.open(page, again[1:])
        self.assertEqual(browser.run("chasles.page.address()"), again)
        self.assertFalse(browser.run("chasles.page.player.playing"))
        self.open(page, "embed&play=0")
        self.assertEqual(browser.run("['header', 'aside'].map(s => getComputedStyle(document.querySelector(s)).display)"), ["none", "none"])
        self.open(page, "t=banana&camera=1,2&run=77&play=0")  # nonsense is ignored
        self.assertEqual(browser.run("chasles.page.player.t"), 0)

    def test_layers_tree_and_views(self):
        browser.messages()
        browser.open(view(examples / "puma560.yaml"))
        browser.run("document.getElementById('layer-inertia').click()")
        self.assertTrue(browser.run("chasles.page.figure.layers.get('inertia')[0].visible"))
        browser.run("(() => { const s = document.getElementById('search'); s.value = '3'; s.dispatchEvent(new Event('input')); })()")
        names = browser.run("[...document.querySelectorAll('#tree li:not([hidden])')].map(li => li.textContent)")
        self.assertTrue(names and all("3" in name for name in names))
        browser.run("document.querySelector('#tree li:not([hidden]) button:last-child').click()")
        self.assertEqual(browser.run("chasles.page.figure.hidden.size"), browser.run("chasles.page.figure.model.bodies.length") - 1)
        self.assertEqual(browser.run("new Set(chasles.page.figure.visibleParts().filter(p => p.body >= 0).map(p => p.body)).size"), 1)
        browser.run("document.querySelector('#tree li:not([hidden]) button:last-child').click()")
        self.assertEqual(browser.run("chasles.page.figure.hidden.size"), 0)
        for view_name, axis, sign in (("front", 1, -1), ("right", 0, 1), ("top", 2, 1)):
            browser.run("(() => { const s = document.getElementById('views'); s.value = a[0]; s.dispatchEvent(new Event('change')); })()", view_name)
            eye = browser.run("chasles.page.scene.camera.position.clone().sub(chasles.page.scene.controls.target).normalize().toArray()")
            self.assertGreater(sign * eye[axis], 0.999)
        browser.run("(() => { const s = document.getElementById('views'); s.value = 'orthographic'; s.dispatchEvent(new Event('change')); })()")
        self.assertTrue(browser.run("chasles.page.scene.camera.isOrthographicCamera"))
        self.assertGreater(browser.colors(), 30)
        browser.run("document.getElementById('layer-labels').click()")
        self.assertGreater(browser.run("document.querySelectorAll('#labels span').length"), 5)
        boxes = browser.run("[...document.querySelectorAll('#labels span:not([hidden])')].map(l => l.getBoundingClientRect()).map(r => [r.left, r.right, r.top, r.bottom])")
        self.assertGreater(len(boxes), 2)
        for i, a in enumerate(boxes):
            for b in boxes[:i]:
                self.assertTrue(a[0] >= b[1] or b[0] >= a[1] or a[2] >= b[3] or b[2] >= a[3], "names do not cover each other")

    def test_the_screw_axis_of_a_body_is_that_of_its_twist(self):
        # A nut on a screw: the axis is that of the joint, the pitch 0.05 m per radian.
        write("nut.yaml", """chasles: 1
bodies:
  - name: nut
    joint: {type: helical, axis: [0, 0, 1], pitch: 0.05, point: [0.3, 0.2, 0]}
    inertia: {mass: 1, com: [0.5, 0, 0], tensor: [0.01, 0, 0, 0.01, 0, 0.01]}
""")
        page, _ = simulate("nut_run", "chasles: 1\nmodel: nut.yaml\ngravity: [0, 0, 0]\ninitial: {v: {nut: 2}}\nduration: 2\n")
        self.open(page)
        X = browser.run("Array.from(twistOf(chasles.page.figure, chasles.page.run, 0, 1))")
        pitch = X[5] / X[2]
        self.assertAlmostEqual(X[2], 2, places=4)
        self.assertAlmostEqual(abs(pitch), 0.05, places=5)
        foot = [-X[4] / X[2], X[3] / X[2]]  # w x v / w^2
        self.assertLess(math.dist(foot, [0.3, 0.2]), 1e-5)
        browser.run("document.getElementById('layer-axis').click()")
        browser.run("chasles.page.select(0)")
        self.assertIn("pitch", browser.run("document.getElementById('body').textContent"))
        self.assertTrue(browser.run("chasles.page.axis.group.visible"))

    def test_fits_a_phone_and_a_sheet_of_paper(self):
        page, _ = simulate("phone", f"chasles: 1\nname: a run whose name is so long that it does not fit into one line\nmodel: {examples}/tutorial/arm.urdf\nduration: 1\n")
        browser.size(390, 844, mobile=True)
        self.open(page)
        self.assertLessEqual(browser.run("document.documentElement.scrollWidth"), 390)
        self.assertGreater(browser.run("document.getElementById('scene').clientHeight"), 300)
        write("long_names.yaml", "chasles: 1\nbodies:\n  - {name: the_link_behind_the_left_shoulder, joint: {name: left_shoulder_pitch_joint_of_the_robot, type: revolute, axis: [0, 1, 0]}, "
              "inertia: {mass: 1, com: [0, 0, 0.5], tensor: [1, 0, 0, 1, 0, 1]}}\n")
        self.open(view(work / "long_names.yaml"))
        self.assertLessEqual(browser.run("document.documentElement.scrollWidth"), 390)
        self.assertEqual(browser.run("[...document.querySelectorAll('.slider span')].filter(s => s.scrollWidth > s.clientWidth).length"), 0, "names are not cut")
        self.open(page)
        browser.size()
        printed = browser.call("POST", "/print", {})
        pages = len(re.findall(rb"/Type\s*/Page\b", base64.b64decode(printed)))
        self.assertGreater(pages, 1, "all of it is printed")

    def test_without_webgl_there_are_plots_and_a_sentence(self):
        page, _ = simulate("blind", f"chasles: 1\nmodel: {examples}/tutorial/arm.urdf\ninitial: {{q: {{shoulder: 1}}}}\nduration: 1\n")
        added = browser.command("Page.addScriptToEvaluateOnNewDocument", source="""{
          const get = HTMLCanvasElement.prototype.getContext;
          HTMLCanvasElement.prototype.getContext = function (kind, ...more) { return kind.includes('webgl') ? null : get.call(this, kind, ...more); };
        }""")
        try:
            browser.open(page)
            self.assertIn("no WebGL", browser.run("document.getElementById('scene').textContent"))
            self.assertNotIn("below", browser.run("document.getElementById('scene').textContent"))
            self.assertEqual(browser.run("chasles.errors"), [])
            browser.run("chasles.page.player.seek(0.5)")
            self.assertEqual(browser.run("chasles.page.plots.time"), 0.5)
            browser.messages()  # three.js says there, too, that there is no WebGL
        finally:
            browser.command("Page.removeScriptToEvaluateOnNewDocument", identifier=added["identifier"])
