'use strict';
// The picture: light, floor and shadow, camera. Drawn only when something has changed.

/** 1, 2 or 5 times a power of ten, not less than x. */
function roundUp(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return power * [1, 2, 5, 10].find(k => k * power >= 0.999 * x);
}
const linear = color => new THREE.Color(color).convertGammaToLinear(2.2);
const sunDirection = new THREE.Vector3(0.42, -0.5, 1).normalize();

/** A background from one color above to another below. */
function skyTexture(above, below) {
  const texture = new THREE.DataTexture(new Uint8Array([below, above].flatMap(color => {
    const c = parseInt(color.slice(1), 16);
    return [c >> 16, c >> 8 & 255, c & 255];
  })), 1, 2, THREE.RGBFormat);
  texture.unpackAlignment = 1;
  texture.magFilter = THREE.LinearFilter;
  texture.encoding = THREE.sRGBEncoding;
  return texture;
}

class Scene {
  /** @param plain  without shadows and smooth edges. @throws Error if there is no WebGL */
  constructor(element, plain = false) {
    Object.assign(this, {element, plain});
    this.renderer = new THREE.WebGLRenderer({antialias: !plain, preserveDrawingBuffer: true});
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.renderer.gammaOutput = true;
    this.renderer.gammaFactor = 2.2;
    this.renderer.toneMapping = THREE.LinearToneMapping;
    this.renderer.toneMappingExposure = 1;
    this.renderer.shadowMap.enabled = !plain;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    element.appendChild(this.renderer.domElement);
    this.scene = new THREE.Scene();
    this.radius = 1;
    this.floor = null;
    this.slow = 0;
    this.makeLight();
    this.makeFloor();
    this.cameras = new Cameras(this.renderer.domElement, () => this.draw());
    this.waiting = false;
    this.script = 0;  // of the last frame [ms], without what the graphics card does
    new ResizeObserver(() => this.resize()).observe(element);
  }
  get camera() {
    return this.cameras.camera;
  }
  get controls() {
    return this.cameras.controls;
  }
  /** A room: bright above, warm below; a sun with shadows; a little light from the eye. */
  makeLight() {
    const sky = new THREE.SphericalHarmonics3(), [all, up, left] = [0, 2, 3].map(k => sky.coefficients[k]);
    all.set(0.78, 0.81, 0.86), up.set(0.20, 0.21, 0.24), left.set(-0.04, -0.02, 0.02);
    this.sky = new THREE.LightProbe(sky, 1);
    this.sun = new THREE.DirectionalLight(0xfff0dc, 0.85);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.radius = 3.5;
    this.sun.shadow.bias = -0.0015;
    this.fill = new THREE.DirectionalLight(0xe8f0ff, 0.22);
    this.scene.add(this.sky, this.sun, this.sun.target, this.fill, this.fill.target);
  }
  makeFloor() {
    const plane = new THREE.PlaneBufferGeometry(1, 1);
    this.ground = new THREE.Mesh(plane, floorMaterial());
    this.shade = new THREE.Mesh(plane, new THREE.ShadowMaterial({opacity: 0.3, color: 0x1c2a3a, depthWrite: false}));
    this.shade.receiveShadow = true;
    this.ground.renderOrder = -2, this.shade.renderOrder = -1;
    this.floorGroup = new THREE.Group();
    this.floorGroup.add(this.ground, this.shade);
    this.scene.add(this.floorGroup);
  }
  resize() {
    const {clientWidth: width, clientHeight: height} = this.element;
    if (!width || !height) return;
    this.renderer.setSize(width, height);
    pictureSize.value.set(width, height);
    this.cameras.setAspect(width / height);
    if (this.onresize) this.onresize();
    this.draw();
  }
  setTheme(dark) {
    this.scene.background = skyTexture(...(dark ? ['#242c35', '#12161b'] : ['#eef2f6', '#dfe6ed']));
    const {ground, line} = this.ground.material.uniforms;
    ground.value.set(dark ? '#1d242c' : '#f8fafc'), line.value.set(dark ? '#46525f' : '#c0c9d3');
    this.shade.material.opacity = dark ? 0.5 : 0.3;
    this.draw();
  }
  clear() {
    if (this.figures) for (const group of this.figures) this.scene.remove(group);
    this.figures = [];
  }
  add(group) {
    (this.figures = this.figures || []).push(group);
    this.scene.add(group);
  }
  remove(group) {
    this.figures = this.figures.filter(other => other !== group);
    this.scene.remove(group);
    this.draw();
  }

