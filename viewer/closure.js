'use strict';
// Loops: how far they are open, and motions that keep them closed.
//
// A loop says that the pose of its joint on the one body, A = C_from J(y), is that on the other, B = C_to. With
// P = A^-1 B and r = log P, a change dx of the coordinates changes P by the twist
//
//     hat(P' P^-1) = Ad(A^-1) (sum_to S_k dx_k - sum_from S_k dx_k - Ad(C_from) S_y dy)          (1)
//
// where S_k is the screw of coordinate k in the world. Newton's step is the one for which (1) is -r, exactly, since
// dexp_r r = r. Of all such steps the shortest is taken. Couplings and the constraints of constraints.js have equations of
// the same kind. Rolling binds changes, not places: its equations hold along the way, not where it begins.

class Closure {
  constructor(model, chain) {
    Object.assign(this, {model, chain});
    this.q = new Float64Array(model.nq);
    this.length = 10 * model.small;  // the unit in which lengths are compared with angles [m]
    this.loops = model.loops.map(loop => {
      const own = new Chain(loop.links), nv = loop.links.reduce((n, link) => n + link.nv, 0);
      const from = this.ancestors(loop.from.link), to = this.ancestors(loop.to.link);
      return {...loop, own, nv, q: Float64Array.from(loop.neutral), y: new Float64Array(nv),
        arms: [...to.filter(i => !from.includes(i)).map(i => [i, 1]), ...from.filter(i => !to.includes(i)).map(i => [i, -1])]};
    });
    this.constraints = model.constraints.map(data => PointConstraint.of(data, chain));
    this.rolls = this.constraints.some(({isRolling}) => isRolling);
    this.own = [...this.loops.map(({y}) => y), ...this.constraints.map(({own}) => own)];  // what is not in x
    this.count = this.own.reduce((n, own) => n + own.length, model.nv);
    const coupled = new Set(model.couplings.flatMap(({terms}) => terms.map(([at]) => at)));
    const limited = new Set(model.joints.filter(joint => joint.lower !== undefined || joint.upper !== undefined).map(joint => joint.v));
    this.free = model.links.filter(({motion, q, v}) => motion === 'turn' && !coupled.has(q) && !limited.has(v)).map(({v}) => v);
    this.velocities = new Map(model.joints.filter(joint => joint.nq === joint.nv)
      .flatMap(joint => Array.from({length: joint.nv}, (_, k) => [joint.q + k, joint.v + k])));
  }
  ancestors(link) {
    const list = [];
    for (let i = link; i >= 0; i = this.model.links[i].parent) list.push(i);
    return list;
  }
  /** The poses of both ends of a loop. */
  ends(loop) {
    return [this.chain.pose(loop.from), this.chain.pose(loop.to)];
  }
  /** The joint's pose, A, and how far the other body is from it, r. */
  gap(loop) {
    const [from, to] = this.ends(loop);
    loop.own.update(loop.own.fromCanonical(loop.y, loop.q));
    const back = Screws.inverse(Screws.product(from, loop.own.pose(loop.end)));
    return {from, back, r: Screws.log(Screws.product(back, to))};
  }

  /** The gap of every loop, then what is left of the couplings and of the constraints. */
  residual(x) {
    this.chain.update(this.chain.fromCanonical(x, this.q));
    return [...this.loops.flatMap(loop => this.gap(loop).r), ...this.model.couplings.map(coupling => this.left(coupling)),
      ...this.constraints.flatMap(constraint => constraint.residual())];
  }
  left({terms, offset}) {
    return terms.reduce((sum, [i, c, f]) => sum + c * Closure.valueAt(f, this.q[i])[0], -offset);
  }
  /** How far all is from closed: the largest entry of the residual [rad, m]. */
  open(x) {
    return this.residual(x).reduce((most, r) => Math.max(most, Math.abs(r)), 0);
  }
  /** The value and the slope of the function of a term: a polynomial, or a cubic spline with straight ends or a period. */
  static valueAt(f, x) {
    if (f === undefined) return [x, 1];
    if (f.polynomial.length > 0) return f.polynomial.reduceRight(([sum, slope], c) => [sum * x + c, slope * x + sum], [0, 0]);
    const first = f.pieces[0][0], period = f.end - first;
    if (f.periodic) x -= period * Math.floor((x - first) / period);
    let k = f.pieces.findLastIndex(piece => piece[0] <= x);
    if (k < 0) k = 0;
    const [from, y, b, c, d] = f.pieces[k], s = Math.min(Math.max(x, first), f.end) - from;
    const slope = b + s * (2 * c + s * 3 * d), beyond = x - from - s;
    return [y + s * (b + s * (c + s * d)) + slope * beyond, slope];
  }

