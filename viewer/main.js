'use strict';
// The page: data, picture, plots, time.

const $ = id => document.getElementById(id);

class Page {
  constructor(data, address = new Address()) {
    this.data = data;
    this.given = address;
    this.selected = -1;
    this.following = -1;
    this.ghosts = [];
    document.title = `${data.title} - Chasles`;
    $('title').textContent = data.title;
    $('version').textContent = `Chasles ${data.version}`;
    document.body.classList.add(data.kind);
    document.body.classList.toggle('embed', address.has('embed'));
    try {
      this.scene = new Scene($('scene'), navigator.webdriver && !address.has('fine'));
    } catch (error) {
      $('scene').append(element('p', {className: 'warning'}, 'There is no WebGL here, so nothing is drawn. Plots and facts do not need it.'));
    }
    this.layers = new Layers($('layers'), (name, shown) => this.showLayer(name, shown));
    this.tree = new BodyTree({chosen: b => this.select(b), hide: hidden => this.hide(hidden)});
    if (data.kind === 'view') this.startView();
    else if (data.kind === 'live') this.live = new Live(this);
    else this.startReport();
    this.wire();
    this.setTheme(matchMedia('(prefers-color-scheme: dark)').matches);
    this.goTo(address);
  }

  // A mechanism with sliders.
  startView() {
    const {model, warnings, q} = this.data;
    this.setFigure(model);
    this.x = this.figure.chain.toCanonical(q, new Float64Array(model.nv));
    this.q = Float64Array.from(q);
    const bonds = Sliders.bondsOf(model), bound = bonds !== null;
    if (bound) $('closed').nextSibling.data = ` ${bonds.label}`;
    $('closed').parentElement.hidden = !bound;
    $('closed').checked = bound;
    this.sliders = new Sliders($('sliders'), this.figure, this.x, () => bound && $('closed').checked, () => this.showConfiguration());
    $('closed').addEventListener('change', () => ($('closed').checked ? this.sliders.close() : this.sliders.say('')));
    $('facts').replaceChildren(...warningsOf(warnings));
    this.showConfiguration();
    this.fit([this.q]);
  }
  showConfiguration() {
    this.show(this.figure.chain.fromCanonical(this.x, this.q));
  }

  // Runs.
  startReport() {
    this.runs = this.data.runs.map(data => new Run(data));
    this.data = null;  // the texts of the numbers are not needed any more
    const select = $('run');
    $('ghosts').checked = this.runs.length > 1 && this.runs.length <= 4;
    this.runs.forEach((run, i) => select.append(element('option', {value: i}, run.name)));
    select.parentElement.hidden = $('ghosts').parentElement.hidden = this.runs.length < 2;
    this.player = new Player(this.runs, t => this.showTime(t), playing => this.timeline.setPlaying(playing),
      passed => this.scene && this.scene.measure(passed) && this.simplify());
    this.timeline = new Timeline(this.player);
    select.addEventListener('change', () => this.chooseRun(Number(select.value)));
    this.plots = new Plots($('plots'), this.runs, t => this.player.seek(t));
    this.chooseRun(0);
  }
  chooseRun(i) {
    this.run = this.runs[i];
    this.select(-1);
    showStrip($('strip'), this.run);
    showFacts($('facts'), this.run, this.runs);
    this.timeline.setEvents(this.run.events);
    this.figure = this.trail = this.past = null;
    $('scene').hidden = !this.run.model;
    if (this.run.model) {
      this.setFigure(this.run.model);
      this.fit(this.someConfigurations());
      this.addPast();
    }
    this.makeGhosts();
    this.player.seek(this.player.t);
  }
  /** The figure, with all of its layers. */
  setFigure(model) {
    if (this.scene) this.scene.clear();
    const figure = this.figure = new Figure(model);
    this.timed = [];
    if (this.scene) {
      this.scene.add(figure.group);
      if (model.links.length <= 300) figure.addGlyphs('joints', new JointScrews(figure));
      if (model.bodies.length <= 300) figure.addGlyphs('frames', new Frames(figure));
      if (model.lines.length) figure.addGlyphs('lines', new Connections(figure));
      if (model.loops.length) figure.addGlyphs('gaps', new LoopGaps(figure));
      this.com = new CenterMark(figure);
      figure.addGlyphs('com', this.com);
      this.axis = figure.addGlyphs('axis', new ScrewAxis(figure));
      for (const kind of this.run ? ['reactions', 'forces'] : []) {
        const arrows = new ForceArrows(this.run, figure, kind);
        if (arrows.arrows.length) this.timed.push(figure.addGlyphs(kind, arrows));
      }
    }
    this.tree.setModel(model);
    if (this.scene) this.layers.set('past', !this.scene.plain && model.bodies.length <= 60 && !$('ghosts').checked);
    this.layers.offer(name => ['labels', 'floor'].includes(name) || (name === 'axis' ? Boolean(this.run) : ['trail', 'past'].includes(name) ? Boolean(this.run) : name === 'mount' || figure.hasLayer(name)));
    for (const [name] of layerList) figure.showLayer(name, this.layers.shown(name));
  }
  /** Where the machine is slow. */
  simplify() {
    this.layers.set('past', false);
    this.setPast();
  }
  makeGhosts() {
    if (!this.scene || !this.runs) return;
    for (const {figure} of this.ghosts) this.scene.remove(figure.group);
    const others = $('ghosts').checked ? this.runs.filter(run => run !== this.run && run.model) : [];
    this.ghosts = others.map(run => ({run, figure: new Figure(run.model, 0.28)}));
    for (const {figure} of this.ghosts) this.scene.add(figure.group);
  }
  someConfigurations() {
    const {t} = this.run, n = Math.min(40, t.length);
    return Array.from({length: n}, (_, i) => Float64Array.from(this.run.configuration(t[Math.floor(i * (t.length - 1) / Math.max(n - 1, 1))])));
  }
  showTime(t) {
    const begin = performance.now();
    this.timeline.setTime(t);
    if (this.figure) {
      const {run, past, trail} = this, behind = [past, trail].filter(Boolean), now = Math.min(Math.max(t, run.start), run.end);
      for (const glyphs of [...this.timed, ...behind]) glyphs.setTime(now);
      this.figure.chain.update(run.configuration(now));
      if (this.behind && behind.length) for (const glyphs of behind) glyphs.setCenter(this.figure.center());
      this.show(run.q);
    }
    for (const {run, figure} of this.ghosts) figure.update(run.configuration(t));
    this.plots.setTime(t);
    if (this.scene) this.scene.script = performance.now() - begin;
  }

