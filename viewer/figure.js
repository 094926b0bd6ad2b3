'use strict';
// A mechanism in the scene: its bodies as instances of few shapes, its joints as screws, its loops.

const palette = [0x4c78a8, 0xf58518, 0x54a24b, 0xb279a2, 0xe45756, 0x72b7b2, 0xeeca3b, 0x9d755d];

/** The standard material with a color for every instance, which this version of three.js lacks. */
function instancedMaterial(opacity) {
  const material = new THREE.MeshStandardMaterial(
    {roughness: 0.55, metalness: 0.05, transparent: opacity < 1, opacity, depthWrite: opacity === 1});
  material.onBeforeCompile = shader => {
    shader.vertexShader = 'attribute vec3 tint; varying vec3 vTint;\n' + shader.vertexShader.replace(
      '#include <begin_vertex>', '#include <begin_vertex>\n  vTint = tint;');
    shader.fragmentShader = 'varying vec3 vTint;\n' + shader.fragmentShader.replace(
      'vec4 diffuseColor = vec4( diffuse, opacity );', 'vec4 diffuseColor = vec4( diffuse * vTint, opacity );');
  };
  return material;
}

/** Of unit size; @param n  corners around. */
const shapeGeometries = {
  box: () => new THREE.BoxBufferGeometry(1, 1, 1),
  sphere: n => new THREE.SphereBufferGeometry(1, n, n / 2),
  cylinder: n => new THREE.CylinderBufferGeometry(1, 1, 1, n).rotateX(Math.PI / 2),  // along z
};
function meshGeometry(data) {
  const table = new Table(data), positions = new Float32Array(3 * table.rows);
  for (let i = 0; i < positions.length; ++i) positions[i] = table.at(Math.floor(i / 3), i % 3);
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.BufferAttribute(positions, 3));
  geometry.computeVertexNormals();
  return geometry;
}
/** The factors of a shape of unit size. */
function extentOf({kind, size}) {
  if (kind === 'sphere') return [size[0], size[0], size[0]];
  if (kind === 'cylinder') return [size[0], size[0], size[1]];
  return size;
}

class Figure {
  /** @param ghost  transparent, for a run that others are compared with */
  constructor(model, ghost = false) {
    this.model = model;
    this.chain = new Chain(model.links);
    this.closure = new Closure(model, this.chain);
    this.group = new THREE.Group();
    this.parts = [];  // {body, link, A, extent, color, mesh, index}
    this.scratch = Screws.identity();
    this.collect();
    if (!ghost) this.joinBodies();
    this.makeInstances(ghost ? 0.25 : 1);
    this.update(model.neutral);
  }

  collect() {
    this.model.bodies.forEach((body, b) => body.shapes.forEach(shape => {
      const color = shape.color ? new THREE.Color(...shape.color) : new THREE.Color(palette[b % palette.length]);
      this.parts.push({body: b, link: body.link, A: Screws.product(body.A, shape.pose), extent: extentOf(shape),
        kind: shape.kind === 'mesh' ? `mesh${shape.mesh}` : shape.kind, mesh: shape.mesh,
        color: color.convertGammaToLinear(2.2), opacity: shape.color ? shape.color[3] : 1});
    }));
  }

