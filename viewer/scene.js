'use strict';
// The picture: camera, light, grid, traces. Drawn only when something has changed.

/** 1, 2 or 5 times a power of ten, not less than x. */
function roundUp(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return power * [1, 2, 5, 10].find(k => k * power >= 0.999 * x);
}

class Scene {
  /** @throws Error if there is no WebGL */
  constructor(element) {
    this.element = element;
    this.renderer = new THREE.WebGLRenderer({antialias: !navigator.webdriver, preserveDrawingBuffer: true});
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.renderer.gammaOutput = true;
    element.appendChild(this.renderer.domElement);
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(40, 1, 0.01, 1000);
    this.camera.up.set(0, 0, 1);
    this.controls = new THREE.OrbitControls(this.camera, this.renderer.domElement);
    this.controls.enableKeys = false;
    this.controls.addEventListener('change', () => this.draw());
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x8899aa, 0.62));
    const sun = new THREE.DirectionalLight(0xfff2dd, 0.75);
    sun.position.set(2, -3, 5);
    this.fill = new THREE.DirectionalLight(0xffffff, 0.25);
    this.scene.add(sun, this.fill, this.fill.target);
    this.figures = [];
    this.traces = [];
    this.waiting = false;
    this.script = 0;  // of the last frame [ms], without what the graphics card does
    new ResizeObserver(() => this.resize()).observe(element);
  }
  resize() {
    const {clientWidth: width, clientHeight: height} = this.element;
    if (!width || !height) return;
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.draw();
  }
  setBackground(color) {
    this.scene.background = new THREE.Color(color);
    if (this.grid) this.makeGrid();
    this.draw();
  }
  add(figure) {
    this.figures.push(figure);
    this.scene.add(figure.group);
  }
  clear() {
    for (const figure of this.figures) this.scene.remove(figure.group);
    for (const trace of this.traces) this.scene.remove(trace);
    this.figures = [];
    this.traces = [];
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
    this.fill.position.copy(this.camera.position);
    this.fill.target.position.copy(this.controls.target);
    this.renderer.render(this.scene, this.camera);
  }

  /** Everything in view, from above and aside. */
  fit(box) {
    const center = box.getCenter(new THREE.Vector3()), radius = Math.max(box.getSize(new THREE.Vector3()).length() / 2, 1e-6);
    this.radius = radius;
    const angle = this.camera.fov * Math.PI / 360, distance = radius / Math.sin(angle) / Math.min(1, this.camera.aspect);
    this.camera.near = radius / 100;
    this.camera.far = radius * 200;
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(center);
    this.camera.position.copy(center).add(new THREE.Vector3(0.55, -0.75, 0.42).normalize().multiplyScalar(distance));
    this.controls.update();
    this.makeGrid(box);
    this.draw();
  }
  /** Moves camera and target to look at a point as before at the target. */
  follow(point) {
    const shift = new THREE.Vector3(...point).sub(this.controls.target);
    this.controls.target.add(shift);
    this.camera.position.add(shift);
    this.controls.update();
  }

  makeGrid(box = this.gridBox) {
    const visible = this.grid ? this.grid.visible : true;
    if (this.grid) this.scene.remove(this.grid);
    this.gridBox = box;
    const step = roundUp(this.radius / 5), dark = this.scene.background && this.scene.background.getHSL({}).l < 0.5;
    this.grid = new THREE.GridHelper(40 * step, 40, dark ? 0x59636e : 0x9aa4af, dark ? 0x2f363e : 0xd5dae0);
    this.grid.rotateX(Math.PI / 2);
    const center = box.getCenter(new THREE.Vector3());
    this.grid.position.set(Math.round(center.x / step) * step, Math.round(center.y / step) * step,
      Math.min(box.min.z, box.min.z > -0.2 * this.radius ? 0 : box.min.z));
    this.grid.visible = visible;
    this.scene.add(this.grid);
    this.gridStep = step;
  }
  showGrid(visible) {
    this.grid.visible = visible;
    this.draw();
  }

  /** A line through points, and how to take it away. */
  addTrace(points, color) {
    const geometry = new THREE.BufferGeometry().setFromPoints(points.map(p => new THREE.Vector3(...p)));
    const trace = new THREE.Line(geometry, new THREE.LineBasicMaterial({color: color}));
    trace.frustumCulled = false;
    this.traces.push(trace);
    this.scene.add(trace);
    this.draw();
    return () => {
      this.scene.remove(trace);
      this.traces = this.traces.filter(other => other !== trace);
      this.draw();
    };
  }
  showMark(visible, size) {
    if (!this.mark) {
      this.mark = new THREE.Mesh(new THREE.SphereBufferGeometry(1, 16, 12),
        new THREE.MeshBasicMaterial({color: 0xff3399, depthTest: false, transparent: true, opacity: 0.8}));
      this.mark.renderOrder = 1;
      this.scene.add(this.mark);
    }
    this.mark.scale.setScalar(size);
    this.mark.visible = visible;
    this.draw();
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
    this.drawNow();
    const gl = this.renderer.getContext(), {drawingBufferWidth: w, drawingBufferHeight: h} = gl;
    const pixels = new Uint8Array(4 * w * h);
    gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    return new Set(new Uint32Array(pixels.buffer)).size;
  }
}
