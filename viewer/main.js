'use strict';
// The page: data, picture, plots, time.

const $ = id => document.getElementById(id);

/** Playback in real time, or such that a run takes between 3 and 60 s. */
function fittingSpeed(length) {
  if (length > 60) return roundUp(length / 60);
  return length > 0 && length < 3 ? roundUp(length / 6) : 1;
}

class Player {
  constructor(runs, shown) {
    this.start = Math.min(...runs.map(run => run.start));
    this.end = Math.max(...runs.map(run => run.end));
    Object.assign(this, {shown, t: this.start, playing: false, speed: 1, loop: true});
  }
  seek(t) {
    this.t = Math.min(Math.max(t, this.start), this.end);
    this.shown(this.t);
  }
  play(playing = !this.playing) {
    if (playing === this.playing) return;
    this.playing = playing;
    $('play').textContent = playing ? '❚❚' : '▶';
    if (!playing) return;
    if (this.t >= this.end) this.t = this.start;
    let before = performance.now();
    const frame = now => {
      if (!this.playing) return;
      let t = this.t + Math.max(now - before, 0) / 1000 * this.speed;
      before = now;
      if (t > this.end) {
        if (this.loop) t = this.start + (t - this.end) % (this.end - this.start || 1);
        else this.play(false);
      }
      this.seek(t);
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }
}

class Page {
  constructor(data) {
    this.data = data;
    this.selected = -1;
    this.traces = new Map();
    document.title = `${data.title} - Chasles`;
    $('title').textContent = data.title;
    $('version').textContent = `Chasles ${data.version}`;
    try {
      this.scene = new Scene($('scene'));
    } catch (error) {
      $('scene').append(element('p', {className: 'warning'}, 'There is no WebGL here, so nothing is drawn; the plots are beside or below.'));
    }
    document.body.classList.add(data.kind);
    if (data.kind === 'view') this.startView();
    else if (data.kind === 'live') this.live = new Live(this);
    else this.startReport();
    this.wireToolbar();
    this.setTheme(matchMedia('(prefers-color-scheme: dark)').matches);
  }

  // A mechanism with sliders.
  startView() {
    const {model, warnings, q} = this.data;
    this.figure = new Figure(model);
    this.x = this.figure.chain.toCanonical(q, new Float64Array(model.nv));
    this.q = Float64Array.from(q);
    const bound = model.loops.length + model.couplings.length > 0;
    $('closed').parentElement.hidden = !bound;
    $('closed').checked = bound;
    this.sliders = new Sliders($('sliders'), this.figure, this.x, () => bound && $('closed').checked, () => this.showConfiguration());
    $('closed').addEventListener('change', () => ($('closed').checked ? this.sliders.close() : this.sliders.say('')));
    $('facts').replaceChildren(...warningsOf(warnings));
    this.figure.showLoops();
    if (this.scene) this.scene.add(this.figure);
    this.showConfiguration();
    this.fit([this.q]);
  }
  /** Another mechanism in the picture. */
  setFigure(model) {
    if (this.scene) this.scene.clear();
    this.figure = new Figure(model);
    this.figure.showLoops();
    if (this.scene) this.scene.add(this.figure);
  }
  showConfiguration() {
    this.show(this.figure.chain.fromCanonical(this.x, this.q));
  }

