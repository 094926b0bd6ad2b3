'use strict';
// Recorded forces as arrows: of `reaction:JOINT` and `reaction:LOOP` on the body that feels them, and of
// `contact_force:NAME` where the bodies touch.

class ForceArrows {
  /** @param run  its columns [group, label] of six each: moment, force in axes of the place; or force, point */
  constructor(run, figure) {
    Object.assign(this, {run, figure, group: new THREE.Group(), arrows: []});
    const {model} = run, first = new Map(), count = new Map();
    run.columns.forEach(([group], c) => {
      if (!first.has(group)) first.set(group, c);
      count.set(group, (count.get(group) || 0) + 1);
    });
    // By default in the frame of the joint; in a representation, in that of the body.
    const places = [
      ...model.joints.filter(joint => joint.nv > 0).map(({name, child, place}) => [name, place, model.bodies[child]]),
      ...model.loops.map(({name, to}) => [name, to, to])];
    for (const [name, own, body] of places)
      for (const [ending, place, fixed] of [['', own, true], [':body', body, true], [':hybrid', body, false]])
        if (count.get(`reaction:${name}${ending}`) === 6) {
          this.arrows.push({place, fixed, column: first.get(`reaction:${name}${ending}`) + 3});
          break;
        }
    for (const [group, column] of first)
      if (group.startsWith('contact_force:') && count.get(group) === 6) this.arrows.push({place: null, column});
    const material = new THREE.MeshBasicMaterial({color: 0xe0261b, depthTest: false, transparent: true});
    for (const arrow of this.arrows) {
      arrow.drawing = drawArrow(material);
      this.group.add(arrow.drawing);
    }
    // Impacts are short and large: lengths follow what is usual.
    let sum = 0, many = 0;
    for (let row = 0; row < run.table.rows; ++row)
      for (const {column} of this.arrows) {
        const size = Math.hypot(...this.three(row, column));
        if (size > 0) sum += Math.sqrt(size), ++many;
      }
    this.scale = many > 0 ? 8 * model.small / (sum / many) ** 2 : 0;  // [m/N]
  }
  three(row, column) {
    return [0, 1, 2].map(k => this.run.table.at(row, column + k));
  }
  /** The figure has its configuration of this time already. */
  update(t) {
    const row = this.run.rowAt(t);
    for (const {place, fixed, column, drawing} of this.arrows) {
      let force = this.three(row, column), point;
      if (place) {
        const C = this.figure.chain.pose(place);
        if (fixed) force = [0, 3, 6].map(i => C[i] * force[0] + C[i + 1] * force[1] + C[i + 2] * force[2]);
        point = C.slice(9);
      } else {
        point = this.three(row, column + 3);
      }
      const {small} = this.figure.model, length = Math.min(this.scale * Math.hypot(...force), 30 * small);
      drawing.visible = length > 1e-3 * small && point.every(Number.isFinite);  // NaN: not either
      if (!drawing.visible) continue;
      const [shaft, head] = drawing.children, tip = Math.min(small, 0.5 * length);
      drawing.position.set(...point);
      drawing.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), new THREE.Vector3(...force).normalize());
      shaft.scale.set(0.15 * tip, length - tip, 0.15 * tip);
      head.scale.set(0.4 * tip, tip, 0.4 * tip);
      head.position.y = length - tip;
    }
  }
}

/** Along y, from the origin: shaft and head, of unit size. */
function drawArrow(material) {
  const arrow = new THREE.Group();
  for (const top of [1, 0]) {
    const part = new THREE.Mesh(new THREE.CylinderBufferGeometry(top, 1, 1, 12).translate(0, 0.5, 0), material);
    part.renderOrder = 1;  // seen through bodies
    arrow.add(part);
  }
  return arrow;
}