  /**
   * Equations of all loops, couplings and constraints at x: {row, right}, so that row . (dx, dy) = right closes them.
   * @param rolls  whether wheels roll to where it is closed
   */
  equations(x, rolls = this.rolls) {
    this.chain.update(this.chain.fromCanonical(x, this.q));
    const S = this.chain.worldScrews(x), n = this.count, out = [];
    let at = x.length;  // of the loop's own coordinates
    for (const loop of this.loops) {
      const {from, back, r} = this.gap(loop), six = Array.from({length: 6}, () => new Float64Array(n));
      const twist = new Float64Array(6), enter = (k, X, sign) => {
        Screws.Ad(back, X, twist);
        for (let i = 0; i < 6; ++i) six[i][k] += sign * twist[i];
      };
      for (const [i, sign] of loop.arms) {
        const link = this.model.links[i];
        for (let k = link.v; k < link.v + link.nv; ++k) enter(k, S[k], sign);
      }
      loop.own.worldScrews(loop.y).forEach((Y, k) => enter(at + k, Screws.Ad(from, Y), -1));
      at += loop.nv;
      six.forEach((row, i) => {
        const unit = i < 3 ? 1 : this.length;
        if (unit !== 1) for (let k = 0; k < n; ++k) row[k] /= unit;
        out.push({row, right: -r[i] / unit});
      });
    }
    for (const coupling of this.model.couplings) {
      const row = new Float64Array(n);
      for (const [i, c, f] of coupling.terms) row[this.velocities.get(i)] += c * Closure.valueAt(f, this.q[i])[1];
      out.push({row, right: -this.left(coupling)});
    }
    for (const constraint of this.constraints) {
      const rest = constraint.residual();
      const rows = [...constraint.rows(), ...(rolls ? constraint.rolling() : [])].map(given => this.rowOf(given, S, at));
      rows.forEach((row, k) => out.push({row, right: k < rest.length ? -rest[k] / this.length : 0}));
      at += constraint.own.length;
    }
    return out;
  }
  /** (1) of constraints.js, in the unit of lengths. @param at  where the own coordinates of the constraint are */
  rowOf({forces, own}, S, at) {
    const row = new Float64Array(this.count);
    for (const [body, p, f] of forces) {
      const moment = vectors.cross(p, f);
      for (const i of this.ancestors(body)) {
        const {v, nv} = this.model.links[i];
        for (let k = v; k < v + nv; ++k) row[k] += (vectors.dot(moment, S[k]) + vectors.dot(f, S[k].slice(3))) / this.length;
      }
    }
    if (own !== undefined) row[at] += own / this.length;
    return row;
  }
  /**
   * The shortest solution of equations, some of which may follow from others: Gram and Schmidt's method, the longest
   * row first; rows of which nothing remains are left out, and the largest of their right sides is `against`.
   */
  static shortest(equations, n) {
    const dot = (a, b) => {
      let sum = 0;
      for (let k = 0; k < n; ++k) sum += a[k] * b[k];
      return sum;
    };
    const rows = equations.map(({row, right}) => ({row: Float64Array.from(row), right, square: dot(row, row)}));
    const solution = new Float64Array(n), least = 1e-16 * rows.reduce((most, {square}) => Math.max(most, square), 0);
    while (rows.length > 0) {
      const best = rows.reduce((found, {square}, i) => (square > rows[found].square ? i : found), 0);
      if (!(rows[best].square > least)) {
        solution.against = Math.max(...rows.map(({right}) => Math.abs(right)));
        break;
      }
      const [{row, right, square}] = rows.splice(best, 1), value = right / square;
      for (let k = 0; k < n; ++k) solution[k] += value * row[k];
      for (const other of rows) {
        const along = dot(other.row, row) / square;
        for (let k = 0; k < n; ++k) other.row[k] -= along * row[k];
        other.right -= along * right;
        other.square = dot(other.row, other.row);
      }
    }
    return solution;
  }

  /** Coordinates of joints and loops, to come back to. */
  save(x) {
    return {x: Float64Array.from(x), own: this.own.map(own => Float64Array.from(own))};
  }
  restore(x, saved) {
    x.set(saved.x);
    this.own.forEach((own, i) => own.set(saved.own[i]));
  }
  add(x, step) {
    let at = x.length;
    x.forEach((_, i) => { x[i] += step[i]; });
    for (const own of this.own) for (let k = 0; k < own.length; ++k) own[k] += step[at++];
  }
  /** The shortest step that fulfills the equations while the held coordinates stay. */
  stepWith(equations, held) {
    for (const {row} of equations) for (const k of held) row[k] = 0;
    return Closure.shortest(equations, this.count);
  }
  /** The change of all coordinates over that of coordinate i. */
  tangent(x, i) {
    const step = this.stepWith(this.equations(x).map(({row}) => ({row, right: -row[i]})), [i]);
    step[i] = 1;
    return step;
  }
  /** Moves coordinate i by h along the tangent; where wheels roll, by the method of Runge and Kutta, since no correction follows. */
  travel(x, i, h, tangent) {
    const before = this.save(x), sum = Float64Array.from(tangent);
    let slope = tangent;
    for (const [part, weight] of this.rolls ? [[0.5, 2], [0.5, 2], [1, 1]] : []) {
      this.add(x, slope.map(a => part * h * a));
      slope = this.tangent(x, i);
      slope.forEach((a, k) => { sum[k] += weight * a; });
      this.restore(x, before);
    }
    this.add(x, sum.map(a => (this.rolls ? h / 6 : h) * a));
  }

