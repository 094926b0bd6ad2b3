'use strict';
// Velocities of bodies from recorded v, and the instantaneous screw axis.

/**
 * The spatial twist of a body in world axes: the sum over the links that carry it of Ad(D_parent) Y v; for joints on a group,
 * by differences of the poses of neighboring samples.
 */
function twistOf(figure, run, b, t) {
  const h = Math.max(1e-4 * (run.end - run.start), 1e-9), from = Math.max(run.start, t - h), to = Math.min(run.end, t + h);
  if (!(to > from)) return null;
  const poseAt = time => {
    figure.chain.update(run.configuration(time));
    return Float64Array.from(figure.bodyPose(b));
  };
  const A = poseAt(from), B = poseAt(to), X = Screws.log(Screws.product(B, Screws.inverse(A)));
  figure.chain.update(run.configuration(t));
  return X.map(x => x / (to - from));
}

/** The axis of the twist of the chosen body: a line, with the pitch in its label. */
class ScrewAxis {
  constructor({skeleton}) {
    this.size = skeleton.size;
    this.group = drawLines([[[0, 0, 0], [0, 0, 1]]], 0xb5179e, {width: 2.5, through: true, opacity: 0.9});
    this.text = '';
  }
  /** @param X  spatial twist (w; v) in the world; null: none */
  place(X) {
    const w = X && vector(X), v = X && vector(X.slice(3)), turning = w && w.length() > 1e-9 * (1 + v.length());
    this.group.visible = Boolean(turning);
    this.text = !X ? '' : turning ? `turns at ${shortText(w.length())} rad/s, pitch ${shortText(w.dot(v) / w.lengthSq())} m/rad` : `slides at ${shortText(v.length())} m/s`;
    if (!turning) return;
    const foot = new THREE.Vector3().crossVectors(w, v).divideScalar(w.lengthSq()), along = w.clone().normalize();
    foot.addScaledVector(along, this.near.clone().sub(foot).dot(along));
    placeBetween(this.group, foot.clone().addScaledVector(along, -this.size).toArray(), foot.clone().addScaledVector(along, this.size).toArray(), 1);
  }
  update() {}
}
