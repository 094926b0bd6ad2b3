'use strict';
// Loops: how far they are open, and coordinates that close them.

class Closure {
  constructor(model, chain) {
    Object.assign(this, {model, chain});
    this.q = new Float64Array(model.nq);
    this.loops = model.loops.map(loop => {
      const own = new Chain(loop.links), nv = loop.links.reduce((n, link) => n + link.nv, 0);
      return {...loop, own, nv, q: Float64Array.from(loop.neutral), y: new Float64Array(nv)};
    });
  }
  /** The distance of the ends of each loop, from the joint's place on the one body to the other [m]. */
  ends(loop) {
    return [this.chain.pose(loop.from), this.chain.pose(loop.to)];
  }

  /** log((C_from J(y))^-1 C_to) of every loop, then what is left of the couplings. */
  residual(x) {
    this.chain.update(this.chain.fromCanonical(x, this.q));
    const out = [];
    for (const loop of this.loops) {
      const [from, to] = this.ends(loop);
      loop.own.update(loop.own.fromCanonical(loop.y, loop.q));
      const joint = Screws.product(from, loop.own.pose(loop.end));
      out.push(...Screws.log(Screws.product(Screws.inverse(joint), to)));
    }
    for (const {terms, offset} of this.model.couplings)
      out.push(terms.reduce((sum, [i, c, f]) => sum + c * Closure.valueAt(f, this.q[i]), -offset));
    return out;
  }
  /** The value of the function of a term: a polynomial, or a cubic spline with straight ends or a period. */
  static valueAt(f, x) {
    if (f === undefined) return x;
    if (f.polynomial.length > 0) return f.polynomial.reduceRight((sum, c) => sum * x + c, 0);
    const first = f.pieces[0][0], period = f.end - first;
    if (f.periodic) x -= period * Math.floor((x - first) / period);
    let k = f.pieces.findLastIndex(piece => piece[0] <= x);
    if (k < 0) k = 0;
    const [from, y, b, c, d] = f.pieces[k], s = Math.min(Math.max(x, first), f.end) - from;
    const slope = b + s * (2 * c + s * 3 * d), beyond = x - from - s;
    return y + s * (b + s * (c + s * d)) + slope * beyond;
  }

  /**
   * Changes x so that all is closed, as little as it takes: Newton's method with least steps,
   * dx = -B^T (B B^T)^-1 residual, B by differences.
   * @param held  entries of x that stay
   * @return whether it is closed
   */
  close(x, held = new Set()) {
    const unknowns = [];  // [array, index]
    for (let i = 0; i < x.length; ++i) if (!held.has(i)) unknowns.push([x, i]);
    for (const loop of this.loops) for (let k = 0; k < loop.nv; ++k) unknowns.push([loop.y, k]);
    for (let iteration = 0; iteration < 30; ++iteration) {
      const r = this.residual(x), size = Math.max(0, ...r.map(Math.abs));
      if (!(size > 1e-10)) return true;
      const h = 1e-6, B = unknowns.map(([array, i]) => {
        const before = array[i];
        array[i] = before + h;
        const plus = this.residual(x);
        array[i] = before - h;
        const minus = this.residual(x);
        array[i] = before;
        return plus.map((a, k) => (a - minus[k]) / (2 * h));
      });
      const S = r.map((_, i) => r.map((__, j) => B.reduce((sum, b) => sum + b[i] * b[j], 0)));
      const y = Closure.solve(S, r);
      const steps = B.map(b => b.reduce((sum, a, i) => sum + a * y[i], 0));
      const longest = Math.max(...steps.map(Math.abs)), scale = longest > 0.5 ? 0.5 / longest : 1;
      unknowns.forEach(([array, i], k) => { array[i] -= scale * steps[k]; });
    }
    return false;
  }
  /** Gauss's elimination of a symmetric matrix that may be singular: rows without pivot are zero. */
  static solve(S, r) {
    const n = r.length, a = S.map((row, i) => [...row, r[i]]);
    const tiny = 1e-11 * Math.max(...S.map((row, i) => row[i]), 1e-300), used = new Array(n).fill(false);
    const pivots = [];
    for (;;) {
      let best = -1;
      for (let i = 0; i < n; ++i) if (!used[i] && (best < 0 || a[i][i] > a[best][best])) best = i;
      if (best < 0 || !(a[best][best] > tiny)) break;
      used[best] = true;
      pivots.push(best);
      for (let i = 0; i < n; ++i) {
        if (i === best || a[i][best] === 0) continue;
        const factor = a[i][best] / a[best][best];
        for (let j = 0; j <= n; ++j) a[i][j] -= factor * a[best][j];
      }
    }
    const x = new Array(n).fill(0);
    for (const i of pivots) x[i] = a[i][n] / a[i][i];
    return x;
  }
}
