'use strict';
// Joints as screws, frames, open loops, springs and rods: drawings that move with a figure.

/** Joints as screws: the axis, a ring or the arc between its limits, a helix of its pitch, a slide. */
class JointScrews {
  constructor({model, skeleton}) {
    this.group = new THREE.Group();
    for (const link of model.links) {
      const joint = model.joints.find(j => link.v >= j.v && link.v < j.v + j.nv);
      link.Y.forEach(Y => {
        const drawing = drawScrew(Y, link.J.slice(9), 0.3 * skeleton.sizeAt(joint ? joint.child : -1), joint && joint.nv === 1 ? joint : {});
        drawing.userData.parent = link.parent;
        this.group.add(drawing);
      });
    }
  }
  update({chain}) {
    for (const drawing of this.group.children) setMatrix(drawing, drawing.userData.parent < 0 ? Screws.identity() : chain.D[drawing.userData.parent]);
  }
}

/** The axes of bodies and frames. */
class Frames {
  constructor({model, skeleton}) {
    this.group = new THREE.Group();
    const bodyAt = place => model.bodies.findIndex(body => body.link === place.link);
    for (const place of [...model.bodies, ...model.frames]) {
      const size = 0.22 * skeleton.sizeAt(bodyAt(place)), axes = new THREE.Group(), zero = [0, 0, 0];
      [0xd8343a, 0x2f9e44, 0x2b6fd6].forEach((color, k) => axes.add(drawLines([[zero, zero.map((_, i) => (i === k ? size : 0))]], color, {width: 2.5, through: true})));
      axes.userData.place = place;
      this.group.add(axes);
    }
  }
  update({chain}) {
    for (const axes of this.group.children) setMatrix(axes, chain.pose(axes.userData.place));
  }
}

/** The center of mass of all that moves. */
class CenterMark {
  constructor({skeleton}) {
    const material = new THREE.MeshBasicMaterial({color: 0xd6336c, depthTest: false, transparent: true, opacity: 0.85});
    this.group = new THREE.Mesh(new THREE.SphereBufferGeometry(0.3 * skeleton.width, 24, 16), material);
    this.group.renderOrder = 3;
  }
  update(figure) {
    this.group.position.set(...figure.center());
  }
}

/** A red line across the gap of every loop that is open. */
class LoopGaps {
  constructor({closure}) {
    this.group = new THREE.Group();
    for (const loop of closure.loops) {
      const line = drawLines([[[0, 0, 0], [0, 0, 1]]], 0xff2222, {width: 3, through: true});
      line.userData.loop = loop;
      this.group.add(line);
    }
  }
  update({closure}) {
    for (const line of this.group.children) {
      const [a, b] = closure.ends(line.userData.loop).map(C => C.slice(9));
      placeBetween(line, a, b, 1);
    }
  }
}

/** Springs, bushings, tendons, rods and cables between points of bodies; wires, whose points are of one body. */
class Connections {
  constructor({model, skeleton}) {
    this.group = new THREE.Group();
    this.width = skeleton.width;
    for (const {kind, points} of model.lines) {
      const color = kind === 'tendon' ? 0xb0483a : 0x59636f, add = (segments, options, data) => {
        const line = drawLines(segments, color, options);
        Object.assign(line.userData, data);
        this.group.add(line);
      };
      if (kind === 'bushing') {  // rubber has no length: three circles around its place, seen through bodies
        add(circles(0.7 * this.width), {width: 2.5, through: true}, {place: points[0]});
        continue;
      }
      if (points.length > 2 && points.every(({link}) => link === points[0].link)) {
        const at = points.map(({A}) => A.slice(9));
        add(at.slice(1).map((b, i) => [at[i], b]), {width: 3}, {place: {link: points[0].link, A: Screws.identity()}});
        continue;
      }
      for (let i = 0; i + 1 < points.length; ++i)
        add(unitShapes[kind]().edges.map(e => [e.slice(0, 3), e.slice(6, 9)]), {width: kind === 'rod' ? 4 : 2}, {ends: [points[i], points[i + 1]]});
    }
  }
  update({chain}) {
    for (const line of this.group.children) {
      const {place, ends} = line.userData;
      if (place) setMatrix(line, chain.pose(place));
      else placeBetween(line, ...ends.map(end => chain.pose(end).slice(9)), 0.45 * this.width);
    }
  }
}

