'use strict';
// What is between the joints of a mechanism: points where bodies are joined, links that are drawn between them, and
// sizes of everything that is drawn. All at q = 0, in the world.

const steel = 0x8d97a3, dark = 0x4a5461;

const vector = p => new THREE.Vector3(p[0], p[1], p[2]);
const column = (A, k) => new THREE.Vector3(A[k], A[3 + k], A[6 + k]);
const median = list => (list.length ? [...list].sort((a, b) => a - b)[list.length >> 1] : 0);

/** How many bodies are between each body and ground; parents come first. */
function depthsOf({bodies}) {
  const depths = [];
  for (const {parent} of bodies) depths.push(parent < 0 ? 0 : 1 + depths[parent]);
  return depths;
}

/** A pose whose x axis is along d and whose z axis is next to n. */
function poseAlong(p, d, n) {
  const x = d.clone().normalize(), z = n.clone().addScaledVector(x, -n.dot(x));
  if (z.length() < 1e-6) z.set(1, 0, 0).addScaledVector(x, -x.x);
  if (z.length() < 1e-3) z.set(0, 0, 1).addScaledVector(x, -x.z);
  z.normalize();
  const y = z.clone().cross(x);
  return Float64Array.of(x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z, p.x, p.y, p.z);
}
/** A pose whose z axis is n. */
function poseAlongZ(p, n) {
  const other = Math.abs(n.x) < 0.7 * n.length() ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 1, 0);
  return poseAlong(p, other.addScaledVector(n, -other.dot(n) / n.lengthSq()), n);
}

class Skeleton {
  constructor(model) {
    this.model = model;
    this.points = model.bodies.map(() => []);  // of each body: {at, axis, kind, other, own}
    this.ground = [];
    this.joints = this.findJoints();
    this.attached = this.findAttached();
    this.links = model.bodies.map((_, b) => this.linksOf(b));
    const lengths = this.links.flat().map(link => link.length);
    this.size = this.extent();
    this.length = median(lengths) || 0.5 * this.size;
    this.width = Math.min(Math.max((this.isPlane() ? 0.15 : 0.17) * this.length, (model.bodies.length < 20 ? 0.032 : 0.012) * this.size), 0.09 * this.size);
    this.thickness = 0.5 * this.width;
    this.layers = this.findLayers();
  }

