'use strict';
// Shapes of unit size that stretch without losing their rounding: a vertex is at
//
//     corner * stretch + position * extent
//
// with the corner of -1, 0 and 1 that it belongs to, and stretch and extent of every instance. A rounded box of edges e
// and radius r has stretch = e / 2 - r, extent = r; a bar, a cylinder and a capsule are stretched along one axis.
// Edges are segments between such vertices.

class ShapeBuilder {
  constructor() {
    Object.assign(this, {positions: [], corners: [], normals: [], indices: [], edges: []});
  }
  vertex(position, corner, normal = position) {
    const length = Math.hypot(...normal) || 1;
    this.positions.push(...position);
    this.corners.push(...corner);
    this.normals.push(...normal.map(x => x / length));
    return this.positions.length / 3 - 1;
  }
  quad(a, b, c, d) {
    this.indices.push(a, b, c, a, c, d);
  }
  edge(a, cornerA, b, cornerB) {
    this.edges.push([...a, ...cornerA, ...b, ...cornerB]);
  }
  /** A closed or open strip between rows of as many vertices each. */
  surface(rows) {
    for (let i = 0; i + 1 < rows.length; ++i)
      for (let k = 0; k + 1 < rows[i].length; ++k) this.quad(rows[i][k], rows[i][k + 1], rows[i + 1][k + 1], rows[i + 1][k]);
  }
  build() {
    const geometry = new THREE.BufferGeometry(), attribute = data => new THREE.BufferAttribute(new Float32Array(data), 3);
    geometry.setIndex(this.indices);
    geometry.setAttribute('position', attribute(this.positions));
    geometry.setAttribute('corner', attribute(this.corners));
    geometry.setAttribute('normal', attribute(this.normals));
    return {geometry, edges: this.edges};
  }
}

/** Six faces, each a grid whose lines are bent by tan(angle) toward the neighbors. */
function roundedBox(steps) {
  const b = new ShapeBuilder(), lines = [];
  for (const side of [-1, 1])
    for (let i = 0; i <= steps; ++i) {
      const angle = side < 0 ? i / steps - 1 : i / steps;
      lines.push([side, Math.tan(angle * Math.PI / 4)]);
    }
  for (let axis = 0; axis < 3; ++axis)
    for (const side of [-1, 1]) {
      const u = (axis + 1) % 3, v = (axis + 2) % 3;
      const rows = lines.map(([cornerV, tv]) => (side > 0 ? lines : [...lines].reverse()).map(([cornerU, tu]) => {
        const position = [0, 0, 0], corner = [0, 0, 0], length = Math.hypot(tu, tv, 1);
        position[axis] = side / length, position[u] = tu / length, position[v] = tv / length;
        corner[axis] = side, corner[u] = cornerU, corner[v] = cornerV;
        return b.vertex(position, corner);
      }));
      b.surface(rows);
    }
  for (let axis = 0; axis < 3; ++axis)
    for (const s of [-1, 1])
      for (const t of [-1, 1]) {
        const position = [s, s, s], from = [s, s, s], to = [s, s, s], h = Math.SQRT1_2;
        const u = (axis + 1) % 3, v = (axis + 2) % 3;
        position[axis] = 0, position[u] = s * h, position[v] = t * h;
        from[u] = to[u] = s, from[v] = to[v] = t, from[axis] = -1, to[axis] = 1;
        b.edge(position, from, position, to);
      }
  return b.build();
}