/** Around the axes, as segments. */
function circles(r, n = 32) {
  const at = (k, i) => [0, 1, 2].map(j => (j === k ? 0 : r * (j === (k + 1) % 3 ? Math.cos : Math.sin)(2 * Math.PI * i / n)));
  return [0, 1, 2].flatMap(k => Array.from({length: n}, (_, i) => [at(k, i), at(k, i + 1)]));
}

/** The segment from 0 to z = 1 between two points, its width scaled. */
function placeBetween(object, a, b, width) {
  const from = vector(a), d = vector(b).sub(from), length = d.length();
  object.visible = length > 1e-9;
  if (!object.visible) return;
  const C = poseAlongZ(from, d), M = object.matrix;
  object.matrixAutoUpdate = false;
  M.set(C[0] * width, C[1] * width, C[2] * length, C[9], C[3] * width, C[4] * width, C[5] * length, C[10],
    C[6] * width, C[7] * width, C[8] * length, C[11], 0, 0, 0, 1);
  object.matrixWorldNeedsUpdate = true;
}

/** @param near  a point: the screw is drawn where its axis is next to it */
function drawScrew(Y, near, size, {lower, upper}) {
  const w = vector(Y), v = vector(Y.slice(3)), turns = w.length() > 0;
  const axis = (turns ? w : v).clone().normalize(), point = vector(near);
  if (turns) {  // on the axis: w x v / |w|^2, moved along it
    const foot = new THREE.Vector3().crossVectors(w, v).divideScalar(w.lengthSq());
    const along = point.sub(foot).dot(axis);
    point.copy(foot).addScaledVector(axis, along);
  }
  const pitch = turns ? w.dot(v) / w.lengthSq() : 0;  // [m/rad]
  const C = poseAlongZ(point, axis), x = column(C, 0), y = column(C, 1), segments = [];
  const at = (along, angle, radius) => point.clone().addScaledVector(axis, along)
    .addScaledVector(x, radius * Math.cos(angle)).addScaledVector(y, radius * Math.sin(angle)).toArray();
  const line = (a, b) => segments.push([a, b]);
  line(at(-size, 0, 0), at(size, 0, 0));
  if (turns) {
    const helical = Math.abs(pitch) > 1e-9, whole = lower === undefined || upper === undefined || upper - lower > 2 * Math.PI;
    const rounds = helical ? 3 : 1, slope = helical ? Math.sign(pitch) * Math.min(Math.abs(pitch), size / 20) : 0;
    const [from, to] = helical ? [-Math.PI * rounds, Math.PI * rounds] : whole ? [0, 2 * Math.PI] : [lower, upper];
    const n = 32 * rounds, angle = i => from + (to - from) * i / n;
    for (let i = 0; i < n; ++i) line(at(slope * angle(i), angle(i), size / 2), at(slope * angle(i + 1), angle(i + 1), size / 2));
    if (!whole && !helical) for (const a of [lower, upper]) line(at(0, a, 0), at(0, a, size / 2));
  } else {
    for (const a of [lower === undefined ? -size : lower, upper === undefined ? size : upper])
      for (const angle of [0, Math.PI / 2]) line(at(a, angle, size / 5), at(a, angle + Math.PI, size / 5));
    if (lower !== undefined && upper !== undefined) line(at(lower, 0, 0), at(upper, 0, 0));
  }
  const color = !turns ? 0x2f9e44 : Math.abs(pitch) > 1e-9 ? 0xb5179e : 0x1273c4;
  return drawLines(segments, color, {width: 1.8, through: true, opacity: 0.85});  // seen through bodies
}