  // Runs.
  startReport() {
    this.runs = this.data.runs.map(data => new Run(data));
    this.data = null;  // the texts of the numbers are not needed any more
    const select = $('run');
    this.runs.forEach((run, i) => select.append(element('option', {value: i}, run.name)));
    select.parentElement.hidden = this.runs.length < 2;
    $('ghosts').parentElement.hidden = this.runs.length < 2;
    this.player = new Player(this.runs, t => this.showTime(t));
    select.addEventListener('change', () => this.chooseRun(Number(select.value)));
    const slider = $('time');
    slider.min = this.player.start, slider.max = this.player.end;
    slider.addEventListener('input', () => this.player.seek(Number(slider.value)));
    this.plots = new Plots($('plots'), this.runs, t => this.player.seek(t));
    this.chooseRun(0);
    this.setSpeed(fittingSpeed(this.player.end - this.player.start));
  }
  chooseRun(i) {
    this.run = this.runs[i];
    this.select(-1);
    this.traces.clear();
    showFacts($('facts'), this.run);
    if (this.scene) this.scene.clear();
    this.figure = this.run.model ? new Figure(this.run.model) : null;
    this.forces = null;
    this.ghosts = [];
    if (this.scene && this.figure) {
      this.figure.showLoops();
      this.forces = new ForceArrows(this.run, this.figure);
      this.figure.group.add(this.forces.group);
      $('forces').parentElement.hidden = !this.forces.arrows.length;
      this.scene.add(this.figure);
      this.fit(this.someConfigurations());
      this.showParts();
    } else if (!this.figure) {
      $('scene').hidden = true;
    }
    this.makeGhosts();
    this.player.seek(this.player.t);
  }
  makeGhosts() {
    if (!this.scene || !this.runs) return;
    for (const {figure} of this.ghosts) this.scene.scene.remove(figure.group);
    const others = $('ghosts').checked ? this.runs.filter(run => run !== this.run && run.model) : [];
    this.ghosts = others.map(run => ({run, figure: new Figure(run.model, true)}));
    for (const {figure} of this.ghosts) this.scene.scene.add(figure.group);
  }
  someConfigurations() {
    const n = Math.min(40, this.run.t.length);
    return Array.from({length: n}, (_, i) =>
      Float64Array.from(this.run.configuration(this.run.t[Math.floor(i * (this.run.t.length - 1) / Math.max(n - 1, 1))])));
  }
  showTime(t) {
    const begin = performance.now();
    $('time').value = t;
    $('now').textContent = `${t.toFixed(3)} s`;
    if (this.figure) this.show(this.run.configuration(Math.min(Math.max(t, this.run.start), this.run.end)));
    this.showForces(t);
    for (const {run, figure} of this.ghosts) figure.update(run.configuration(t));
    if (this.scene) this.scene.script = performance.now() - begin;
    this.plots.setTime(t);
  }

  showForces(t) {
    if (!this.forces) return;
    this.forces.group.visible = $('forces').checked;
    if (this.forces.group.visible) this.forces.update(t);
  }

  /** Both: a configuration. */
  show(q) {
    this.figure.q = q;
    this.figure.update(q);
    if (this.selected >= 0) this.showSelected();
    if (!this.scene) return;
    if (this.scene.mark && this.scene.mark.visible) this.scene.mark.position.set(...this.figure.center());
    if (this.following === 'center') this.scene.follow(this.figure.center());
    else if (this.following >= 0) this.scene.follow(this.figure.bodyPose(this.following).slice(9));
    this.scene.draw();
  }
  /** The picture is as large as the mechanism ever is; if it travels far, the camera goes with it. */
  fit(configurations) {
    const all = new THREE.Box3(), alone = new THREE.Box3();
    let largest = 0, first = null;
    for (const q of configurations) {
      this.figure.update(q);
      this.figure.extent(alone.makeEmpty());
      const center = new THREE.Vector3(...this.figure.center());
      const reach = Math.max(alone.max.distanceTo(center), alone.min.distanceTo(center));
      if (!first) first = {center};
      largest = Math.max(largest, reach);
      all.union(alone);
    }
    const travels = all.getSize(new THREE.Vector3()).length() > 6 * largest;
    this.setFollowing(travels ? 'center' : null);
    if (travels) all.setFromCenterAndSize(first.center, new THREE.Vector3(1.3, 1.3, 1.3).multiplyScalar(largest));
    if (!this.scene) return;
    this.box = all;
    this.scene.fit(all);
    const floats = travels || this.figure.model.gravity.every(g => g === 0);
    $('grid').checked = !floats;
    this.scene.showGrid(!floats);
  }

  /** The same view as at first; while the camera follows something, around where that is now. */
  fitAgain() {
    if (!this.scene || !this.box) return;
    const box = this.box.clone();
    if (this.following === 'center' || this.following >= 0) {
      const point = this.following === 'center' ? this.figure.center() : this.figure.bodyPose(this.following).slice(9);
      box.translate(new THREE.Vector3(...point).sub(box.getCenter(new THREE.Vector3())));
    }
    const shown = this.scene.grid.visible;
    this.scene.fit(box);
    this.scene.showGrid(shown);
  }

