'use strict';
// Numbers of a run, as the report holds them.

function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}
const doublesOf = base64 => new Float64Array(bytesOf(base64).buffer);

/** x = least + k step, where k has 2, 3 or 4 bytes; the largest k is not a number. */
class Table {
  constructor({rows, columns, bytes, least, step, data}) {
    Object.assign(this, {rows, columns, bytes, least, step});
    const raw = bytesOf(data);
    this.nan = 256 ** bytes - 1;
    if (bytes === 4) {
      this.codes = new Uint32Array(raw.buffer, 0, rows * columns);
    } else if (bytes === 2) {
      this.codes = new Uint16Array(raw.buffer, 0, rows * columns);
    } else {
      this.codes = new Uint32Array(rows * columns);
      for (let i = 0; i < this.codes.length; ++i)
        this.codes[i] = raw[3 * i] | raw[3 * i + 1] << 8 | raw[3 * i + 2] << 16;
    }
  }
  at(row, column) {
    const k = this.codes[row * this.columns + column];
    return k === this.nan ? NaN : this.least[column] + k * this.step[column];
  }
  column(c) {
    return Float64Array.from({length: this.rows}, (_, row) => this.at(row, c));
  }
}

/** The last of increasing times that is not after t; 0 if all are. */
function lastBefore(times, t) {
  let low = 0, high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** A run: its numbers, and its configuration at any time. */
class Run {
  constructor(data) {
    Object.assign(this, data);
    this.t = doublesOf(data.t);
    this.steps = doublesOf(data.steps);
    this.table = new Table(data.table);
    this.start = this.t[0];
    this.end = this.t[this.t.length - 1];
    if (this.model) this.q = new Float64Array(this.model.nq);
  }
  /** The last sample that is not after t. */
  rowAt(t) {
    return lastBefore(this.t, t);
  }
  /** Between samples coordinates are cubic, with slopes from the samples on both sides: joints turn and slide along their screws. */
  configuration(t) {
    const {table, q} = this, row = this.rowAt(t), next = Math.min(row + 1, this.t.length - 1);
    const h = this.t[next] - this.t[row], s = h > 0 ? Math.min(Math.max((t - this.t[row]) / h, 0), 1) : 0;
    if (s === 0) {
      for (let i = 0; i < q.length; ++i) q[i] = table.at(row, i);
      return q;
    }
    const before = Math.max(row - 1, 0), after = Math.min(next + 1, this.t.length - 1);
    const low = h / (this.t[next] - this.t[before]), high = h / (this.t[after] - this.t[row]);
    const up = s * s * (3 - 2 * s), bend = s * (1 - s) * (1 - s), back = s * s * (s - 1);
    for (let i = 0; i < q.length; ++i) {
      const a = table.at(row, i), b = table.at(next, i);
      q[i] = a + up * (b - a) + bend * low * (b - table.at(before, i)) + back * high * (table.at(after, i) - a);
    }
    return q;
  }
}
