'use strict';
// A mechanism in the scene: its bodies as instances of few shapes, in layers.

const palette = [0x2a7ab8, 0xf07f1e, 0x35a36b, 0xd8484b, 0x8a66b8, 0x1fa3a8, 0xe0ad26, 0x94694a];

/** The height of the floor that contacts touch; null: there is none. */
function floorOf(model) {
  const planes = [...model.contacts, ...model.collisions].filter(({link, shape}) => link < 0 && shape.kind === 'plane');
  const heights = planes.map(({A, shape}) => Screws.product(A, shape.pose)).filter(C => C[8] > 1 - 1e-9).map(C => C[11]);
  return heights.length ? Math.max(...heights) : null;
}

/** A color for each body: bodies that are alike, such as the thighs of a robot, have the same. */
function colorsOf(model) {
  const kinds = new Map(), first = new Map(), depths = depthsOf(model);
  return model.bodies.map((body, b) => {
    const joint = model.joints.find(({child}) => child === b);
    if (joint && joint.nv === 0 && first.has(body.link)) return first.get(body.link);  // one piece with its parent
    const kind = [Math.min(depths[b], 30), body.mass.toPrecision(3), joint ? joint.type : ''].join(' ');
    if (!kinds.has(kind)) kinds.set(kind, palette[kinds.size % palette.length]);
    if (!first.has(body.link)) first.set(body.link, kinds.get(kind));
    return kinds.get(kind);
  });
}

class Figure {
  /** @param ghost  opacity of all of it, of a run that others are compared with or of a past pose; 0: it is solid */
  constructor(model, ghost = 0) {
    Object.assign(this, {model, ghost, hidden: new Set(), selected: -1, layers: new Map(), meshes: [], glyphs: []});
    this.chain = new Chain(model.links);
    this.closure = new Closure(model, this.chain);
    this.skeleton = new Skeleton(model);
    this.colors = colorsOf(model);
    this.floor = floorOf(model);
    this.alone = model.bodies.filter(({mass, link}) => mass > 0 && link >= 0).length < 2;  // it moves against nothing but the world
    this.group = new THREE.Group();
    this.scratch = Screws.identity();
    this.isShaped = model.bodies.some(body => body.shapes.length) || model.collisions.length > 0;
    this.parts = model.bodies.flatMap((_, b) => this.partsOf(b));
    this.makeInstances(this.parts);
    this.update(model.neutral);
  }

