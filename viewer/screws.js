'use strict';
// Rigid motions and screws. A motion is twelve numbers: the rows of its rotation, then its position. A
// twist is six: angular, then linear.

const Screws = (() => {
  const identity = () => Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0);

  /** out = a b */
  function product(a, b, out = new Float64Array(12)) {
    for (let i = 0; i < 3; ++i) {
      const x = a[3 * i], y = a[3 * i + 1], z = a[3 * i + 2];
      out[3 * i] = x * b[0] + y * b[3] + z * b[6];
      out[3 * i + 1] = x * b[1] + y * b[4] + z * b[7];
      out[3 * i + 2] = x * b[2] + y * b[5] + z * b[8];
      out[9 + i] = x * b[9] + y * b[10] + z * b[11] + a[9 + i];
    }
    return out;
  }
  function inverse(a) {
    const x = a[9], y = a[10], z = a[11];
    return Float64Array.of(a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8], -(a[0] * x + a[3] * y + a[6] * z),
      -(a[1] * x + a[4] * y + a[7] * z), -(a[2] * x + a[5] * y + a[8] * z));
  }
  /** The point a p. */
  function apply(a, p) {
    return [0, 1, 2].map(i => a[3 * i] * p[0] + a[3 * i + 1] * p[1] + a[3 * i + 2] * p[2] + a[9 + i]);
  }

  /**
   * exp(Y q): Rodrigues' formula for R and, with w and v of Y q and the angle p = |w|,
   *
   *     r = v + (1 - cos p)/p^2 w x v + (p - sin p)/p^3 w x (w x v)
   *
   * which is exact for small angles as well; the axis of such a screw may be far away.
   */
  function exp(Y, q, out = new Float64Array(12)) {
    const length = Math.hypot(Y[0], Y[1], Y[2]);
    if (length * Math.abs(q) < 1e-12) {
      out.fill(0);
      out[0] = out[4] = out[8] = 1;
      // To first order R = 1 + q w~ and r = q (v + q w x v / 2); it keeps small steps exact.
      out[5] = -(out[7] = q * Y[0]), out[6] = -(out[2] = q * Y[1]), out[1] = -(out[3] = q * Y[2]);
      out[9] = q * (Y[3] + (out[1] * Y[4] + out[2] * Y[5]) / 2);
      out[10] = q * (Y[4] + (out[3] * Y[3] + out[5] * Y[5]) / 2);
      out[11] = q * (Y[5] + (out[6] * Y[3] + out[7] * Y[4]) / 2);
      return out;
    }
    const x = Y[0] / length, y = Y[1] / length, z = Y[2] / length, angle = length * q;
    const s = Math.sin(angle), half = Math.sin(angle / 2), k = 2 * half * half, c = 1 - k;
    out[0] = c + k * x * x, out[1] = k * x * y - s * z, out[2] = k * x * z + s * y;
    out[3] = k * x * y + s * z, out[4] = c + k * y * y, out[5] = k * y * z - s * x;
    out[6] = k * x * z - s * y, out[7] = k * y * z + s * x, out[8] = c + k * z * z;
    const a = Y[3] * q, b = Y[4] * q, d = Y[5] * q, once = k / angle, twice = (angle - s) / angle;
    const ux = y * d - z * b, uy = z * a - x * d, uz = x * b - y * a;
    out[9] = a + once * ux + twice * (y * uz - z * uy);
    out[10] = b + once * uy + twice * (z * ux - x * uz);
    out[11] = d + once * uz + twice * (x * uy - y * ux);
    return out;
  }

  /** A rotation as a unit quaternion (w, x, y, z), by the largest of the four. */
  function quaternion(C) {
    const [xx, xy, xz, yx, yy, yz, zx, zy, zz] = C;
    const squares = [1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz];
    const k = squares.indexOf(Math.max(...squares)), d = 2 * Math.sqrt(squares[k]);
    const rows = [[d * d / 4, zy - yz, xz - zx, yx - xy], [zy - yz, d * d / 4, xy + yx, xz + zx],
      [xz - zx, xy + yx, d * d / 4, yz + zy], [yx - xy, xz + zx, yz + zy, d * d / 4]];
    return rows[k].map(a => a / d);
  }
  /** The motion of a quaternion, of any length, and a position. */
  function fromQuaternion(w, x, y, z, rx, ry, rz, out = new Float64Array(12)) {
    const s = 2 / (w * w + x * x + y * y + z * z);
    out[0] = 1 - s * (y * y + z * z), out[1] = s * (x * y - w * z), out[2] = s * (x * z + w * y);
    out[3] = s * (x * y + w * z), out[4] = 1 - s * (x * x + z * z), out[5] = s * (y * z - w * x);
    out[6] = s * (x * z - w * y), out[7] = s * (y * z + w * x), out[8] = 1 - s * (x * x + y * y);
    out[9] = rx, out[10] = ry, out[11] = rz;
    return out;
  }

  /** The twist X with exp(X) = C: the angle of the rotation is at most pi. */
  function log(C) {
    const [w, x, y, z] = quaternion(C), sign = w < 0 ? -1 : 1, sine = Math.hypot(x, y, z);
    const angle = 2 * Math.atan2(sine, Math.abs(w)), k = sine < 1e-12 ? 2 : angle / sine;
    const a = sign * k * x, b = sign * k * y, c = sign * k * z, r = C.slice(9);
    // v = r - w x r / 2 + e w x (w x r), e = (1 - |w|/2 cot(|w|/2)) / |w|^2
    const e = angle < 1e-4 ? 1 / 12 : (1 - angle / 2 / Math.tan(angle / 2)) / (angle * angle);
    const cross = p => [b * p[2] - c * p[1], c * p[0] - a * p[2], a * p[1] - b * p[0]];
    const once = cross(r), twice = cross(once);
    return [a, b, c, ...[0, 1, 2].map(i => r[i] - once[i] / 2 + e * twice[i])];
  }

  /** The twist X in other axes: Ad_C (w, v) = (R w, R v + r x R w). */
  function Ad(C, X, out = new Float64Array(6)) {
    for (let i = 0; i < 3; ++i) {
      out[i] = C[3 * i] * X[0] + C[3 * i + 1] * X[1] + C[3 * i + 2] * X[2];
      out[3 + i] = C[3 * i] * X[3] + C[3 * i + 1] * X[4] + C[3 * i + 2] * X[5];
    }
    out[3] += C[10] * out[2] - C[11] * out[1];
    out[4] += C[11] * out[0] - C[9] * out[2];
    out[5] += C[9] * out[1] - C[10] * out[0];
    return out;
  }
  /** ad_X Y = (w x w', w x v' + v x w') */
  function ad(X, Y) {
    const a = X[0], b = X[1], c = X[2], d = X[3], e = X[4], f = X[5], u = Y[0], v = Y[1], w = Y[2], x = Y[3], y = Y[4], z = Y[5];
    return Float64Array.of(b * w - c * v, c * u - a * w, a * v - b * u,
      b * z - c * y + e * w - f * v, c * x - a * z + f * u - d * w, a * y - b * x + d * v - e * u);
  }
  /**
   * dexp_X Y, so that d/dt exp(X) = hat(dexp_X X') exp(X): the sum of ad_X^n Y / (n + 1)!. With angle p of X it ends
   * after the fourth power, since ad^5 + 2 p^2 ad^3 + p^4 ad = 0.
   */
  function dexp(X, Y) {
    const p = Math.hypot(X[0], X[1], X[2]), sum = Float64Array.from(Y);
    let term = sum;
    if (p > 0.5) {
      const s = Math.sin(p), c = Math.cos(p), p2 = p * p;
      for (const factor of [(4 - p * s - 4 * c) / (2 * p2), (4 * p - 5 * s + p * c) / (2 * p2 * p),
        (2 - p * s - 2 * c) / (2 * p2 * p2), (2 * p - 3 * s + p * c) / (2 * p2 * p2 * p)]) {
        term = ad(X, term);
        for (let k = 0; k < 6; ++k) sum[k] += factor * term[k];
      }
      return sum;
    }
    for (let n = 2; n < 20; ++n) {  // ad^n Y is of order p^(n - 1)
      term = ad(X, term);
      for (let k = 0; k < 6; ++k) sum[k] += term[k] /= n;
    }
    return sum;
  }

  return {identity, product, inverse, apply, exp, log, quaternion, fromQuaternion, Ad, ad, dexp};
})();

