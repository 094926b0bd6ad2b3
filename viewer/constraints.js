'use strict';
// Constraints on points of bodies: rods, cables, points on planes, lines and curves, wheels that roll.
//
// A force f at the point p of one body, and its opposite at the same point on another, work on changes dx of the
// coordinates by
//
//     f . (motion of p with the one - motion of p with the other) = sum_k (p x f; f) . S_k dx_k          (1)
//
// where S_k is the screw of coordinate k in the world, counted for each body that it moves. So a row of the equations of a
// constraint is known by forces [link, p, f]; of a curve, also by the rate `own` of its own coordinate s.

const vectors = {
  dot: (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
  cross: (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]],
  minus: (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]],
  times: (k, a) => [k * a[0], k * a[1], k * a[2]],
  /** R a and its inverse, with the rotation of a pose. */
  turn: (C, a) => [0, 3, 6].map(i => C[i] * a[0] + C[i + 1] * a[1] + C[i + 2] * a[2]),
  turnBack: (C, a) => [0, 1, 2].map(i => C[i] * a[0] + C[3 + i] * a[1] + C[6 + i] * a[2]),
};

class PointConstraint {
  constructor(data, chain) {
    Object.assign(this, data, {chain, own: new Float64Array(0), isRolling: false});
  }
  at(place) {
    return Array.from(this.chain.pose(place).slice(9));
  }
  /** Before coordinates are looked for that fulfill it. */
  start() {}
  /** The rows of what binds velocities alone. */
  rolling() {
    return [];
  }
  static of(data, chain) {
    return new {cable: Cable, flat: PointOnFlat, curve: PointOnCurve, wheel: Wheel}[data.kind](data, chain);
  }
}

/** The length through its points is constant; with two points a rod. */
class Cable extends PointConstraint {
  pieces() {
    const at = this.points.map(place => this.at(place));
    return at.slice(1).map((b, i) => {
      const way = vectors.minus(b, at[i]), length = Math.hypot(...way);
      return {i, a: at[i], b, length, u: vectors.times(1 / length, way)};
    });
  }
  residual() {
    return [this.pieces().reduce((sum, {length}) => sum + length, -this.length)];
  }
  rows() {
    return [{forces: this.pieces().flatMap(({i, a, b, u}) =>
      [[this.points[i + 1].link, b, u], [this.points[i].link, a, vectors.times(-1, u)]])}];
  }
}

/** A point in a plane, or on a line, by its normals. */
class PointOnFlat extends PointConstraint {
  residual() {
    const F = this.chain.pose(this.frame), way = vectors.minus(this.at(this.point), F.slice(9));
    return this.normals.map(n => vectors.dot(vectors.turn(F, n), way));
  }
  rows() {
    const F = this.chain.pose(this.frame), p = this.at(this.point);
    return this.normals.map(normal => {
      const n = vectors.turn(F, normal);
      return {forces: [[this.point.link, p, n], [this.frame.link, p, vectors.times(-1, n)]]};
    });
  }
}

