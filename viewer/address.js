'use strict';
// The part of the address after #: a moment and a view, `#t=1.5&camera=x,y,z,x,y,z&run=1&play=0&embed`. A moment
// is shown still unless `play=1`.

class Address {
  constructor(hash = location.hash) {
    this.values = new Map(hash.replace(/^#/, '').split('&').filter(Boolean).map(part => {
      const at = part.indexOf('=');
      return at < 0 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)];
    }));
  }
  has(key) {
    return this.values.has(key);
  }
  /** A number; null if it is missing or not one. */
  number(key) {
    const x = this.values.has(key) && this.values.get(key) !== '' ? Number(this.values.get(key)) : NaN;
    return Number.isFinite(x) ? x : null;
  }
  /** The eye and the point it looks at: six numbers, or null. */
  camera() {
    const x = (this.values.get('camera') || '').split(',').map(Number);
    return x.length === 6 && x.every(Number.isFinite) ? x : null;
  }
  static of({t, camera, run, orthographic}) {
    const parts = [];
    if (t !== undefined) parts.push(`t=${Number(t.toPrecision(9))}`);
    if (camera) parts.push(`camera=${camera.map(x => Number(x.toPrecision(5))).join(',')}`);
    if (orthographic) parts.push('orthographic');
    if (run) parts.push(`run=${run}`);
    return '#' + parts.join('&');
  }
}