/**
 * A mechanism as a product of exponentials. Link i moves by E_i(q_i) against its parent, written in the
 * world as it is at q = 0, so that a place with pose A there is at
 *
 *     C = D_i A,   D_i = D_parent E_i(q_i),   E_i = exp(Y_i q_i)  or  J_i T(q_i) J_i^-1
 *
 * the latter for joints whose coordinates are a quaternion, and a position: T is on a group.
 */
class Chain {
  constructor(links) {
    this.links = links;
    this.inverses = links.map(link => Screws.inverse(link.J));
    this.D = links.map(Screws.identity);
    this.E = Screws.identity();
    this.T = Screws.identity();
  }

  /** D of every link at q. */
  update(q) {
    this.links.forEach((link, i) => {
      const E = this.motion(link, i, q);
      if (link.parent < 0) this.D[i].set(E);
      else Screws.product(this.D[link.parent], E, this.D[i]);
    });
    return this;
  }
  motion(link, i, q) {
    const at = link.q;
    switch (link.motion) {
      case 'ball':
        Screws.fromQuaternion(q[at], q[at + 1], q[at + 2], q[at + 3], 0, 0, 0, this.T);
        break;
      case 'rigid':
      case 'direct': {
        let r = [q[at + 4], q[at + 5], q[at + 6]];
        if (link.Q) r = Screws.apply(link.Q, r);
        Screws.fromQuaternion(q[at], q[at + 1], q[at + 2], q[at + 3], ...r, this.T);
        break;
      }
      case 'exponential': {
        const sum = [0, 0, 0, 0, 0, 0];
        link.Y.forEach((Y, k) => Y.forEach((y, j) => { sum[j] += y * q[at + k]; }));
        return Screws.exp(sum, 1, this.E);
      }
      default:
        return Screws.exp(link.Y[0], q[at], this.E);
    }
    return Screws.product(Screws.product(link.J, this.T), this.inverses[i], this.E);
  }
  /** The pose of a place {link, A}. */
  pose(place, out) {
    if (place.link < 0) return Float64Array.from(place.A);
    return Screws.product(this.D[place.link], place.A, out);
  }

