'use strict';
// Pictures and films of the scene alone, of any size, frame by frame: each is drawn, encoded and given its time, however
// long drawing takes. A film is WebM: frames of VP9 or VP8 from the browser's encoder, in a container written here.

/** Frames in a container of Matroska: elements are an identifier, a length and a content. */
class WebM {
  constructor(width, height, codec) {
    Object.assign(this, {width, height, codec, clusters: [], end: 0});
  }
  static number(x) {
    const bytes = [];
    for (let rest = x; rest > 0 || !bytes.length; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
    return Uint8Array.from(bytes);
  }
  static text(x) {
    return new TextEncoder().encode(x);
  }
  /** @param parts  bytes, or lists of them */
  static element(id, ...parts) {
    const content = parts.flat(Infinity), size = new Uint8Array(8);
    let length = content.reduce((sum, part) => sum + part.length, 0);
    for (let i = 7; i > 0; --i) size[i] = length % 256, length = Math.floor(length / 256);
    size[0] = 1;  // eight bytes
    return [WebM.number(id), size, ...content];
  }
  /** @param key  it does not need the frames before it, and begins a cluster */
  add(bytes, time, key) {
    const at = Math.round(time);  // [ms]
    if (key || !this.clusters.length) this.clusters.push({time: at, blocks: []});
    const {time: from, blocks} = this.clusters[this.clusters.length - 1], offset = at - from;
    blocks.push(WebM.element(0xA3, Uint8Array.of(0x81, offset >> 8 & 255, offset & 255, key ? 0x80 : 0), bytes));
  }
  /** @param duration  of the film [ms] */
  bytes(duration) {
    const {element, number, text} = WebM, length = new Uint8Array(8);
    new DataView(length.buffer).setFloat64(0, duration);
    const size = parts => parts.reduce((sum, part) => sum + part.length, 0);
    const head = [element(0x1549A966, element(0x2AD7B1, number(1e6)), element(0x4489, length), element(0x4D80, text('Chasles')),
      element(0x5741, text('Chasles'))),
    element(0x1654AE6B, element(0xAE, element(0xD7, number(1)), element(0x73C5, number(1)), element(0x83, number(1)),
      element(0x86, text(this.codec)), element(0xE0, element(0xB0, number(this.width)), element(0xBA, number(this.height)))))].flat();
    const clusters = this.clusters.map(({time, blocks}) => element(0x1F43B675, element(0xE7, number(time)), blocks));
    let at = size(head);
    const cues = this.clusters.map(({time}, i) => {
      const cue = element(0xBB, element(0xB3, number(time)), element(0xB7, element(0xF7, number(1)), element(0xF1, number(at))));
      at += size(clusters[i]);
      return cue;
    });
    const all = [element(0x1A45DFA3, element(0x4286, number(1)), element(0x42F7, number(1)), element(0x42F2, number(4)),
      element(0x42F3, number(8)), element(0x4282, text('webm')), element(0x4287, number(4)), element(0x4285, number(2))),
    element(0x18538067, head, clusters, element(0x1C53BB6B, cues))].flat();
    const out = new Uint8Array(size(all));
    let offset = 0;
    for (const part of all) out.set(part, offset), offset += part.length;
    return out;
  }
}

class Film {
  /** The scene fills a picture of this size. @param camera  a name of `Film.views`, or where it is and what it looks at */
  constructor(page, {width, height, camera}) {
    if (!page.scene) throw new Error('this browser has no WebGL');
    if (!page.figure) throw new Error('the run has no model: there is nothing to draw');
    Object.assign(this, {page, width, height});
    const {element, renderer} = page.scene;
    if (page.player) page.player.play(false);
    Object.assign(element.style, {position: 'fixed', left: 0, top: 0, width: `${width}px`, height: `${height}px`, zIndex: 100});
    renderer.setPixelRatio(1);
    page.scene.resize();
    if (page.fitAgain) page.fitAgain();
    if (camera) this.look(camera);
  }
  look(camera) {
    const {camera: eye, controls} = this.page.scene;
    if (typeof camera === 'string') {
      const distance = eye.position.distanceTo(controls.target);
      eye.position.copy(controls.target).add(new THREE.Vector3(...Film.views[camera]).normalize().multiplyScalar(distance));
    } else {
      eye.position.set(...camera.slice(0, 3));
      if (camera.length > 3) controls.target.set(...camera.slice(3));
    }
    controls.update();
    this.page.moved = true;
  }
  draw(t) {
    const {page} = this;
    if (page.player && t !== null) page.player.seek(t);
    page.scene.drawNow();
    return page.scene.renderer.domElement;
  }
  /** The picture at time t as PNG, in base64. */
  picture(t) {
    return this.draw(t).toDataURL('image/png').split(',')[1];
  }

  /** @param bitrate  [bit/s] */
  async begin(rate, bitrate) {
    const common = {width: this.width, height: this.height, framerate: rate, bitrate};
    const known = [['vp09.00.41.08', 'V_VP9'], ['vp8', 'V_VP8']];
    if (typeof VideoEncoder === 'undefined') throw new Error('this browser has no encoder of films');
    for (const [codec, name] of known) {
      if (!(await VideoEncoder.isConfigSupported({...common, codec})).supported) continue;
      this.file = new WebM(this.width, this.height, name);
      this.encoder = new VideoEncoder({
        output: chunk => {
          const bytes = new Uint8Array(chunk.byteLength);
          chunk.copyTo(bytes);
          this.file.add(bytes, chunk.timestamp / 1000, chunk.type === 'key');
        },
        error: error => { this.failure = error; },
      });
      this.encoder.configure({...common, codec});
      Object.assign(this, {rate, count: 0});
      return;
    }
    throw new Error('this browser encodes neither VP9 nor VP8');
  }
  /** The next frame, at time t of the run. */
  async frame(t) {
    const frame = new VideoFrame(this.draw(t), {timestamp: Math.round(1e6 * this.count / this.rate), alpha: 'discard'});
    this.encoder.encode(frame, {keyFrame: this.count++ % Math.round(2 * this.rate) === 0});
    frame.close();
    while (this.encoder.encodeQueueSize > 4 && !this.failure) await new Promise(resolve => { setTimeout(resolve, 2); });
    if (this.failure) throw this.failure;
  }
  /** The bytes of the film; then `piece` gives parts of it in base64. @return their count */
  async end() {
    await this.encoder.flush();
    if (this.failure) throw this.failure;
    this.bytes = this.file.bytes(1000 * this.count / this.rate);
    return Math.ceil(this.bytes.length / Film.pieceSize);
  }
  piece(i) {
    const part = this.bytes.subarray(i * Film.pieceSize, (i + 1) * Film.pieceSize);
    let text = '';
    for (let k = 0; k < part.length; k += 8192) text += String.fromCharCode(...part.subarray(k, k + 8192));
    return btoa(text);
  }
}
Film.pieceSize = 3 << 18;
Film.views = {front: [0, -1, 0.001], back: [0, 1, 0.001], left: [-1, 0, 0.001], right: [1, 0, 0.001], top: [0, -0.001, 1], corner: [0.55, -0.75, 0.42]};