  /** A slide has a direction only: it is drawn at the center of mass of its body. */
  slideAt({child, place}) {
    const body = this.model.bodies[child];
    return vector(body.mass > 0 ? Screws.apply(body.A, body.com) : place.A.slice(9));
  }
  isPlane() {
    const axes = this.joints.flatMap(({axis, kind}) => (axis && kind === 'turn' ? [axis] : []));
    return axes.every(axis => Math.abs(axis.dot(axes[0])) > 0.999);
  }
  /** Joints of the tree and of loops: {a, b, at, axis, kind, name, v}. Bodies that move with ground are ground, -1. */
  findJoints() {
    const {model} = this, moving = b => (b >= 0 && model.bodies[b].link >= 0 ? b : -1), joints = [];
    const jointOf = new Map(model.joints.map(joint => [joint.child, joint])), linkAt = new Map(model.links.map(link => [link.v, link]));
    const bare = joint => joint.nv === 0 && !(model.bodies[joint.child].mass > 0);  // a frame of its parent
    const carrier = b => (b >= 0 && jointOf.has(b) && bare(jointOf.get(b)) ? carrier(jointOf.get(b).parent) : moving(b));
    const isSliding = ({v, nv}) => model.links.filter(link => link.v >= v && link.v < v + nv && link.Y.length)
      .every(({Y}) => Y.every(([x, y, z]) => x === 0 && y === 0 && z === 0));
    for (const joint of model.joints) {
      const link = linkAt.get(joint.v), Y = link && joint.nv > 0 && link.Y[0];
      if (bare(joint)) continue;
      const w = Y && vector(Y), turns = w && w.length() > 0;
      const kind = joint.nv === 0 ? 'fixed' : joint.nv > 3 || (joint.nv > 1 && isSliding(joint)) || /floating|free/.test(joint.type) ? 'free'
        : joint.nv === 1 ? (turns ? 'turn' : 'slide') : 'ball';
      const axis = kind === 'turn' ? w.normalize() : kind === 'slide' ? vector(Y.slice(3)).normalize() : null;
      joints.push({a: carrier(joint.parent), b: joint.child, at: kind === 'slide' ? this.slideAt(joint) : vector(joint.place.A.slice(9)), axis, kind,
        name: joint.name, own: true, base: joint.parent});
    }
    const bodyOn = (name, place) => {
      const b = model.bodies.findIndex(body => body.name === name);
      return b >= 0 ? moving(b) : model.bodies.findIndex(body => place.link >= 0 && body.link === place.link);
    };
    for (const loop of model.loops) {
      const [link] = loop.links, w = link && loop.links.length === 1 && link.Y[0] && vector(link.Y[0]);
      const turns = w && w.length() > 0, slides = w && !turns, local = turns ? w : slides ? vector(link.Y[0].slice(3)) : null;
      const kind = turns && loop.neutral.length === 1 ? 'turn' : slides ? 'slide' : 'ball';
      const a = bodyOn(loop.bodies[0], loop.from), b = bodyOn(loop.bodies[1], loop.to);
      const axisIn = A => local && kind !== 'ball' && new THREE.Vector3(
        vector(A.slice(0, 3)).dot(local), vector(A.slice(3, 6)).dot(local), vector(A.slice(6, 9)).dot(local)).normalize();
      joints.push({a, b, at: vector(loop.from.A.slice(9)), there: vector(loop.to.A.slice(9)), axis: axisIn(loop.from.A),
        otherAxis: axisIn(loop.to.A), kind, name: loop.name, own: false,
        base: model.bodies.findIndex(body => loop.bodies.includes(body.name) && body.link < 0)});
    }
    for (const joint of joints) {
      if (joint.kind === 'free') continue;
      const {a, b, at, axis, kind, own} = joint;
      (a < 0 ? this.ground : this.points[a]).push({at, axis, kind, other: b, own: false, joint});
      const place = {at: joint.there || at, axis: joint.otherAxis || axis, kind, other: a, own, joint};
      if (b < 0) this.ground.push(place);
      else this.points[b].push(place);
    }
    return joints;
  }