  /** At the next frame. */
  draw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.drawNow();
    });
  }
  drawNow() {
    const {target} = this.controls, reach = 3 * this.radius;
    this.fill.position.copy(this.camera.position);
    this.fill.target.position.copy(target);
    this.sun.target.position.copy(target);
    this.sun.position.copy(target).addScaledVector(sunDirection, reach);
    const {uniforms} = this.ground.material;
    uniforms.center.value.set(target.x, target.y);
    for (const plane of this.floorGroup.children) plane.position.set(target.x, target.y, 0);
    this.cameras.update(this.radius);
    this.renderer.render(this.scene, this.camera);
  }
  /**
   * Everything in view.
   * @param points  all corners during the motion, [x, y, z, x, y, z ...]; @param direction  from there to the eye
   * @param floor   its height; null: none
   */
  fit(points, direction, floor) {
    const box = new THREE.Box3().setFromArray(points);
    if (box.isEmpty()) box.setFromCenterAndSize(new THREE.Vector3(), new THREE.Vector3(1, 1, 1));
    this.radius = Math.max(box.getSize(new THREE.Vector3()).length() / 2, 1e-6);
    lineLift.value = 2.5e-3 * this.radius;
    this.cameras.fit(points, direction, box.getCenter(new THREE.Vector3()));
    this.setFloor(floor);
    const {camera} = this.sun.shadow, r = 1.7 * this.radius;
    Object.assign(camera, {left: -r, right: r, top: r, bottom: -r, near: 0.2 * this.radius, far: 7 * this.radius});
    camera.updateProjectionMatrix();
    this.draw();
  }
  setFloor(height) {
    this.floor = height;
    this.showFloor(height !== null);
    const size = 40 * this.radius, {uniforms} = this.ground.material;
    this.floorGroup.position.z = height || 0;
    this.ground.position.z = -1e-4 * this.radius;
    for (const plane of this.floorGroup.children) plane.scale.set(size, size, 1);
    uniforms.step.value = roundUp(this.radius / 10);
    uniforms.reach.value = 6.5 * this.radius;
  }
  showFloor(visible) {
    this.floorGroup.visible = visible;
    this.draw();
  }
  /** Shadows are left out where the machine is too slow for them. @param time  between frames [ms]. @return whether it just turned out so */
  measure(time) {
    this.slow = time > 70 ? this.slow + 1 : Math.max(0, this.slow - 1);
    if (this.slow < 12 || !this.sun.castShadow) return false;
    this.sun.castShadow = false;
    this.slow = 0;
    return true;
  }

  /** The ray under a place of the picture. */
  rayAt(event) {
    const box = this.renderer.domElement.getBoundingClientRect(), caster = new THREE.Raycaster();
    caster.setFromCamera(new THREE.Vector2(2 * (event.clientX - box.left) / box.width - 1,
      1 - 2 * (event.clientY - box.top) / box.height), this.camera);
    return caster.ray;
  }
  /** How many colors the picture has: 1 if it is blank. */
  colors() {
    return new Set(this.pixels()).size;
  }
  pixels() {
    this.drawNow();
    const gl = this.renderer.getContext(), {drawingBufferWidth: w, drawingBufferHeight: h} = gl;
    const pixels = new Uint8Array(4 * w * h);
    gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    return new Uint32Array(pixels.buffer);
  }
}