  // Parts: {layer, body, link, A, kind, mesh, stretch, extent, color, opacity}.
  fromShape(place, shape, layer, extra = {}) {
    const [stretch, extent] = proportions(shape), body = place.body === undefined ? -1 : place.body;
    const color = new THREE.Color(...(shape.color ? shape.color.slice(0, 3) : new THREE.Color(body < 0 ? dark : this.colors[body]).toArray()));
    return {layer, body, link: place.link, A: Screws.product(place.A, shape.pose), stretch, extent, mesh: shape.mesh,
      kind: shape.kind === 'mesh' ? `mesh${shape.mesh}` : shape.kind, color: color.convertGammaToLinear(2.2),
      opacity: shape.color ? shape.color[3] : 1, ...extra};
  }
  fromSkeleton(part, b, layer = 'shape') {
    return {layer, body: b, link: b < 0 ? -1 : this.model.bodies[b].link, opacity: 1, ...part,
      color: new THREE.Color(part.color || this.colors[b]).convertGammaToLinear(2.2)};
  }
  /** Visuals, else collision shapes, else contact shapes, else links; the rest is in layers of their own. */
  partsOf(b) {
    const {model} = this, body = model.bodies[b], place = {body: b, link: body.link, A: body.A};
    const at = list => list.filter(item => item.body === b && item.shape.kind !== 'plane' && Math.max(...item.shape.size) > 0);
    const collisions = at(model.collisions), contacts = at(model.contacts);
    const visuals = body.shapes.map(shape => this.fromShape(place, shape, 'shape'));
    const shapes = visuals.length ? visuals
      : collisions.length ? collisions.map(item => this.fromShape(item, item.shape, 'shape'))
        : contacts.length ? contacts.map(item => this.fromShape(item, item.shape, 'shape'))
          : body.mass > 0 || !this.isShaped ? this.skeleton.parts(b).map(part => this.fromSkeleton(part, b)) : [];
    if (this.ghost) return shapes;
    const through = {opacity: 0.35, color: new THREE.Color(0xf0a020).convertGammaToLinear(2.2)};
    if (visuals.length) shapes.push(...collisions.map(item => this.fromShape(item, item.shape, 'collision', through)));
    if (visuals.length || collisions.length) shapes.push(...contacts.map(item => this.fromShape(item, item.shape, 'collision', through)));
    for (const item of model.contacts)
      if (item.body === b && item.shape.kind === 'sphere' && item.shape.size[0] === 0)
        shapes.push(this.fromShape(item, {...item.shape, size: Array(3).fill(0.22 * this.skeleton.width)}, 'contact',
          {color: new THREE.Color(dark).convertGammaToLinear(2.2)}));
    if (body.box && body.link >= 0) shapes.push(this.ellipsoid(body, b));
    return shapes;
  }
  /** The uniform ellipsoid of the same mass and inertia, not larger than the mechanism. */
  ellipsoid(body, b) {
    const semi = body.box.size.map(e => e * Math.sqrt(5 / 12)), limit = Math.min(1, 0.5 * this.skeleton.size / Math.max(...semi));
    return this.fromShape({body: b, link: body.link, A: body.A}, {kind: 'ellipsoid', size: semi.map(a => a * limit), pose: body.box.pose}, 'inertia', {opacity: 0.45});
  }
  /** Ground: posts and rails of joints, and fixed shapes. @param floor  height, or null; @param configurations  of the motion */
  addGround(floor, configurations) {
    if (this.ghost) return;
    const fixed = [...this.model.collisions, ...this.model.contacts].filter(item => item.body < 0 && item.link < 0);
    const parts = fixed.filter(item => item.shape.kind !== 'plane' && Math.max(...item.shape.size) > 0)
      .map(item => this.fromShape(item, item.shape, 'mount', {color: new THREE.Color(dark).convertGammaToLinear(2.2)}));
    for (const item of fixed) {  // planes that are not the floor
      const normal = Screws.product(item.A, item.shape.pose)[8], s = 1.5 * this.skeleton.size;
      if (item.shape.kind === 'plane' && normal < 1 - 1e-9)
        parts.push(this.fromShape(item, {kind: 'box', size: [s, s, 0.004 * s], pose: Screws.product(item.shape.pose, Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -0.002 * s))},
          'mount', {color: new THREE.Color(0x9aa6b4), opacity: 0.6}));
    }
    this.mounts = this.skeleton.mounts(floor, configurations).map(part => this.fromSkeleton(part, -1, 'mount'));
    parts.push(...this.mounts);
    this.parts.push(...parts);
    this.makeInstances(parts);
    this.write();
  }

  makeInstances(parts) {
    const groups = new Map();
    for (const part of parts) {
      const key = `${part.layer} ${part.kind} ${part.opacity}`;
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(part);
    }
    for (const group of groups.values()) this.addInstances(group);
  }
  addInstances(parts) {
    const {kind, mesh, layer, opacity} = parts[0], alpha = this.ghost || opacity;
    const {geometry, edges} = mesh === undefined ? unitShapes[kind](parts.length <= 30 ? 0 : parts.length <= 150 ? 1 : 2) : meshShape(this.model.meshes[mesh]);
    const attribute = name => {
      const made = new THREE.InstancedBufferAttribute(new Float32Array(3 * parts.length), 3);
      geometry.setAttribute(name, made);
      return made;
    };
    const attributes = {tint: attribute('tint'), stretch: attribute('stretch'), extent: attribute('extent')};
    const instances = new THREE.InstancedMesh(geometry, surfaceMaterial(alpha, mesh !== undefined), parts.length);
    instances.customDepthMaterial = shadowMaterial();
    instances.frustumCulled = false;
    instances.castShadow = instances.receiveShadow = alpha === 1;
    instances.userData = {parts, attributes, layer};
    parts.forEach((part, i) => Object.assign(part, {instances, index: i}));
    this.meshes.push(instances);
    const drawn = [instances];
    const thin = parts.every(part => Math.max(...part.extent, ...part.stretch.slice(1)) < 0.009 * this.skeleton.size);  // edges would be all of it
    if (!this.ghost && edges.length && alpha === 1 && parts.length <= 400 && !thin) drawn.push(this.addEdges(instances, edges));
    if (!this.layers.has(layer)) this.layers.set(layer, []);
    this.layers.get(layer).push(...drawn);
    this.group.add(...drawn);
    this.dress(instances);
  }
  addEdges(instances, edges) {
    const geometry = lineGeometry(edges), lines = new THREE.InstancedMesh(geometry, lineMaterial({width: 1.3, shade: 0.22, opacity: 0.75}), 1);
    for (const [name, attribute] of Object.entries(instances.userData.attributes)) geometry.setAttribute(name, attribute);
    lines.instanceMatrix = instances.instanceMatrix;
    lines.count = instances.count;
    lines.frustumCulled = false;
    lines.renderOrder = 1;
    return lines;
  }
  /** Colors and sizes of the instances: what is hidden has no size, what is selected is of a color that no body has. */
  dress(instances) {
    const {parts, attributes: {tint, stretch, extent}} = instances.userData, marked = new THREE.Color(0.25, 1, 1);
    parts.forEach((part, i) => {
      const visible = !this.hidden.has(part.body), chosen = this.selected >= 0 && part.body === this.selected;
      (chosen ? part.color.clone().lerp(marked, 0.6) : part.color).toArray(tint.array, 3 * i);
      for (let k = 0; k < 3; ++k) stretch.array[3 * i + k] = visible ? part.stretch[k] : 0, extent.array[3 * i + k] = visible ? part.extent[k] : 0;
    });
    tint.needsUpdate = stretch.needsUpdate = extent.needsUpdate = true;
  }
  highlight(body) {
    this.selected = body;
    this.meshes.forEach(instances => this.dress(instances));
  }
  /** @param hidden  numbers of bodies */
  hide(hidden) {
    this.hidden = hidden;
    this.meshes.forEach(instances => this.dress(instances));
  }
  hasLayer(layer) {
    return this.layers.has(layer);
  }
  showLayer(layer, visible) {
    for (const object of this.layers.get(layer) || []) object.visible = visible;
  }
  /** More that moves with it: an object with group and update(figure). */
  addGlyphs(layer, glyphs) {
    this.glyphs.push(glyphs);
    this.group.add(glyphs.group);
    if (!this.layers.has(layer)) this.layers.set(layer, []);
    this.layers.get(layer).push(glyphs.group);
    glyphs.update(this);
    return glyphs;
  }

  /** To a configuration. */
  update(q) {
    this.chain.update(q);
    this.write();
    for (const glyphs of this.glyphs) if (glyphs.group.visible) glyphs.update(this);
  }
  /** All matrices are written where the graphics card reads them. */
  write() {
    const C = this.scratch;
    for (const instances of this.meshes) {
      if (!instances.visible) continue;
      const out = instances.instanceMatrix.array, {parts} = instances.userData;
      for (let i = 0, at = 0; i < parts.length; ++i, at += 16) {
        const {link, A} = parts[i], M = link < 0 ? A : Screws.product(this.chain.D[link], A, C);
        out[at] = M[0], out[at + 1] = M[3], out[at + 2] = M[6];
        out[at + 4] = M[1], out[at + 5] = M[4], out[at + 6] = M[7];
        out[at + 8] = M[2], out[at + 9] = M[5], out[at + 10] = M[8];
        out[at + 12] = M[9], out[at + 13] = M[10], out[at + 14] = M[11], out[at + 15] = 1;
      }
      instances.instanceMatrix.needsUpdate = true;
    }
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

  /** The box of a part in its own axes. */
  static boxOf({instances: {geometry}, stretch, extent}) {
    if (!geometry.userData.box) {  // of the unit shape, by its corners
      const {position, corner} = geometry.attributes, box = {position: new THREE.Box3().setFromBufferAttribute(position), corner: new THREE.Box3().setFromBufferAttribute(corner)};
      geometry.userData.box = box;
    }
    const {position, corner} = geometry.userData.box;
    const side = (which, k) => corner[which].getComponent(k) * stretch[k] + position[which].getComponent(k) * extent[k];
    const low = [0, 1, 2].map(k => side('min', k)), high = [0, 1, 2].map(k => side('max', k));
    return new THREE.Box3(new THREE.Vector3(...low.map((x, k) => Math.min(x, high[k]))), new THREE.Vector3(...low.map((x, k) => Math.max(x, high[k]))));
  }
  matrixOf(part) {
    return new THREE.Matrix4().fromArray(part.instances.instanceMatrix.array, 16 * part.index);
  }
  /** The parts that are drawn. */
  visibleParts() {
    return this.parts.filter(part => part.instances.visible && !this.hidden.has(part.body));
  }
  /** Corners of the boxes of what moves, or of all, one after the other. */
  corners(parts, out = []) {
    const p = new THREE.Vector3();
    for (const part of parts) {
      const {min, max} = part.box || (part.box = Figure.boxOf(part)), M = this.matrixOf(part);
      for (let k = 0; k < 8; ++k) {
        p.set(k & 1 ? min.x : max.x, k & 2 ? min.y : max.y, k & 4 ? min.z : max.z).applyMatrix4(M);
        out.push(p.x, p.y, p.z);
      }
    }
    return out;
  }
  /** The body that a ray meets first, by the boxes of its parts; -1: none. */
  pick(ray) {
    const local = new THREE.Ray(), hit = new THREE.Vector3();
    let nearest = Infinity, found = -1;
    for (const part of this.visibleParts()) {
      const M = this.matrixOf(part), box = part.box || (part.box = Figure.boxOf(part));
      local.copy(ray).applyMatrix4(new THREE.Matrix4().getInverse(M));
      if (part.body < 0 || !local.intersectBox(box, hit)) continue;
      const distance = hit.applyMatrix4(M).distanceTo(ray.origin);
      if (distance < nearest) nearest = distance, found = part.body;
    }
    return found;
  }
}

/** The matrix of an object from a pose. */
function setMatrix(object, C) {
  object.matrixAutoUpdate = false;
  object.matrix.set(C[0], C[1], C[2], C[9], C[3], C[4], C[5], C[10], C[6], C[7], C[8], C[11], 0, 0, 0, 1);
  object.matrixWorldNeedsUpdate = true;
}