  /** Where springs and rods are fastened to bodies between joints, which need a bar to there; and on ground, at -1. */
  findAttached() {
    const {bodies, lines} = this.model, attached = new Map();
    for (const {kind, points} of lines) {
      if (kind === 'tendon' || points.every(({link}) => link === points[0].link)) continue;
      for (const {link, A} of points) {
        const b = link < 0 ? -1 : bodies.findIndex(body => body.link === link);
        if (b >= 0 && !this.points[b].length) continue;
        attached.set(b, [...(attached.get(b) || []), vector(A.slice(9))]);
      }
    }
    return attached;
  }
  /** Segments of a body: from its own joint to the others, or from its center of mass; at the end of a chain, through it. */
  linksOf(b) {
    const {model} = this, body = model.bodies[b], points = this.points[b], links = [];
    if (body.link < 0) return links;
    const com = vector(Screws.apply(body.A, body.com)), own = points.find(p => p.own) || (points.length > 1 ? points[0] : null);
    const others = points.filter(p => p !== own), root = own ? own.at : com;
    const add = (from, to, axis) => {
      const length = from.distanceTo(to);
      const known = links.some(link => link.to.distanceTo(to) < 1e-3 * length);
      if (length > 1e-9 && !known) links.push({from, to, length, axis: axis || null});
    };
    for (const {at, axis} of others) add(root, at, (own && own.axis) || axis);
    if (own && !others.length && body.mass > 0) {
      const d = com.clone().sub(root), distance = d.length();
      const half = body.box ? Math.sqrt(3 * this.spread(body, d.clone().normalize())) : 0;
      if (distance > 1e-9) add(root, com.clone().addScaledVector(d, Math.min(half, distance) / distance), own.axis);
    }
    return links;
  }
  /** The mean square of the distance of the mass of a body from its center along a direction. */
  spread(body, direction) {
    const R = Screws.product(body.A, body.box.pose);
    return [0, 1, 2].reduce((sum, k) => sum + body.box.size[k] ** 2 / 12 * column(R, k).dot(direction) ** 2, 0);
  }
  /** The diagonal of the box around joints, ends of links and centers of mass; of a single body, that of its mass. */
  extent() {
    const box = new THREE.Box3();
    for (const point of [...this.ground, ...this.points.flat()]) box.expandByPoint(point.at);
    for (const link of this.links.flat()) box.expandByPoint(link.from).expandByPoint(link.to);
    this.model.bodies.forEach(body => {
      if (body.mass > 0) box.expandByPoint(vector(Screws.apply(body.A, body.com)));
    });
    const size = box.isEmpty() ? 0 : box.getSize(new THREE.Vector3()).length();
    const own = this.model.bodies.map(body => (body.box && body.link >= 0 ? Math.hypot(...body.box.size) : 0));
    return size > 1e-9 ? size : median(own.filter(x => x > 0)) || 1;
  }
  /** Plates that are joined by parallel axes lie beside each other: a number for each body. */
  findLayers() {
    const layers = this.model.bodies.map(() => 0), beside = this.model.bodies.map(() => []);
    for (const {a, b, kind} of this.joints) if (kind === 'turn' && a >= 0 && b >= 0) beside[a].push(b), beside[b].push(a);
    layers.forEach((_, b) => {
      const taken = new Set(beside[b].filter(other => other < b).map(other => layers[other]));
      while (taken.has(layers[b])) ++layers[b];
    });
    return layers;
  }
  /** The direction in which layers are stacked. */
  static stacking(axis) {
    const n = axis.clone(), size = Math.max(Math.abs(n.x), Math.abs(n.y), Math.abs(n.z));
    const first = [n.y, n.x, n.z].find(x => Math.abs(x) > 0.999 * size);
    return first < 0 ? n.negate() : n;
  }
  offset(b, axis) {
    if (!axis) return new THREE.Vector3();
    return Skeleton.stacking(axis).multiplyScalar(-(this.layers[b] - 0.5) * 1.08 * this.thickness);
  }
  /** About the length of the links at a body: of frames and joints that are drawn there. */
  sizeAt(b) {
    const own = b >= 0 ? this.links[b].map(link => link.length) : [];
    return Math.min(Math.max(own.length ? Math.max(...own) : this.length, 0.05 * this.size), 0.3 * this.size);
  }