  /**
   * Changes x so that all is closed, by Newton's method with least steps. If that fails, nothing is changed.
   * @param held  entries of x that stay
   * @param most  the length of all steps together [rad, length]
   * @return whether it is closed
   */
  close(x, held = [], most = Infinity) {
    const before = this.save(x), moves = most < Infinity;
    if (!moves) {
      this.residual(x);
      for (const constraint of this.constraints) constraint.start();
    }
    let last = Infinity, way = 0;
    for (let iteration = 0; iteration < 60; ++iteration) {
      const size = this.open(x);
      if (size <= 1e-13 || (size <= Closure.closed && !(size < 0.5 * last))) return true;
      if (!Number.isFinite(size) || way > most || (moves && iteration > 1 && !(size < last))) break;
      last = size;
      const step = this.stepWith(this.equations(x, moves && this.rolls), held);
      const length = Math.hypot(...step), scale = length > 0.5 ? 0.5 / length : 1;
      this.add(x, step.map(a => scale * a));
      way += scale * length;
    }
    this.restore(x, before);
    return false;
  }

  /**
   * Moves coordinate i to a value while all stays closed, by steps: along the tangent, then Newton's method. A step is
   * halved if that does not contract, so that the mechanism is never exchanged for another assembly of it.
   * @return the value that was reached: the asked one, or the last at which all was closed
   */
  move(x, i, value) {
    if (!(this.open(x) <= Closure.closed) && !this.close(x)) return x[i];
    const unit = this.unitOf(i), reach = this.rolls ? 0.1 : 0.6;
    let h = value - x[i], growth = 2;
    for (let count = 0; x[i] !== value && count < 40 / reach * (this.rolls ? 10 : 6); ++count) {
      if (Math.abs(h) >= Math.abs(value - x[i])) h = value - x[i];
      const step = this.tangent(x, i);
      let speed = 0;  // of all coordinates, over that of this one
      for (let k = 0; k < this.count; ++k) speed = Math.hypot(speed, k < x.length ? step[k] * unit / this.unitOf(k) : step[k] * unit);
      if (step.against > 1e-6 || speed > 1e4) break;  // it is locked, or at a point where it turns back
      const longest = reach * unit / speed;
      if (Math.abs(h) > longest) h = Math.sign(h) * longest;
      const before = this.save(x);
      this.travel(x, i, h, step);
      if (h === value - before.x[i]) x[i] = value;
      if (this.close(x, [i], 0.5 * speed * Math.abs(h) / unit + 1e-6)) {
        h *= growth;
        continue;
      }
      this.restore(x, before);
      h /= 4, growth = 1.5;
      if (Math.abs(h) < 2e-4 * unit) break;
    }
    this.wrap(x, i);
    return x[i];
  }
  /**
   * Whole turns are taken off angles that have neither limits nor couplings, and rotation vectors longer than half a turn
   * go the other way round; but not those of the joint that has coordinate i.
   */
  wrap(x, i) {
    for (const k of this.free) if (k !== i && Math.abs(x[k]) > Math.PI) x[k] -= 2 * Math.PI * Math.round(x[k] / (2 * Math.PI));
    const shorten = (coordinates, links) => {
      for (const {motion, v} of links) {
        if (!['ball', 'rigid', 'direct'].includes(motion)) continue;
        const angle = Math.hypot(coordinates[v], coordinates[v + 1], coordinates[v + 2]);
        if (!(angle > Math.PI)) continue;
        if (motion === 'rigid') {
          coordinates.set(Screws.log(Screws.exp(coordinates.subarray(v, v + 6), 1)), v);
        } else {
          for (let k = v; k < v + 3; ++k) coordinates[k] *= 1 - 2 * Math.PI / angle;
        }
      }
    };
    shorten(x, this.model.links.filter(({v, nv}) => i < v || i >= v + nv));
    for (const loop of this.loops) shorten(loop.y, loop.links);
  }
  unitOf(i) {
    if (!this.units) this.units = Float64Array.from(this.model.joints.flatMap(joint => joint.units.slice(0, joint.nv)), u => (u === 'rad' ? 1 : this.length));
    return this.units[i];
  }
}
/** Residuals of closed loops [rad, m]. */
Closure.closed = 1e-10;