/** y = c(s), with the parameter s as a coordinate of its own. */
class PointOnCurve extends PointConstraint {
  constructor(data, chain) {
    super(data, chain);
    this.own = Float64Array.of(this.nodes[0][0]);
    this.axes = this.flat ? [0, 1] : [0, 1, 2];
  }
  /** c and c' by the polynomials of fifth degree that have c, c' and c'' of the nodes. */
  value(s) {
    const {nodes} = this, first = nodes[0][0], last = nodes[nodes.length - 1][0];
    if (this.closed) s -= (last - first) * Math.floor((s - first) / (last - first));
    const inside = Math.min(Math.max(s, first), last), beyond = s - inside;
    const k = Math.min(Math.max(nodes.findLastIndex(node => node[0] <= inside), 0), nodes.length - 2);
    const a = nodes[k], b = nodes[k + 1], h = b[0] - a[0], u = (inside - a[0]) / h;
    const shares = [1 - u ** 3 * (10 - u * (15 - 6 * u)), h * u * (1 - u * u * (6 - u * (8 - 3 * u))), h * h * u * u / 2 * (1 - u) ** 3,
      u ** 3 * (10 - u * (15 - 6 * u)), -h * u ** 3 * (4 - u * (7 - 3 * u)), h * h * u ** 3 / 2 * (1 - u) ** 2];
    const rates = [-30 * u * u * (1 - u) ** 2 / h, 1 - u * u * (18 - u * (32 - 15 * u)), h * u * (1 - u * (4.5 - u * (6 - 2.5 * u))),
      30 * u * u * (1 - u) ** 2 / h, -u * u * (12 - u * (28 - 15 * u)), h * u * u * (1.5 - u * (4 - 2.5 * u))];
    const sum = (f, i) => f[0] * a[i] + f[1] * a[3 + i] + f[2] * a[6 + i] + f[3] * b[i] + f[4] * b[3 + i] + f[5] * b[6 + i];
    const d = [1, 2, 3].map(i => sum(rates, i)), c = [1, 2, 3].map((i, j) => sum(shares, i) + beyond * d[j]);
    return {c: beyond !== 0 && !this.straight ? [NaN, NaN, NaN] : c, d};
  }
  position() {
    const F = this.chain.pose(this.frame);
    return vectors.turnBack(F, vectors.minus(this.at(this.point), F.slice(9)));
  }
  /** The parameter of the nearest point: from the nearest of some, by halving the distance to its neighbors. */
  start() {
    const y = this.position(), [first, last] = [this.nodes[0][0], this.nodes[this.nodes.length - 1][0]];
    const distance = s => {
      const {c} = this.value(s), square = this.axes.reduce((sum, k) => sum + (c[k] - y[k]) ** 2, 0);
      return Number.isFinite(square) ? square : Infinity;
    };
    const count = 4 * this.nodes.length;
    let step = (last - first) / count, best = first;
    for (let k = 1; k <= count; ++k) if (distance(first + k * step) < distance(best)) best = first + k * step;
    for (; step > 1e-9 * (last - first); step /= 2)
      for (const s of [best - step, best + step]) if (distance(s) < distance(best)) best = s;
    this.own[0] = best;
  }
  residual() {
    const y = this.position(), {c} = this.value(this.own[0]);
    return this.axes.map(k => y[k] - c[k]);
  }
  rows() {
    const F = this.chain.pose(this.frame), p = this.at(this.point), {d} = this.value(this.own[0]);
    return this.axes.map(k => {
      const e = [F[k], F[3 + k], F[6 + k]];
      return {forces: [[this.point.link, p, e], [this.frame.link, p, vectors.times(-1, e)]], own: -d[k]};
    });
  }
}

/** A thin disk with an axis, or a ball, on a plane of ground: m is the direction from the contact to the center. */
class Wheel extends PointConstraint {
  constructor(data, chain) {
    super(data, chain);
    const n = this.normal, small = [0, 1, 2].reduce((k, i) => (Math.abs(n[i]) < Math.abs(n[k]) ? i : k), 0);
    const t = vectors.cross(n, [0, 1, 2].map(i => Number(i === small))), length = Math.hypot(...t);
    this.tangents = [vectors.times(1 / length, t), vectors.times(1 / length, vectors.cross(n, t))];
    this.isRolling = true;
  }
  lowest() {
    const C = this.chain.pose(this.point), n = this.normal;
    const axis = this.axis ? vectors.turn(C, this.axis) : [0, 0, 0], h = vectors.minus(n, vectors.times(vectors.dot(n, axis), axis));
    return vectors.minus(C.slice(9), vectors.times(this.radius / Math.hypot(...h), h));
  }
  residual() {
    return this.contact ? [vectors.dot(this.normal, vectors.minus(this.lowest(), this.plane))] : [];
  }
  rows() {
    return this.contact ? [{forces: [[this.point.link, this.lowest(), this.normal]]}] : [];
  }
  /** The point of the wheel at the contact is at rest. */
  rolling() {
    const p = this.lowest();
    return this.tangents.map(t => ({forces: [[this.point.link, p, t]]}));
  }
}