  /** Parts of a body that has no shape of their own: bars, pins, and their masses. */
  parts(b) {
    const body = this.model.bodies[b], parts = [], w = this.width, t = this.thickness, own = this.points[b].find(p => p.own);
    const longest = Math.max(0, ...this.links[b].map(link => link.length)), mass = this.massShape(b, longest);
    const covered = mass && mass.kind !== 'sphere' && this.links[b].length > 2;  // a platform needs no spokes
    for (const {from, to, length, axis} of covered ? [] : [...this.links[b], ...this.branches(b)]) {
      const d = to.clone().sub(from), middle = from.clone().add(to).multiplyScalar(0.5);
      if (length < 0.25 * Math.min(w, this.length)) continue;
      const flat = axis && Math.abs(axis.dot(d)) < 0.5 * length, width = Math.min(w, (this.model.bodies.length > 60 ? 12 : 0.9) * length);
      if (flat) parts.push({kind: 'bar', A: poseAlong(middle.add(this.offset(b, axis)), d, axis), stretch: [length / 2, 0, 0], extent: [width / 2, width / 2, t / 2]});
      else {
        const r = (own && own.kind === 'slide' ? 0.3 : 0.42) * width;  // a rod is thinner than its cylinder
        parts.push({kind: 'capsule', A: poseAlongZ(middle, d), stretch: [0, 0, length / 2], extent: [r, r, r]});
      }
    }
    if (mass) parts.push(mass);
    for (const point of this.points[b]) if (this.model.bodies.length <= 60 && (point.own || !point.joint.own)) parts.push(...this.hardware(point));
    return parts;
  }
  /** Segments from the own joint of a body to where springs and rods are fastened, unless it has one there already. */
  branches(b) {
    const links = this.links[b], own = this.points[b].find(p => p.own) || this.points[b][0];
    const isOn = (at, {from, to, length}) => at.distanceTo(from) + at.distanceTo(to) < 1.01 * length;
    return (this.attached.get(b) || []).filter(at => !links.some(link => isOn(at, link)))
      .map(to => ({from: own.at, to, length: own.at.distanceTo(to), axis: own.axis}));
  }
  /** Spheres, disks and blocks by their inertia, if that is not a part of a link. */
  massShape(b, longest) {
    const body = this.model.bodies[b], inner = this.points[b].length > 1, count = this.links[b].length;
    if (!body.box || body.link < 0) return null;
    const e = body.box.size, A = Screws.product(body.A, body.box.pose), most = Math.max(...e);
    const semi = e.map(x => x * Math.sqrt(5 / 12)), round = Math.min(...e) > 0.98 * most;
    const fixed = this.model.bodies.some((other, i) => i < b && other.link === body.link && other.mass > 0);  // on another
    const alone = this.points[b].length === 0 && !fixed, reach = alone ? this.size : Math.max(longest, 0.6 * this.length);
    const limit = Math.min(1, (count > 2 ? 1.6 : 1.1) * reach / most);
    if (round) {
      const r = Math.min(semi[0], 0.4 * reach);
      return r > 0.55 * this.width ? {kind: 'sphere', A, stretch: [0, 0, 0], extent: [r, r, r]} : null;
    }
    if (inner && count < 3) return null;
    const second = [...e].sort((x, y) => x - y)[1];
    if (count === 1 && second < 0.35 * longest) return null;
    const k = [0, 1, 2].find(i => Math.abs(e[(i + 1) % 3] - e[(i + 2) % 3]) < 0.01 * most);
    if (k !== undefined) {  // a cylinder of this inertia: I = m r^2 / 2 about its axis
      const r = e[(k + 1) % 3] / Math.sqrt(3) * limit, h = e[k] * limit;
      const [stretch, extent] = proportions({kind: 'cylinder', size: [r, h, 0]});
      return {kind: 'cylinder', A: poseAlongZ(vector(A.slice(9)), column(A, k)), stretch, extent};
    }
    if (count === 1) return null;
    const [stretch, extent] = proportions({kind: 'box', size: e.map(x => Math.max(x, 0.02 * most) * limit)});
    return {kind: 'box', A, stretch, extent};
  }
  /** What makes a joint: a pin, a sleeve, a ball. */
  hardware({at, axis, kind, other, joint}) {
    const w = this.width, t = this.thickness, color = steel;
    if (kind === 'turn') {
      const [stretch, extent] = proportions({kind: 'cylinder', size: [0.22 * w, 2.9 * t, 0]});
      return [{kind: 'cylinder', A: poseAlongZ(at, axis), stretch, extent, color}];
    }
    if (kind === 'slide') {
      const [stretch, extent] = proportions({kind: 'box', size: [0.95 * w, 0.95 * w, 1.5 * w]});
      return [{kind: 'box', A: poseAlongZ(at, axis), stretch, extent, color}];
    }
    return kind === 'ball' ? [{kind: 'sphere', A: poseAlongZ(at, new THREE.Vector3(0, 0, 1)), stretch: [0, 0, 0], extent: [0.5 * w, 0.5 * w, 0.5 * w], color}] : [];
  }
  /** Joints of ground with bodies, not with frames between coordinates, nor where a fixed body has a shape of its own. */
  posts() {
    return this.ground.filter(({kind, other, joint}) => kind !== 'fixed' && this.isCarried(other, kind) && !this.isShaped(joint.base));
  }
  /** Whether a joint of ground carries a mass: directly, or by bodies without mass that only turn. */
  isCarried(b, kind) {
    const {bodies} = this.model;
    while (b >= 0 && !(bodies[b].mass > 0)) {
      const next = this.joints.find(joint => joint.own && joint.a === b);
      if (kind !== 'turn' || !next) return false;
      b = next.b, kind = next.kind;
    }
    return true;
  }
  /** Whether a body, or one that it is fixed to, has a shape of a file. */
  isShaped(b) {
    const {bodies, collisions, contacts} = this.model;
    for (; b >= 0; b = bodies[b].parent)
      if (bodies[b].shapes.length || [...collisions, ...contacts].some(item => item.body === b && item.shape.kind !== 'plane')) return true;
    return false;
  }
  stands({at}, floor) {
    return floor !== null && at.z - floor > 0.2 * this.width && at.z - floor < 0.5 * this.size;
  }
  /** The rail of a slide: as long as the motion, or its limits. */
  rail({at, axis, joint}, floor, configurations) {
    const w = this.width, {q, lower, upper} = this.model.joints.find(({name}) => name === joint.name), parts = [];
    const values = configurations.map(configuration => configuration[q]).filter(Number.isFinite), reach = 1.2 * this.size;
    const limited = upper - lower < 3 * reach, [low, high] = limited ? [lower, upper]
      : values.length > 1 ? [Math.min(...values), Math.max(...values)] : [-reach / 3, reach / 3];
    const ends = [Math.max(low, -20 * reach) - 1.3 * w, Math.min(high, 20 * reach) + 1.3 * w].map(s => at.clone().addScaledVector(axis, s));
    const [from, to] = ends, d = to.clone().sub(from), r = 0.17 * w;
    parts.push({kind: 'capsule', A: poseAlongZ(from.clone().add(to).multiplyScalar(0.5), d), stretch: [0, 0, d.length() / 2], extent: [r, r, r], color: steel});
    for (const end of Math.abs(axis.z) < 0.7 ? ends : []) {
      if (!this.stands({at: end}, floor)) continue;
      const [stretch, extent] = proportions({kind: 'box', size: [0.8 * w, 0.8 * w, end.z + 0.4 * w - floor]});
      parts.push({kind: 'box', A: poseAlong(new THREE.Vector3(end.x, end.y, (floor + end.z + 0.4 * w) / 2), new THREE.Vector3(1, 0, 0), new THREE.Vector3(0, 0, 1)), stretch, extent, color: dark});
    }
    return parts;
  }
  /** Posts, brackets and rails of ground. @param floor  its height; null: none; @param configurations  of the motion */
  mounts(floor, configurations = []) {
    const w = this.width, parts = [];
    for (const at of this.attached.get(-1) || []) {
      const [stretch, extent] = proportions({kind: 'box', size: [0.6 * w, 0.6 * w, 0.6 * w]});
      parts.push({kind: 'box', A: poseAlongZ(at, new THREE.Vector3(0, 0, 1)), stretch, extent, color: dark});
    }
    for (const point of this.posts()) {
      if (point.kind === 'slide' && point.joint.own) {
        if (!this.isShaped(point.other)) parts.push(...this.rail(point, floor, configurations));
        continue;
      }
      const {at, axis, kind} = point, stands = this.stands(point, floor);
      const back = axis && Math.abs(axis.z) < 0.7 && kind === 'turn' ? Skeleton.stacking(axis).multiplyScalar(1.15 * this.thickness + 0.4 * w) : new THREE.Vector3();
      const low = stands ? floor : at.z - 0.65 * w, high = at.z + (back.length() ? 0.65 * w : -0.4 * w);
      if (high - low < 0.1 * w || (kind === 'slide' && !stands)) continue;
      const [stretch, extent] = proportions({kind: 'box', size: [1.3 * w, back.length() ? 0.8 * w : 1.3 * w, high - low]});
      const across = back.length() ? back.clone().cross(new THREE.Vector3(0, 0, 1)) : new THREE.Vector3(1, 0, 0);
      const middle = new THREE.Vector3(at.x, at.y, (low + high) / 2).add(back);
      parts.push({kind: 'box', A: poseAlong(middle, across, new THREE.Vector3(0, 0, 1)), stretch, extent, color: dark});
    }
    return parts;
  }
}
