'use strict';
// A scenario that runs in `chasles serve`: the page shows its states, sends commands, and pulls at bodies.

class Live {
  constructor(page) {
    this.page = page;
    this.run = -1;
    this.waiting = new Map();  // path: the last value that was asked for
    this.good = new Map();     // path: the last value that was taken
    this.makePanel();
    if (page.scene) this.pullByPointer();
    this.source = new EventSource('events');
    this.source.onmessage = event => this.receive(...event.data.split('\n').map(line => (line ? JSON.parse(line) : null)));
    this.source.onerror = () => this.say('The program does not answer: it has ended, or too many pages of it are open.');
  }
  /** @return what the program says to it; null: done */
  async ask(command, values = {}) {
    try {
      const answer = await fetch(`${command}?${new URLSearchParams(values)}`, {method: 'POST'});
      if (answer.ok) return null;
      const text = (await answer.text()).trim();
      this.say(text);
      return text;
    } catch (error) {
      this.say('The program does not answer.');
      return 'none';
    }
  }
  say(text) {
    if (this.status.textContent !== text) this.status.textContent = text;
  }

  // What the program says.
  async receive({number, failure}, state) {
    this.failure = failure;
    if (!state || failure) this.say(failure);
    if (!state) return;
    if (number !== this.run && !this.loading) {
      this.loading = true;
      try {
        await this.load(number);
      } finally {
        this.loading = false;
      }
    }
    if (state.run !== this.run || !this.page.figure) return;
    if (!failure && state.message !== this.message) this.say(this.message = state.message);
    this.paused = state.paused;
    this.go.textContent = state.paused ? '▶ go' : '❚❚ pause';
    const behind = !state.paused && state.pace < 0.9 * state.speed ? `, computed at ${shortText(Number(state.pace.toPrecision(2)))} of real time` : '';
    this.clock.textContent = `t = ${state.t.toFixed(2)} s${behind}`;
    this.page.q = Float64Array.from(state.q);
    this.page.show(this.page.q);
    this.drawPull();
  }
  async load(number) {
    const [model, numbers] = await Promise.all(['model', 'numbers'].map(async name => (await fetch(name)).json()));
    const {page} = this, first = this.run < 0;
    const other = first || page.figure.model.bodies.length !== model.model.bodies.length;
    page.select(-1);
    page.setFigure(model.model);
    page.q = Float64Array.from(model.q);
    if (other) page.fit([page.q], true);
    else page.figure.addGround(page.frame.floor);
    if (other && page.scene) {  // with room for its motion
      const {camera, controls} = page.scene;
      camera.position.sub(controls.target).multiplyScalar(1.5).add(controls.target);
      controls.update();
    }
    this.run = number;
    this.message = null;
    this.say('');
    this.showNumbers(numbers);
    $('facts').replaceChildren(...warningsOf(model.warnings));
  }

  // Controls.
  makePanel() {
    const button = (text, title, onclick) => element('button', {title, onclick}, text);
    this.status = element('p', {className: 'live-status'});
    this.status.setAttribute('role', 'status');
    this.clock = element('output', {className: 'live-clock'});
    this.go = button('▶ go', 'run or pause (space)', () => this.ask(this.paused ? 'go' : 'pause'));
    this.speed = element('select', {title: 'speed', onchange: () => this.ask('speed', {factor: this.speed.value})},
      ...[0.1, 0.25, 0.5, 1, 2, 5].map(x => element('option', {value: x, selected: x === 1}, `${x} x`)));
    this.spring = element('input', {type: 'range', min: -2, max: 2, step: 'any', value: 0, title: 'stiffness of the spring that pulls'});
    this.spring.setAttribute('aria-label', this.spring.title);
    this.speed.setAttribute('aria-label', 'speed');
    this.numbers = element('div');
    this.text = element('pre', {hidden: true});
    $('sliders').replaceChildren(this.status,
      element('div', {className: 'live-buttons'}, this.go, button('step', 'by 0.01 s', () => this.ask('step', {seconds: 0.01})),
        button('restart', 'from the start', () => this.ask('restart')), this.speed, this.clock),
      element('div', {className: 'live-buttons'}, element('span', {}, 'Drag a body: it is pulled by a spring, soft'), this.spring, 'stiff'),
      this.numbers,
      element('div', {className: 'live-buttons'}, button('copy the scenario', 'with the numbers above, as YAML', () => this.copy())),
      this.text);
    document.addEventListener('keydown', event => {
      if (event.key !== ' ' || /^(INPUT|SELECT|TEXTAREA|BUTTON|SUMMARY)$/.test(event.target.tagName)) return;
      event.preventDefault();
      this.go.click();
    });
  }
  showNumbers(list) {
    this.numbers.replaceChildren(...list.map(entry => this.row(entry)));
    this.text.hidden = true;
  }
  row({path, file, value}) {
    const far = file !== 0 ? 3 * Math.abs(file) : 1;
    const slider = element('input', {type: 'range', min: file < 0 ? -far : file > 0 ? 0 : -1, max: far, step: 'any', value});
    const number = element('input', {type: 'number', step: 'any', value});
    const back = element('button', {className: 'slider-back', title: `${path} as in the file`}, '↺');
    slider.setAttribute('aria-label', path);
    number.setAttribute('aria-label', `${path}, typed`);
    back.setAttribute('aria-label', back.title);
    const show = x => { slider.value = x, number.value = x; };
    const set = x => {
      if (!Number.isFinite(x)) {
        show(this.good.get(path));
        return this.say(`${path}: give a number`);
      }
      show(x);
      return this.set(path, x, show);
    };
    this.good.set(path, value);
    slider.addEventListener('input', () => set(Number(Number(slider.value).toPrecision(4))));
    number.addEventListener('change', () => set(number.value.trim() === '' ? NaN : Number(number.value)));
    back.addEventListener('click', () => set(file));
    return element('div', {className: 'slider'}, element('span', {title: path}, path), slider, number, back);
  }
  /** One request at a time for each number; of values that come meanwhile the last one counts. A refused one is taken back. */
  async set(path, value, show) {
    if (this.waiting.has(path)) {
      this.waiting.set(path, value);
      return;
    }
    this.waiting.set(path, value);
    for (let asked = value; ; asked = this.waiting.get(path)) {
      const refused = await this.ask('set', {path, value: asked});
      if (!refused) this.good.set(path, asked), this.say('');
      if (this.waiting.get(path) !== asked) continue;
      if (refused) show(this.good.get(path));
      break;
    }
    this.waiting.delete(path);
    if (!this.text.hidden) this.text.textContent = await (await fetch('text')).text();
  }
  async copy() {
    this.text.textContent = await (await fetch('text')).text();
    this.text.hidden = false;
    try {
      await navigator.clipboard.writeText(this.text.textContent);
      this.say('The scenario is in the clipboard; it is shown below.');
    } catch (error) {
      getSelection().selectAllChildren(this.text);
      this.say('The scenario is selected below: copy it.');
    }
  }

