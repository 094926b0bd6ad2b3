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
    const [xx, xy, xz, yx, yy, yz, zx, zy, zz, x, y, z] = a;
    return Float64Array.of(xx, yx, zx, xy, yy, zy, xz, yz, zz,
      -(xx * x + yx * y + zx * z), -(xy * x + yy * y + zy * z), -(xz * x + yz * y + zz * z));
  }
  /** The point a p. */
  function apply(a, p) {
    return [0, 1, 2].map(i => a[3 * i] * p[0] + a[3 * i + 1] * p[1] + a[3 * i + 2] * p[2] + a[9 + i]);
  }

  /**
   * exp(Y q): Rodrigues' formula for R and, with w = |w| u and the point c = w x v / |w|^2 of the axis,
   *
   *     r = (1 - R) c + u u.v q          the screw: a turn about its axis, and a slide along it
   */
  function exp(Y, q, out = new Float64Array(12)) {
    const length = Math.hypot(Y[0], Y[1], Y[2]);
    if (length * Math.abs(q) < 1e-12) {
      out.fill(0);
      out[0] = out[4] = out[8] = 1;
      // To first order R = 1 + q w~; it keeps small steps exact.
      out[5] = -(out[7] = q * Y[0]), out[6] = -(out[2] = q * Y[1]), out[1] = -(out[3] = q * Y[2]);
      for (let i = 0; i < 3; ++i) out[9 + i] = Y[3 + i] * q;
      return out;
    }
    const x = Y[0] / length, y = Y[1] / length, z = Y[2] / length, angle = length * q;
    const s = Math.sin(angle), half = Math.sin(angle / 2), k = 2 * half * half, c = 1 - k;
    out[0] = c + k * x * x, out[1] = k * x * y - s * z, out[2] = k * x * z + s * y;
    out[3] = k * x * y + s * z, out[4] = c + k * y * y, out[5] = k * y * z - s * x;
    out[6] = k * x * z - s * y, out[7] = k * y * z + s * x, out[8] = c + k * z * z;
    const a = Y[3] / length, b = Y[4] / length, d = Y[5] / length;
    const px = y * d - z * b, py = z * a - x * d, pz = x * b - y * a;  // on the axis
    const slide = (x * a + y * b + z * d) * angle;
    out[9] = px - (out[0] * px + out[1] * py + out[2] * pz) + x * slide;
    out[10] = py - (out[3] * px + out[4] * py + out[5] * pz) + y * slide;
    out[11] = pz - (out[6] * px + out[7] * py + out[8] * pz) + z * slide;
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

  return {identity, product, inverse, apply, exp, log, quaternion, fromQuaternion};
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
