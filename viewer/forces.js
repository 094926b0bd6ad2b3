'use strict';
// Recorded forces as arrows: of `reaction:JOINT` and `reaction:LOOP`, with their moments, at the joint; and of
// `contact_force:NAME` where the bodies touch.

/** Where each recorded reaction acts: [column of the moment, place whose axes are used, or null for those of the world]. */
function recordedReactions(run) {
  const {model} = run, first = new Map(), count = new Map(), found = [];
  run.columns.forEach(([group], c) => {
    if (!first.has(group)) first.set(group, c);
    count.set(group, (count.get(group) || 0) + 1);
  });
  // By default in the frame of the joint; in a representation, in that of the body.
  const places = [
    ...model.joints.filter(joint => joint.nv > 0).map(({name, child, place}) => [name, place, model.bodies[child], child]),
    ...model.loops.map(({name, to}) => [name, to, to, model.bodies.findIndex(body => body.link === to.link)])];
  for (const [name, own, body, b] of places)
    for (const [ending, place, fixed] of [['', own, true], [':body', body, true], [':hybrid', body, false]])
      if (count.get(`reaction:${name}${ending}`) === 6) {
        found.push({body: b, place, joint: own, fixed, moment: first.get(`reaction:${name}${ending}`), column: first.get(`reaction:${name}${ending}`) + 3});
        break;
      }
  for (const [group, c] of first)
    if (group.startsWith('contact_force:') && count.get(group) === 6) found.push({body: -1, place: null, column: c, moment: null});
  return found;
}

class ForceArrows {
  /** @param kind  'reactions' or 'forces', those of contacts */
  constructor(run, figure, kind) {
    Object.assign(this, {run, group: new THREE.Group(), skeleton: figure.skeleton});
    this.arrows = recordedReactions(run).filter(arrow => (arrow.place !== null) === (kind === 'reactions'));
    const material = color => new THREE.MeshBasicMaterial({color, depthTest: false, transparent: true, opacity: 0.9});
    const red = material(kind === 'reactions' ? 0xd22f27 : 0xe0612b), blue = material(0x3a5fc8);
    for (const arrow of this.arrows) {
      this.group.add(arrow.drawing = drawArrow(red, 1));
      if (arrow.moment !== null) this.group.add(arrow.turning = drawArrow(blue, 2));
    }
    const {size} = this.skeleton, force = this.usual(arrow => arrow.column), moment = this.usual(arrow => arrow.moment);
    const scale = (usual, rounding) => (usual > 1e-9 * rounding ? 0.25 * size / usual : 0);  // [m/N], [m/(N m)]
    this.scale = scale(force, moment / size);
    this.momentScale = scale(moment, force * size);
  }
  /** Impacts are short and large: lengths follow what is usual. */
  usual(columnOf) {
    let sum = 0, many = 0;
    const stride = Math.ceil(this.run.table.rows / 2000);
    for (let row = 0; row < this.run.table.rows; row += stride)
      for (const arrow of this.arrows) {
        if (columnOf(arrow) === null) continue;
        const size = Math.hypot(...this.three(row, columnOf(arrow)));
        if (size > 0) sum += Math.sqrt(size), ++many;
      }
    return many > 0 ? (sum / many) ** 2 : 0;
  }
  three(row, column) {
    return [0, 1, 2].map(k => this.run.table.at(row, column + k));
  }
  setTime(t) {
    this.row = this.run.rowAt(t);
  }
  /** The figure has its configuration of this time already. */
  update({chain}) {
    if (this.row === undefined) return;
    for (const {place, joint, fixed, column, moment, drawing, turning} of this.arrows) {
      const C = place && chain.pose(place), turn = a => [0, 3, 6].map(i => C[i] * a[0] + C[i + 1] * a[1] + C[i + 2] * a[2]);
      const inWorld = a => (place && fixed ? turn(a) : a);
      const point = place ? (fixed && joint !== place ? C : chain.pose(fixed ? place : joint)).slice(9) : this.three(this.row, column + 3);
      this.aim(drawing, place && fixed ? C.slice(9) : point, inWorld(this.three(this.row, column)), this.scale);
      if (turning) this.aim(turning, place && fixed ? C.slice(9) : point, inWorld(this.three(this.row, moment)), this.momentScale);
    }
  }
  aim(drawing, point, a, scale) {
    const {size, width} = this.skeleton, length = Math.min(scale * Math.hypot(...a), 0.8 * size);
    drawing.visible = length > 0.004 * size && Array.from(point).every(Number.isFinite);  // NaN: not either
    if (!drawing.visible) return;
    const tip = Math.min(0.09 * size, 0.45 * length), radius = Math.min(0.1 * tip, 0.3 * width);
    drawing.position.set(...point);
    drawing.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), new THREE.Vector3(...a).normalize());
    const [shaft, ...heads] = drawing.children;
    shaft.scale.set(radius, length - tip, radius);
    heads.forEach((head, i) => {
      head.scale.set(2.6 * radius, tip, 2.6 * radius);
      head.position.y = length - tip * (1 + 0.6 * i);
    });
  }
}

/** Along y, from the origin: a shaft, and one head, or two for a moment, of unit size. */
function drawArrow(material, heads) {
  const arrow = new THREE.Group();
  for (let k = 0; k <= heads; ++k) {
    const part = new THREE.Mesh(new THREE.CylinderBufferGeometry(k ? 0 : 1, 1, 1, 16).translate(0, 0.5, 0), material);
    part.renderOrder = 3;  // seen through bodies
    arrow.add(part);
  }
  return arrow;
}
