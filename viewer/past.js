'use strict';
// Where a mechanism was: the path of a point, and faint poses behind the present one. Of a mechanism that travels both are
// relative to its center of mass, with which the camera goes.

/** Of a body with a mass: which one moves farthest along the run, and how fast while it moves. */
function farthestMover(figure, run, travels) {
  const {model} = figure, {t} = run, stride = Math.max(1, Math.ceil(t.length / 60)), found = {body: -1, way: 0, speed: 0};
  const bodies = model.bodies.map((_, b) => b).filter(b => model.bodies[b].link >= 0 && model.bodies[b].mass > 0);
  if (bodies.length > 200) return found;
  const ways = bodies.map(() => 0), squares = bodies.map(() => 0);
  let before = null;
  for (let i = 0; i < t.length; i += stride) {
    figure.chain.update(run.configuration(t[i]));
    const origin = travels ? vector(figure.center()) : new THREE.Vector3();
    const now = bodies.map(b => vector(Screws.apply(figure.bodyPose(b), model.bodies[b].com)).sub(origin));
    if (before) now.forEach((p, k) => {
      const d = p.distanceTo(before[k]);
      ways[k] += d, squares[k] += d * d / (t[i] - t[i - stride] || 1);
    });
    before = now;
  }
  const longest = Math.max(0, ...ways), last = ways.reduce((best, way, k) => (way > 0.98 * longest ? k : best), -1);
  return longest > 0.02 * figure.skeleton.size ? {body: bodies[last], way: ways[last], speed: squares[last] / ways[last]} : found;
}

/** The path of the center of mass of a body, or of its origin if it has no mass: faint up to now, bright where it just was. */
class Trail {
  /** @param tail  how long it is bright [s] */
  constructor(figure, run, b, travels, tail) {
    const {t} = run, body = figure.model.bodies[b], points = [], times = [];
    const fine = Math.max(1, Math.ceil(4000 / t.length)), stride = Math.ceil(t.length / 4000);
    const add = time => {
      figure.chain.update(run.configuration(time));
      const p = Screws.apply(figure.bodyPose(b), body.com), origin = travels ? figure.center() : [0, 0, 0];
      points.push(Array.from(p, (x, k) => x - origin[k]));
      times.push(time);
    };
    for (let i = 0; i < t.length; i += stride)
      for (let k = 0, n = i + stride < t.length ? Math.min(fine, 8) : 1; k < n; ++k) add(t[i] + (n > 1 ? k / n * (t[i + stride] - t[i]) : 0));
    Object.assign(this, {now: {value: run.start}, count: points.length, travels});
    const segments = points.slice(1).map((p, i) => [points[i], p]);
    this.group = drawLines(segments, figure.colors[b], {width: 3, time: {now: this.now, tail: {value: tail}, rest: travels ? 0 : 0.16}},
      segments.map((_, i) => [times[i], times[i + 1]]));
  }
  setTime(t) {
    this.now.value = t;
  }
  setCenter(center) {
    if (this.travels) this.group.position.set(...center);
  }
}

/** Faint figures of three moments before the present one. */
class PastPoses {
  /** @param apart  time between them [s] */
  constructor(run, apart, travels) {
    Object.assign(this, {run, apart, travels, group: new THREE.Group()});
    this.figures = [0.15, 0.1, 0.06].map(opacity => new Figure(run.model, opacity));
    for (const {group} of this.figures) this.group.add(group);
  }
  setTime(t) {
    this.figures.forEach((figure, k) => {
      const then = t - (k + 1) * this.apart;
      figure.group.visible = then >= this.run.start;
      if (figure.group.visible) figure.update(this.run.configuration(then));
    });
  }
  setCenter(center) {
    if (!this.travels) return;
    for (const figure of this.figures) figure.group.position.set(...center).sub(vector(figure.center()));
  }
}
