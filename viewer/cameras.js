'use strict';
// Perspective and orthographic camera, framing, and preset views.

/** From the mechanism to the eye. */
const presetViews = {
  front: [0, -1, 0], back: [0, 1, 0], left: [-1, 0, 0], right: [1, 0, 0], top: [0, -1e-3, 1], bottom: [0, -1e-3, -1]};

/** Where to look from: toward the plane of a plane mechanism, otherwise from above and aside. */
function viewDirection(model) {
  const axes = model.links.flatMap(link => link.Y.map(Y => vector(Y))).filter(w => w.length() > 0).map(w => w.normalize());
  if (!axes.length) return new THREE.Vector3(0.5, -0.78, 0.4).normalize();
  const n = axes[0].clone(), parallel = axes.every(a => Math.abs(a.dot(n)) > 0.999);
  if (!parallel) return new THREE.Vector3(0.5, -0.78, 0.4).normalize();
  if (Math.abs(n.z) > 0.9) return new THREE.Vector3(0.25, -0.55, 0.8).normalize();
  n.z = 0;
  n.normalize();
  if (n.y > 0.1 || (Math.abs(n.y) <= 0.1 && n.x < 0)) n.negate();
  const side = new THREE.Vector3(-n.y, n.x, 0);
  return n.multiplyScalar(0.84).addScaledVector(side, 0.42).add(new THREE.Vector3(0, 0, 0.3)).normalize();
}

class Cameras {
  constructor(canvas, changed) {
    this.perspective = new THREE.PerspectiveCamera(32, 1, 0.01, 1000);
    this.orthographic = new THREE.OrthographicCamera(-1, 1, 1, -1, -1000, 1000);
    for (const camera of [this.perspective, this.orthographic]) camera.up.set(0, 0, 1);
    this.camera = this.perspective;
    this.controls = new THREE.OrbitControls(this.perspective, canvas);
    this.controls.enableKeys = false;
    this.controls.addEventListener('change', changed);
    this.aspect = 1;
  }
  setAspect(aspect) {
    this.aspect = aspect;
    this.perspective.aspect = aspect;
    this.perspective.updateProjectionMatrix();
  }
  get distance() {
    return this.camera.position.distanceTo(this.controls.target);
  }
  /** Before a frame: what depends on the distance. */
  update(radius) {
    const {perspective, orthographic, distance} = this;
    if (this.camera === perspective) {
      perspective.near = Math.max(distance - 30 * radius, distance / 200);
      perspective.far = distance + 60 * radius;
      perspective.updateProjectionMatrix();
      return;
    }
    const half = distance * Math.tan(perspective.fov * Math.PI / 360);
    Object.assign(orthographic, {left: -half * this.aspect, right: half * this.aspect, top: half, bottom: -half,
      near: -60 * radius, far: distance + 60 * radius});
    orthographic.updateProjectionMatrix();
  }
  setOrthographic(on) {
    const next = on ? this.orthographic : this.perspective;
    if (next === this.camera) return;
    const {target} = this.controls, offset = this.camera.position.clone().sub(target).divideScalar(this.camera.zoom);
    next.position.copy(target).add(offset);
    next.zoom = this.camera.zoom = 1;
    this.camera = this.controls.object = next;
    this.controls.update();
  }
  /** From a direction, at the same distance. */
  look(direction) {
    const {distance} = this;
    this.camera.position.copy(this.controls.target).addScaledVector(vector(direction).normalize(), distance);
    this.controls.update();
  }
  /** The least distance at which all points are in the middle 72 % of the height and 84 % of the width. */
  fit(points, direction, center) {
    const z = direction.clone().normalize(), x = new THREE.Vector3(0, 0, 1).cross(z).normalize(), y = z.clone().cross(x);
    const slope = Math.tan(this.perspective.fov * Math.PI / 360), target = center.clone(), n = points.length / 3;
    const coordinates = [x, y, z].map(axis => Float64Array.from({length: n}, (_, i) => axis.x * points[3 * i] + axis.y * points[3 * i + 1] + axis.z * points[3 * i + 2]));
    const [px, py, pz] = coordinates;
    let distance = 1e-9;
    const at = [target.dot(x), target.dot(y), target.dot(z)];
    for (let i = 0; i < n; ++i)
      distance = Math.max(distance, Math.hypot(px[i] - at[0], py[i] - at[1], pz[i] - at[2]) * 1.5 / slope);
    for (let iteration = 0; iteration < 30; ++iteration) {
      let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
      for (let i = 0; i < n; ++i) {
        const away = Math.max(distance - (pz[i] - at[2]), 0.05 * distance), u = (px[i] - at[0]) / away, v = (py[i] - at[1]) / away;
        left = Math.min(left, u), right = Math.max(right, u), low = Math.min(low, v), high = Math.max(high, v);
      }
      if (!(right >= left)) break;
      at[0] += (left + right) / 2 * distance, at[1] += (low + high) / 2 * distance;
      distance *= 0.3 + 0.7 * Math.max((high - low) / (2 * 0.72 * slope), (right - left) / (2 * 0.84 * slope * this.aspect));
    }
    distance = Math.max(distance, 1e-6);
    target.set(0, 0, 0).addScaledVector(x, at[0]).addScaledVector(y, at[1]).addScaledVector(z, at[2]);
    this.controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(z, distance);
    this.camera.zoom = 1;
    this.controls.update();
  }
  /** Moves camera and target to look at a point as before at the target. */
  follow(point) {
    const shift = vector(point).sub(this.controls.target);
    this.controls.target.add(shift);
    this.camera.position.add(shift);
    this.controls.update();
  }
}