  /** Where the joint of a body is at q = 0. */
  jointPoint(joint) {
    return this.model.links.find(link => link.v === joint.v).J.slice(9);
  }
  /** Rods from joint to joint, and to the center of mass, of bodies that have no shape of their own. */
  joinBodies() {
    const joints = this.model.joints.filter(joint => joint.nv > 0);
    this.model.bodies.forEach((body, b) => {
      if (body.visual || body.link < 0) return;
      const own = joints.find(joint => joint.child === b), floating = own && own.type === 'floating';
      const com = Screws.apply(body.A, body.com), from = own && !floating ? this.jointPoint(own) : com;
      const ends = joints.filter(joint => joint.parent === b).map(joint => this.jointPoint(joint));
      if (body.mass > 0) ends.push(com);
      for (const loop of this.model.loops)
        for (const end of [loop.from, loop.to]) if (end.link === body.link) ends.push(end.A.slice(9));
      for (const to of ends) this.addRod(b, from, to);
    });
  }
  addRod(b, from, to) {
    const d = new THREE.Vector3(...to).sub(new THREE.Vector3(...from)), length = d.length();
    const radius = 0.18 * this.model.small;
    if (length < radius) return;
    const R = new THREE.Matrix4().makeRotationFromQuaternion(
      new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), d.normalize())).elements;
    const A = Float64Array.of(R[0], R[4], R[8], R[1], R[5], R[9], R[2], R[6], R[10],
      ...from.map((a, i) => (a + to[i]) / 2));
    this.parts.push({body: b, link: this.model.bodies[b].link, A, extent: [radius, radius, length],
      kind: 'cylinder', opacity: 1, color: new THREE.Color(palette[b % palette.length]).convertGammaToLinear(2.2)});
  }

  makeInstances(opacity) {
    const groups = new Map();
    for (const part of this.parts) {
      const key = part.kind + ' ' + part.opacity;
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(part);
    }
    this.meshes = [...groups.values()].map(parts => {
      const {kind, mesh} = parts[0];
      const geometry = mesh === undefined ? shapeGeometries[kind](parts.length > 200 ? 8 : 24) : meshGeometry(this.model.meshes[mesh]);
      const tints = new THREE.InstancedBufferAttribute(new Float32Array(3 * parts.length), 3);
      parts.forEach((part, i) => {
        part.tints = tints;
        part.index = i;
        part.color.toArray(tints.array, 3 * i);
      });
      geometry.setAttribute('tint', tints);
      const instances = new THREE.InstancedMesh(geometry, instancedMaterial(opacity * parts[0].opacity), parts.length);
      instances.frustumCulled = false;
      instances.userData.parts = parts;
      this.group.add(instances);
      return instances;
    });
  }

  /** To a configuration: all matrices are written where the graphics card reads them. */
  update(q) {
    this.chain.update(q);
    const C = this.scratch;
    for (const instances of this.meshes) {
      const out = instances.instanceMatrix.array, {parts} = instances.userData;
      for (let i = 0; i < parts.length; ++i) {
        const {link, A, extent: [a, b, c]} = parts[i], M = link < 0 ? A : Screws.product(this.chain.D[link], A, C);
        const at = 16 * i;
        out[at] = M[0] * a, out[at + 1] = M[3] * a, out[at + 2] = M[6] * a;
        out[at + 4] = M[1] * b, out[at + 5] = M[4] * b, out[at + 6] = M[7] * b;
        out[at + 8] = M[2] * c, out[at + 9] = M[5] * c, out[at + 10] = M[8] * c;
        out[at + 12] = M[9], out[at + 13] = M[10], out[at + 14] = M[11], out[at + 15] = 1;
      }
      instances.instanceMatrix.needsUpdate = true;
    }
    if (this.screws && this.screws.visible) this.moveScrews();
    if (this.axes && this.axes.visible) this.moveAxes();
    if (this.loopLines) this.moveLoops();
  }
  bodyPose(b) {
    return this.chain.pose(this.model.bodies[b]);
  }
  /** The center of mass of all that moves. */
  center() {
    let mass = 0;
    const sum = [0, 0, 0];
    for (const body of this.model.bodies) {
      if (body.link < 0 || !(body.mass > 0)) continue;
      const p = Screws.apply(this.chain.pose(body, this.scratch), body.com);
      mass += body.mass;
      for (let i = 0; i < 3; ++i) sum[i] += body.mass * p[i];
    }
    return sum.map(a => (mass > 0 ? a / mass : 0));
  }
  /** The corners of everything, in a box of three.js. */
  extent(box = new THREE.Box3()) {
    const M = new THREE.Matrix4(), unit = new THREE.Box3(), point = new THREE.Vector3();
    for (const instances of this.meshes) {
      if (!instances.geometry.boundingBox) instances.geometry.computeBoundingBox();
      instances.userData.parts.forEach((part, i) => {
        M.fromArray(instances.instanceMatrix.array, 16 * i);
        box.union(unit.copy(instances.geometry.boundingBox).applyMatrix4(M));
      });
    }
    if (box.isEmpty()) for (const body of this.model.bodies) box.expandByPoint(point.set(...this.chain.pose(body).slice(9)));
    return box;
  }

  /** The body that a ray meets first, by the boxes of its shapes; -1: none. */
  pick(ray) {
    const M = new THREE.Matrix4(), local = new THREE.Ray(), hit = new THREE.Vector3();
    let nearest = Infinity, found = -1;
    for (const instances of this.meshes) {
      if (!instances.geometry.boundingBox) instances.geometry.computeBoundingBox();
      instances.userData.parts.forEach((part, i) => {
        M.fromArray(instances.instanceMatrix.array, 16 * i);
        local.copy(ray).applyMatrix4(new THREE.Matrix4().getInverse(M));
        if (!local.intersectBox(instances.geometry.boundingBox, hit)) return;
        const distance = hit.applyMatrix4(M).distanceTo(ray.origin);
        if (distance < nearest) nearest = distance, found = part.body;
      });
    }
    return found;
  }
  highlight(body) {
    for (const part of this.parts) {
      const color = part.body === body ? part.color.clone().lerp(new THREE.Color(1, 1, 1), 0.5) : part.color;
      color.toArray(part.tints.array, 3 * part.index);
      part.tints.needsUpdate = true;
    }
  }

  /** Joints as screws: the axis, a ring or the arc between its limits, a helix of its pitch, a slide. */
  showScrews(visible) {
    if (visible && !this.screws) {
      this.screws = new THREE.Group();
      for (const link of this.model.links) {
        const joint = this.model.joints.find(j => link.v >= j.v && link.v < j.v + j.nv);
        link.Y.forEach((Y, k) => {
          const drawing = drawScrew(Y, link.J.slice(9), 1.6 * this.model.small, joint && joint.nv === 1 ? joint : {});
          drawing.userData.parent = link.parent;
          this.screws.add(drawing);
        });
      }
      this.group.add(this.screws);
    }
    if (this.screws) this.screws.visible = visible;
    if (visible) this.moveScrews();
  }
  moveScrews() {
    for (const drawing of this.screws.children) setMatrix(drawing, drawing.userData.parent < 0 ? null : this.chain.D[drawing.userData.parent]);
  }
  showAxes(visible) {
    if (visible && !this.axes) {
      this.axes = new THREE.Group();
      for (const place of [...this.model.bodies, ...this.model.frames]) {
        const axes = new THREE.AxesHelper(1.2 * this.model.small);
        axes.userData.place = place;
        this.axes.add(axes);
      }
      this.group.add(this.axes);
    }
    if (this.axes) this.axes.visible = visible;
    if (visible) this.moveAxes();
  }
  moveAxes() {
    for (const axes of this.axes.children) setMatrix(axes, this.chain.pose(axes.userData.place));
  }
  /** A red line across the gap of every loop that is open. */
  showLoops() {
    if (!this.model.loops.length) return;
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(6 * this.model.loops.length), 3));
    this.loopLines = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({color: 0xff2222}));
    this.loopLines.frustumCulled = false;
    this.group.add(this.loopLines);
    this.moveLoops();
  }
  moveLoops() {
    const positions = this.loopLines.geometry.attributes.position;
    this.closure.loops.forEach((loop, i) => this.closure.ends(loop).forEach((C, k) => positions.array.set(C.slice(9), 6 * i + 3 * k)));
    positions.needsUpdate = true;
  }
}