  /** Both: a configuration. */
  show(q) {
    this.figure.q = q;
    this.figure.update(q);
    if (this.selected >= 0) this.showSelected();
    if (!this.scene) return;
    if (this.following === 'center') this.scene.cameras.follow(this.figure.center());
    else if (this.following >= 0) this.scene.cameras.follow(this.figure.bodyPose(this.following).slice(9));
    this.placeLabels();
    this.scene.draw();
  }
  /**
   * The picture is as large as the mechanism ever is; if it travels far, the camera goes with it.
   * @param unknown  how far it will travel is not known
   */
  fit(configurations, unknown = false) {
    const {figure} = this, all = new THREE.Box3(), corners = [], relative = [];
    const moving = figure.parts.filter(part => ['shape', 'contact'].includes(part.layer));
    const parts = moving.length * configurations.length <= 20000 ? moving : moving.filter((_, i) => i % Math.ceil(moving.length * configurations.length / 20000) === 0);
    let largest = 0;
    for (const q of configurations) {
      figure.update(q);
      const points = figure.corners(parts), center = figure.center();
      for (let i = 0; i < points.length; ++i) relative.push(points[i] - center[i % 3]);
      for (const place of figure.model.lines.flatMap(line => line.points)) points.push(...figure.chain.pose(place).slice(9));
      const box = new THREE.Box3().setFromArray(points);
      largest = Math.max(largest, box.getSize(new THREE.Vector3()).length());
      all.union(box);
      corners.push(...points);
    }
    const far = all.getSize(new THREE.Vector3()).length() > (figure.alone ? 6 : 3) * largest, travels = far || unknown;
    for (const {at} of figure.skeleton.posts()) {  // do not travel
      corners.push(...at.toArray());
      all.expandByPoint(at);
    }
    this.frame = {points: Float64Array.from(travels ? relative : corners), direction: viewDirection(figure.model), travels};
    this.frame.floor = figure.floor !== null ? figure.floor : this.restingFloor(all, largest);
    figure.addGround(this.frame.floor, configurations);
    if (!travels) this.frame.points = Float64Array.from([...corners, ...figure.corners(figure.mounts)]);
    this.setFollowing(far ? 'center' : null);
    figure.update(configurations[0]);
    this.fitAgain();
  }
  /** Under a mechanism with weight: z = 0, or lower if it reaches below. null: it floats. @param size  of the mechanism */
  restingFloor(box, size) {
    const {gravity} = this.figure.model;
    if (gravity.every(g => g === 0) || Math.abs(gravity[2]) < 0.5 * Math.hypot(...gravity)) return null;
    if (box.min.z >= -1e-3 * size && box.min.z < 0.5 * size) return 0;
    return box.min.z - (this.figure.skeleton.posts().length ? 0.03 * size : 0);  // what stands alone touches it
  }
  /** The same view as at first; while the camera follows something, around where that is now. */
  fitAgain() {
    if (!this.scene || !this.frame) return;
    const {points, direction, travels, floor} = this.frame, shift = !travels ? [0, 0, 0]
      : this.following >= 0 ? Array.from(this.figure.bodyPose(this.following).slice(9)) : this.figure.center();
    this.scene.fit(travels ? points.map((x, i) => x + shift[i % 3]) : points, direction, floor);
    this.scene.showFloor(floor !== null && this.layers.shown('floor'));
    if (this.figure.q && (this.following >= 0 || this.following === 'center')) this.show(this.figure.q);
    this.moved = false;
  }