  /** The velocity of link i for unit velocities of its canonical coordinates: twists in the world at q = 0, D_parent = 1. */
  motionScrews(link, x) {
    const own = x.subarray(link.v, link.v + link.nv);
    if (link.motion === 'exponential') {
      const sum = new Float64Array(6);
      link.Y.forEach((Y, k) => Y.forEach((y, j) => { sum[j] += y * own[k]; }));
      return link.Y.map(Y => Screws.dexp(sum, Y));
    }
    if (link.motion !== 'ball' && link.motion !== 'rigid' && link.motion !== 'direct') return [link.Y[0]];
    // T = (R, p) with p = Q r: its twist is (w, Q r' - w x p).
    const rigid = link.motion === 'rigid', X = Float64Array.of(own[0], own[1], own[2], 0, 0, 0);
    if (rigid) X.set(own.subarray(3), 3);
    const r = rigid ? Screws.exp(X, 1).slice(9) : link.motion === 'direct' ? own.slice(3) : [0, 0, 0];
    const p = link.Q ? Screws.apply(link.Q, r) : r;
    return Array.from(own, (_, k) => {
      const unit = new Float64Array(6);
      unit[k] = 1;
      let w = [0, 0, 0], rate = [unit[3], unit[4], unit[5]];
      if (k < 3 || rigid) {
        const V = Screws.dexp(X, unit);
        w = V.slice(0, 3);
        if (rigid) rate = [V[3] + w[1] * r[2] - w[2] * r[1], V[4] + w[2] * r[0] - w[0] * r[2], V[5] + w[0] * r[1] - w[1] * r[0]];
      }
      if (link.Q) rate = [0, 3, 6].map(i => link.Q[i] * rate[0] + link.Q[i + 1] * rate[1] + link.Q[i + 2] * rate[2]);
      return Screws.Ad(link.J, Float64Array.of(...w, rate[0] - w[1] * p[2] + w[2] * p[1],
        rate[1] - w[2] * p[0] + w[0] * p[2], rate[2] - w[0] * p[1] + w[1] * p[0]));
    });
  }
  /** The screw of every canonical coordinate in the world, S_k = Ad(D_parent) dE E^-1, at the D of `update`. */
  worldScrews(x) {
    const S = [];
    for (const link of this.links)
      this.motionScrews(link, x).forEach((Y, k) => { S[link.v + k] = link.parent < 0 ? Y : Screws.Ad(this.D[link.parent], Y); });
    return S;
  }

  /** Coordinates q from canonical ones, x: exp(x) for quaternions and positions, nv numbers in all. */
  fromCanonical(x, q) {
    for (const link of this.links) {
      const n = link.v;
      if (link.motion !== 'ball' && link.motion !== 'rigid' && link.motion !== 'direct') {
        for (let k = 0; k < link.nv; ++k) q[link.q + k] = x[n + k];
        continue;
      }
      const v = link.motion === 'rigid' ? [x[n + 3], x[n + 4], x[n + 5]] : [0, 0, 0];
      const T = Screws.exp([x[n], x[n + 1], x[n + 2], ...v], 1);
      Screws.quaternion(T).forEach((a, k) => { q[link.q + k] = a; });
      const r = link.motion === 'direct' ? [x[n + 3], x[n + 4], x[n + 5]] : T.slice(9);
      if (link.motion !== 'ball') for (let k = 0; k < 3; ++k) q[link.q + 4 + k] = r[k];
    }
    return q;
  }
  toCanonical(q, x) {
    for (const link of this.links) {
      const at = link.q, n = link.v;
      if (link.motion !== 'ball' && link.motion !== 'rigid' && link.motion !== 'direct') {
        for (let k = 0; k < link.nv; ++k) x[n + k] = q[at + k];
        continue;
      }
      const r = link.motion === 'rigid' ? [q[at + 4], q[at + 5], q[at + 6]] : [0, 0, 0];
      const X = Screws.log(Screws.fromQuaternion(q[at], q[at + 1], q[at + 2], q[at + 3], ...r));
      for (let k = 0; k < link.nv; ++k) x[n + k] = X[k];
      if (link.motion === 'direct') for (let k = 0; k < 3; ++k) x[n + 3 + k] = q[at + 4 + k];
    }
    return x;
  }
}