  // Bodies that are chosen.
  select(body) {
    this.selected = body;
    if (this.figure) this.figure.highlight(body);
    if (body < 0) $('body').replaceChildren();
    else this.showSelected();
    if (this.scene) this.scene.draw();
  }
  showSelected() {
    const b = this.selected, buttons = [];
    const button = (text, action) => buttons.push(element('button', {onclick: () => {
      action();
      this.showSelected();
    }}, text));
    button(this.following === b ? 'do not follow' : 'follow', () => this.setFollowing(this.following === b ? null : b));
    if (this.run) button(this.traces.has(b) ? 'no trace' : 'trace', () => this.toggleTrace(b));
    showBody($('body'), this.figure, b, buttons);
  }
  setFollowing(what) {
    this.following = what === null ? -1 : what;
    $('follow').checked = this.following === 'center';
    if (this.figure && this.figure.q) this.show(this.figure.q);
  }
  /** The path of the center of mass of a body, or of its origin if it has no mass. */
  toggleTrace(b) {
    if (this.traces.has(b)) {
      this.traces.get(b)();
      this.traces.delete(b);
      return;
    }
    const body = this.figure.model.bodies[b], points = [], stride = Math.ceil(this.run.t.length / 4000);
    for (let i = 0; i < this.run.t.length; i += stride) {
      this.figure.chain.update(this.run.configuration(this.run.t[i]));
      points.push(Screws.apply(this.figure.bodyPose(b), body.com));
    }
    this.traces.set(b, this.scene ? this.scene.addTrace(points, palette[b % palette.length]) : () => {});
    this.player.seek(this.player.t);
  }

  // Buttons, keys, theme.
  showParts() {
    if (!this.figure || !this.scene) return;
    this.figure.showScrews($('screws').checked);
    this.figure.showAxes($('frames').checked);
    this.scene.showGrid($('grid').checked);
    this.scene.showMark($('com').checked, 0.35 * this.figure.model.small);
    if (this.figure.q) this.show(this.figure.q);
    if (this.player) this.showForces(this.player.t);
  }
  setSpeed(speed) {
    this.player.speed = speed;
    $('speed').value = String(speed);
    if ($('speed').selectedIndex < 0) {
      $('speed').append(element('option', {value: String(speed)}, `${shortText(speed)} x`));
      $('speed').value = String(speed);
    }
  }
  wireToolbar() {
    const few = !this.figure || this.figure.model.links.length <= 100;
    $('screws').checked = few;
    for (const id of ['screws', 'frames', 'grid', 'com', 'forces']) $(id).addEventListener('change', () => this.showParts());
    $('ghosts').addEventListener('change', () => {
      this.makeGhosts();
      this.player.seek(this.player.t);
    });
    $('follow').addEventListener('change', () => this.setFollowing($('follow').checked ? 'center' : null));
    $('fit').addEventListener('click', () => this.fitAgain());
    $('theme').addEventListener('click', () => this.setTheme(!this.dark));
    if (this.player) {
      $('play').addEventListener('click', () => this.player.play());
      $('loop').addEventListener('change', () => { this.player.loop = $('loop').checked; });
      $('speed').addEventListener('change', () => { this.player.speed = Number($('speed').value); });
      document.addEventListener('keydown', event => this.key(event));
    }
    this.showParts();
    if (!this.scene) return;
    let down = null;
    const canvas = this.scene.renderer.domElement;
    canvas.addEventListener('pointerdown', event => { down = [event.clientX, event.clientY]; });
    canvas.addEventListener('pointerup', event => {
      if (down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) < 4 && this.figure)
        this.select(this.figure.pick(this.scene.rayAt(event)));
      down = null;
    });
  }
  key(event) {
    const {tagName, type} = event.target, control = /^(INPUT|SELECT|TEXTAREA|BUTTON|SUMMARY)$/.test(tagName);
    if (event.key === ' ' && control && type !== 'range') return;  // presses the focused control
    if (control && tagName !== 'BUTTON' && tagName !== 'SUMMARY' && type !== 'checkbox' && type !== 'range') return;
    const {player} = this, step = (player.end - player.start) / 100;
    const actions = {
      ' ': () => player.play(), ArrowLeft: () => player.seek(player.t - step), ArrowRight: () => player.seek(player.t + step),
      Home: () => player.seek(player.start), End: () => player.seek(player.end),
      ',': () => player.seek(this.run.t[Math.max(this.run.rowAt(player.t) - 1, 0)]),
      '.': () => player.seek(this.run.t[Math.min(this.run.rowAt(player.t) + 1, this.run.t.length - 1)]),
      '+': () => this.setSpeed(Math.min(player.speed * 2, 1000)), '-': () => this.setSpeed(Math.max(player.speed / 2, 0.001)),
      Escape: () => this.select(-1),
    };
    if (!actions[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    actions[event.key]();
  }
  setTheme(dark) {
    this.dark = dark;
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    if (this.scene) this.scene.setBackground(dark ? '#15191e' : '#f4f6f8');
  }
}

/** For tests and for the console: chasles.page, chasles.errors. */
window.chasles = {errors: [], page: null};
window.addEventListener('error', event => chasles.errors.push(String(event.message)));
window.addEventListener('unhandledrejection', event => chasles.errors.push(String(event.reason)));
chasles.page = new Page(JSON.parse($('data').textContent));
document.documentElement.dataset.ready = 'true';