  // Bodies that are chosen.
  select(body) {
    this.selected = body;
    if (this.figure) this.figure.highlight(body);
    this.tree.mark(body);
    if (body < 0) $('body').replaceChildren();
    else this.showSelected();
    if (this.axis && body < 0) this.axis.group.visible = false;
    if (this.scene) this.scene.draw();
  }
  showSelected() {
    const b = this.selected, buttons = [], more = [];
    if (this.run) this.showTwist(b, more);
    if (this.shownBody === b && $('body').firstChild) return fillTable($('body').querySelector('table'), [...bodyRows(this.figure, b), ...more]);
    const button = (text, action) => buttons.push(element('button', {onclick: () => {
      action();
      $('body').replaceChildren();
      this.showSelected();
    }}, text));
    button(this.following === b ? 'do not follow' : 'follow', () => this.setFollowing(this.following === b ? null : b));
    if (this.run) button(this.trailBody === b ? 'no trace' : 'trace', () => this.setTrail(this.trailBody === b ? -1 : b));
    button('only this', () => this.tree.isolate(b));
    this.shownBody = b;
    showBody($('body'), this.figure, b, buttons, more);
  }
  showTwist(b, rows) {
    const t = Math.min(Math.max(this.player.t, this.run.start), this.run.end), X = twistOf(this.figure, this.run, b, t);
    if (!this.axis || !X) return;
    this.axis.near = vector(Screws.apply(this.figure.bodyPose(b), this.figure.model.bodies[b].com));
    this.axis.place(X);
    this.axis.group.visible = this.axis.group.visible && this.layers.shown('axis');
    rows.push(['motion', this.axis.text]);
  }
  hide(hidden) {
    this.figure.hide(hidden);
    if (this.scene) this.scene.draw();
  }
  setFollowing(what) {
    this.following = what === null ? -1 : what;
    if (this.figure && this.figure.q) this.show(this.figure.q);
  }
  /** The path of the body that moves farthest, and past poses as far apart as it needs for a part of the mechanism's size. */
  addPast() {
    const {figure, run} = this;
    this.behind = this.frame.travels && !figure.alone;
    const {body, speed} = farthestMover(figure, run, this.behind);
    this.setTrail(body);
    this.apart = body >= 0 ? (figure.alone ? 0.7 : 0.14) * figure.skeleton.size / speed : 0;
    this.setPast();
  }
  /** @param b  a body; -1: no path */
  setTrail(b) {
    if (this.trail && this.scene) this.scene.remove(this.trail.group);
    this.trailBody = b;
    this.trail = b < 0 || !this.scene || this.run.t.length < 2 ? null
      : new Trail(this.figure, this.run, b, this.behind, Math.max(1.2 * this.player.speed, 1e-9));
    if (!this.trail) return;
    this.trail.group.visible = this.layers.shown('trail');
    this.scene.add(this.trail.group);
    this.player.seek(this.player.t);
  }
  setPast() {
    if (this.past && this.scene) this.scene.remove(this.past.group);
    this.past = this.scene && this.apart > 0 && this.layers.shown('past') ? new PastPoses(this.run, this.apart, this.behind) : null;
    if (!this.past) return;
    this.scene.add(this.past.group);
    this.player.seek(this.player.t);
  }
  placeLabels() {
    const labels = $('labels'), shown = this.layers.shown('labels') && this.scene;
    if (!shown) return labels.childElementCount && labels.replaceChildren();
    const bodies = this.figure.model.bodies.slice(0, 200), {clientWidth: w, clientHeight: h} = $('scene');
    if (labels.childElementCount !== bodies.length) labels.replaceChildren(...bodies.map(body => element('span', {}, body.name)));
    this.scene.camera.updateMatrixWorld();
    const places = bodies.map((body, b) => ({b, name: body.name, p: vector(Screws.apply(this.figure.bodyPose(b), body.com)).project(this.scene.camera)}));
    const taken = [];
    for (const {b, name, p} of places.sort((one, other) => one.p.z - other.p.z)) {  // the nearest first: none covers another
      const label = labels.children[b], x = (p.x + 1) / 2 * w, y = (1 - p.y) / 2 * h, half = 3.5 * name.length + 6;
      const free = taken.every(other => Math.abs(other.x - x) > other.half + half || Math.abs(other.y - y) > 17);
      label.hidden = p.z > 1 || this.tree.hidden.has(b) || !free;
      if (label.hidden) continue;
      taken.push({x, y, half});
      label.style.left = `${x}px`, label.style.top = `${y}px`;
    }
  }