/** A closed outline [x, y, corner x], extruded along z between bevels: a plate whose edges shine. */
function plate(outline, bevel, cornerZ) {
  const b = new ShapeBuilder(), n = outline.length, shoulder = cornerZ ? 0 : 1 - 2 * bevel;
  const ring = (scale, z, corner, normal) => [...outline, outline[0]].map(([x, y, cx]) =>
    b.vertex([x * scale, y * scale, z], [cx, 0, corner], normal(x, y)));
  for (const side of [-1, 1]) {
    const up = () => [0, 0, side], center = [b.vertex([0, 0, side], [1, 0, cornerZ * side], up()), b.vertex([0, 0, side], [-1, 0, cornerZ * side], up())];
    const cap = ring(1 - bevel, side, cornerZ * side, up);
    for (let i = 0; i < n; ++i) {
      const [cx, next] = [outline[i][2], outline[(i + 1) % n][2]], middle = center[cx >= 0 ? 0 : 1];
      const order = (p, q, r) => (side > 0 ? b.indices.push(p, q, r) : b.indices.push(p, r, q));
      order(middle, cap[i], cap[i + 1]);
      if (cx !== next) order(middle, cap[i + 1], center[next >= 0 ? 0 : 1]);
    }
    const slope = (x, y) => [x, y, side];
    const rows = [ring(1 - bevel, side, cornerZ * side, slope), ring(1, side * shoulder, cornerZ * side, slope)];
    b.surface(side > 0 ? [rows[1], rows[0]] : rows);
    for (let i = 0; i < n; ++i) {
      const [p, q] = [outline[i], outline[(i + 1) % n]], s = 1 - bevel / 2, z = side * (1 + shoulder) / 2;
      b.edge([p[0] * s, p[1] * s, z], [p[2], 0, cornerZ * side], [q[0] * s, q[1] * s, z], [q[2], 0, cornerZ * side]);
    }
  }
  const round = (x, y) => [x, y, 0];
  b.surface([ring(1, -shoulder, -cornerZ, round), ring(1, shoulder, cornerZ, round)]);
  return b.build();
}
const circle = n => Array.from({length: n}, (_, i) => [Math.cos(2 * Math.PI * i / n), Math.sin(2 * Math.PI * i / n), 0]);
/** Two half circles around the ends of a link. */
function stadium(n) {
  const arc = (from, corner) => Array.from({length: n + 1}, (_, i) => {
    const angle = from + Math.PI * i / n;
    return [Math.cos(angle), Math.sin(angle), corner];
  });
  return [...arc(-Math.PI / 2, 1), ...arc(Math.PI / 2, -1)];
}
/** A sphere; the halves may be moved apart along z. */
function capsule(n) {
  const b = new ShapeBuilder(), rows = [];
  for (const side of [-1, 1])
    for (let i = 0; i <= n / 4; ++i) {
      const latitude = (side < 0 ? i / (n / 4) - 1 : i / (n / 4)) * Math.PI / 2, r = Math.cos(latitude);
      rows.push(Array.from({length: n + 1}, (_, k) => {
        const angle = 2 * Math.PI * k / n;
        return b.vertex([r * Math.cos(angle), r * Math.sin(angle), Math.sin(latitude)], [0, 0, side]);
      }));
    }
  b.surface(rows);
  return b.build();
}
/** A spring along z, as edges only. */
function coil(turns) {
  const b = new ShapeBuilder(), n = 16 * turns, at = i => {
    const s = i / n, free = s < 0.12 || s > 0.88, angle = 2 * Math.PI * turns * s;
    return free ? [0, 0, s] : [Math.cos(angle), Math.sin(angle), s];
  };
  for (let i = 0; i < n; ++i) b.edge(at(i), [0, 0, 0], at(i + 1), [0, 0, 0]);
  return b.build();
}
function straight() {
  const b = new ShapeBuilder();
  b.edge([0, 0, 0], [0, 0, 0], [0, 0, 1], [0, 0, 0]);
  return b.build();
}

/** @param level  0: few of them, with many corners; 1; 2: many */
const unitShapes = {
  box: level => roundedBox([3, 1, 1][level]),
  bar: level => plate(stadium([12, 6, 2][level]), 0.12, 0),
  cylinder: level => plate(circle([40, 20, 8][level]), 0.06, 1),
  sphere: level => capsule([40, 20, 8][level]),
  capsule: level => capsule([32, 16, 8][level]),
  ellipsoid: level => capsule([40, 20, 8][level]),
  spring: () => coil(8),
  tendon: straight,
  rod: straight,
};

/** Stretch and extent of a shape of a file. */
function proportions({kind, size: [x, y, z]}) {
  if (kind === 'sphere') return [[0, 0, 0], [x, x, x]];
  if (kind === 'capsule') return [[0, 0, y / 2], [x, x, x]];
  if (kind === 'ellipsoid' || kind === 'mesh') return [[0, 0, 0], [x, y, z]];
  if (kind === 'cylinder') {
    const bevel = 0.06 * Math.min(x, y / 2);
    return [[0, 0, y / 2 - bevel], [x, x, bevel]];
  }
  const r = 0.08 * Math.min(x, y, z) + 0.004 * Math.max(x, y, z), radius = Math.min(r, 0.5 * Math.min(x, y, z));
  return [[x / 2 - radius, y / 2 - radius, z / 2 - radius], [radius, radius, radius]];
}

/** Triangles of a mesh of a file; edges where faces meet at more than 28 degrees. */
function meshShape(data) {
  const table = new Table(data), positions = new Float32Array(3 * table.rows);
  for (let i = 0; i < positions.length; ++i) positions[i] = table.at(Math.floor(i / 3), i % 3);
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.BufferAttribute(positions, 3));
  geometry.setAttribute('corner', new THREE.BufferAttribute(new Float32Array(positions.length), 3));
  geometry.computeVertexNormals();
  const edges = [];
  if (table.rows < 30000) {
    const sharp = new THREE.EdgesGeometry(geometry, 28).getAttribute('position').array;
    for (let i = 0; i < sharp.length; i += 6)
      edges.push([...sharp.slice(i, i + 3), 0, 0, 0, ...sharp.slice(i + 3, i + 6), 0, 0, 0]);
  }
  return {geometry, edges};
}