  // Pulling at bodies.
  pullByPointer() {
    const {scene} = this.page, {controls} = scene, canvas = scene.renderer.domElement;
    this.line = drawLines(unitShapes.spring().edges.map(e => [e.slice(0, 3), e.slice(6, 9)]), 0xd6336c, {width: 3, through: true});
    this.line.visible = false;
    scene.scene.add(this.line);
    const place = event => {  // in the plane of the point that was grabbed, parallel to the picture
      const ray = scene.rayAt(event), plane = new THREE.Plane().setFromNormalAndCoplanarPoint(
        scene.camera.getWorldDirection(new THREE.Vector3()), this.pulling.grabbed);
      return ray.intersectPlane(plane, new THREE.Vector3());
    };
    scene.element.addEventListener('pointerdown', event => {
      const {figure} = this.page;
      if (event.button !== 0 || !figure || event.target !== canvas) return;
      const body = figure.pick(scene.rayAt(event));
      if (body < 0 || figure.model.bodies[body].link < 0) return;
      controls.enabled = false;
      const C = figure.bodyPose(body), com = new THREE.Vector3(...Screws.apply(C, figure.model.bodies[body].com));
      this.pulling = {body, grabbed: com};
      this.pulling.grabbed = place(event) || com;
      this.pulling.point = Screws.apply(Screws.inverse(C), this.pulling.grabbed.toArray());
      this.pulling.target = this.pulling.grabbed;
      canvas.setPointerCapture(event.pointerId);
    }, true);
    scene.element.addEventListener('pointermove', event => {
      if (!this.pulling) return;
      this.pulling.target = place(event) || this.pulling.target;
      this.sendPull();
    }, true);
    const release = () => {
      controls.enabled = true;
      if (!this.pulling) return;
      this.pulling = null;
      this.line.visible = false;
      scene.draw();
      this.ask('release');
    };
    for (const name of ['pointerup', 'pointercancel']) scene.element.addEventListener(name, release, true);
  }
  async sendPull() {
    if (this.sending) return;
    this.sending = true;
    for (let sent = null; this.pulling && this.pulling.target !== sent;) {
      const {body, point, target} = this.pulling, values = {body, factor: 10 ** Number(this.spring.value)};
      sent = target;
      ['x', 'y', 'z'].forEach((axis, i) => { values[`point${axis}`] = point[i], values[`target${axis}`] = target.toArray()[i]; });
      await this.ask('pull', values);
      if (!this.pulling) await this.ask('release');
    }
    this.sending = false;
    this.drawPull();
  }
  drawPull() {
    if (!this.pulling || !this.line) return;
    const {body, point, target} = this.pulling, {figure} = this.page;
    placeBetween(this.line, Screws.apply(figure.bodyPose(body), point), target.toArray(), 0.35 * figure.skeleton.width);
    this.page.scene.draw();
  }
}