  // Layers, buttons, keys, theme.
  showLayer(name, shown) {
    if (!this.figure) return;
    this.figure.showLayer(name, shown);
    if (name === 'floor' && this.scene) this.scene.showFloor(shown && (this.frame.floor !== null || this.figure.floor !== null));
    if (name === 'trail' && this.trail) this.trail.group.visible = shown;
    if (name === 'past' && this.run) this.setPast();
    if (this.figure.q) this.show(this.figure.q);
  }
  wire() {
    $('ghosts').addEventListener('change', () => {
      this.makeGhosts();
      this.player.seek(this.player.t);
    });
    $('fit').addEventListener('click', () => this.fitAgain());
    $('theme').addEventListener('click', () => this.setTheme(!this.dark));
    $('views').append(element('option', {}, 'orthographic'), element('option', {}, 'perspective'));
    $('views').addEventListener('change', () => {
      const view = $('views').value;
      if (!this.scene) return;
      if (presetViews[view]) this.scene.cameras.look(presetViews[view]);
      else if (view) this.scene.cameras.setOrthographic(view === 'orthographic');
      $('views').value = '';
      this.scene.draw();
    });
    document.addEventListener('keydown', event => this.key(event));
    document.addEventListener('pointerdown', event => {
      for (const menu of document.querySelectorAll('.menu[open]')) if (!menu.contains(event.target)) menu.open = false;
    });
    addEventListener('beforeprint', () => this.plots && this.plots.openAll());
    addEventListener('hashchange', () => this.goTo(this.given = new Address()));
    wireSaving(this);
    if (!this.scene) return;
    this.scene.onresize = () => !this.moved && this.fitAgain();
    let down = null;
    const canvas = this.scene.renderer.domElement;
    this.scene.controls.addEventListener('start', () => { this.moved = true; });
    this.scene.controls.addEventListener('change', () => this.figure && this.placeLabels());
    canvas.addEventListener('pointerdown', event => { down = [event.clientX, event.clientY]; });
    canvas.addEventListener('pointerup', event => {
      if (down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) < 4 && this.figure)
        this.select(this.figure.pick(this.scene.rayAt(event)));
      down = null;
    });
  }
  key(event) {
    const {tagName, type} = event.target, control = /^(INPUT|SELECT|TEXTAREA|BUTTON|SUMMARY)$/.test(tagName);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') {
      for (const menu of document.querySelectorAll('.menu[open]')) menu.open = false;
      return this.select(-1);
    }
    if (event.key === ' ' && control && type !== 'range') return;  // presses the focused control
    if (control && tagName !== 'BUTTON' && tagName !== 'SUMMARY' && type !== 'checkbox' && type !== 'range') return;
    if (event.key === 'f') this.fitAgain();
    else if (!this.player || !this.timeline.key(event, this.run)) return;
    event.preventDefault();
  }
  setTheme(dark) {
    this.dark = dark;
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    if (this.scene) this.scene.setTheme(dark);
  }
  /** The moment and the view of an address; without one it plays, unless motion is unwelcome. */
  goTo(address) {
    const run = address.number('run'), t = address.number('t'), camera = address.camera();
    if (this.runs && run !== null && this.runs[run] && this.runs[run] !== this.run) this.chooseRun(Number($('run').value = run));
    if (this.player && t !== null) this.player.seek(t);
    if (camera && this.scene) {
      this.scene.camera.position.set(...camera.slice(0, 3));
      this.scene.controls.target.set(...camera.slice(3));
      this.scene.controls.update();
      this.moved = true;
    }
    if (this.scene) this.scene.cameras.setOrthographic(address.has('orthographic'));
    const still = address.number('play') === 0 || (t !== null && !address.has('play')) || (matchMedia('(prefers-reduced-motion: reduce)').matches && !address.has('play'));
    if (this.player && this.run.model && this.player.end > this.player.start) this.player.play(!still);
  }
  address() {
    const {scene} = this, camera = scene && [...scene.camera.position.toArray(), ...scene.controls.target.toArray()];
    return Address.of({t: this.player && this.player.t, camera, run: this.runs && this.runs.indexOf(this.run),
      orthographic: scene && scene.camera.isOrthographicCamera});
  }
}

/** For tests and for the console: chasles.page, chasles.errors. */
window.chasles = {errors: [], page: null};
window.addEventListener('error', event => chasles.errors.push(String(event.message)));
window.addEventListener('unhandledrejection', event => chasles.errors.push(String(event.reason)));
chasles.page = new Page(JSON.parse($('data').textContent));
document.documentElement.dataset.ready = 'true';