/** The matrix of an object from a pose; null: none. */
function setMatrix(object, C) {
  object.matrixAutoUpdate = false;
  if (C) object.matrix.set(C[0], C[1], C[2], C[9], C[3], C[4], C[5], C[10], C[6], C[7], C[8], C[11], 0, 0, 0, 1);
  object.matrixWorldNeedsUpdate = true;
}

/** @param near  a point: the screw is drawn where its axis is next to it */
function drawScrew(Y, near, size, {lower, upper}) {
  const w = new THREE.Vector3(...Y.slice(0, 3)), v = new THREE.Vector3(...Y.slice(3)), turns = w.length() > 0;
  const axis = (turns ? w : v).clone().normalize();
  const point = new THREE.Vector3(...near);
  if (turns) {  // on the axis: w x v / |w|^2, moved along it
    const foot = new THREE.Vector3().crossVectors(w, v).divideScalar(w.lengthSq());
    const along = point.sub(foot).dot(axis);
    point.copy(foot).addScaledVector(axis, along);
  }
  const pitch = turns ? w.dot(v) / w.lengthSq() : 0;  // [m/rad]
  const x = new THREE.Vector3(1, 0, 0).cross(axis);
  if (x.length() < 0.1) x.set(0, 1, 0).cross(axis);
  x.normalize();
  const y = new THREE.Vector3().crossVectors(axis, x), points = [];
  const at = (along, angle, radius) => point.clone().addScaledVector(axis, along)
    .addScaledVector(x, radius * Math.cos(angle)).addScaledVector(y, radius * Math.sin(angle));
  const line = (a, b) => points.push(a, b);
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
  const color = !turns ? 0x2ca02c : pitch !== 0 && Math.abs(pitch) > 1e-9 ? 0xd627b0 : 0x1f9edb;
  const lines = new THREE.LineSegments(new THREE.BufferGeometry().setFromPoints(points),
    new THREE.LineBasicMaterial({color: color, depthTest: false, transparent: true}));  // seen through bodies
  lines.frustumCulled = false;
  return lines;
}
