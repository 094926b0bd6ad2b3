'use strict';
// Surfaces and lines: the shaders.

/** Colors stay as they are up to a knee; what is brighter bends toward white. Exposure is that of the renderer. */
THREE.ShaderChunk.tonemapping_pars_fragment = THREE.ShaderChunk.tonemapping_pars_fragment.replace(
  /vec3 LinearToneMapping\( vec3 color \) \{[^}]*\}/, `vec3 LinearToneMapping( vec3 color ) {
    color *= toneMappingExposure;
    float peak = max( color.r, max( color.g, color.b ) ), knee = 0.7;
    if ( peak <= knee ) return color;
    float bent = knee + ( 1.0 - knee ) * ( 1.0 - exp( ( knee - peak ) / ( 1.0 - knee ) ) );
    return mix( color * bent / peak, vec3( bent ), 1.0 - exp( 0.5 * ( bent - peak ) ) );
  }`);

const stretched = 'attribute vec3 corner; attribute vec3 stretch; attribute vec3 extent;\n';
function stretch(shader) {
  shader.vertexShader = stretched + shader.vertexShader
    .replace('#include <begin_vertex>', 'vec3 transformed = corner * stretch + position * extent;')
    .replace('#include <beginnormal_vertex>', 'vec3 objectNormal = normalize(normal / (extent + 1e-9 * (1.0 - abs(sign(extent)))));');
}

/** Of instances with a color each. */
function surfaceMaterial(opacity, doubleSided) {
  const material = new THREE.MeshStandardMaterial({roughness: 0.42, metalness: 0, transparent: opacity < 1, opacity,
    depthWrite: opacity === 1, side: doubleSided ? THREE.DoubleSide : THREE.FrontSide});
  material.onBeforeCompile = shader => {
    stretch(shader);
    shader.vertexShader = 'attribute vec3 tint; varying vec3 vTint;\n' +
      shader.vertexShader.replace('vec3 transformed =', 'vTint = tint; vec3 transformed =');
    shader.fragmentShader = 'varying vec3 vTint;\n' + shader.fragmentShader.replace(
      'vec4 diffuseColor = vec4( diffuse, opacity );', 'vec4 diffuseColor = vec4( diffuse * vTint, opacity );');
  };
  return material;
}
/** What the sun sees of them. */
function shadowMaterial() {
  const material = new THREE.MeshDepthMaterial({depthPacking: THREE.RGBADepthPacking});
  material.onBeforeCompile = stretch;
  return material;
}

/** The height of the picture, of which widths of lines are fractions; shared by all of them. */
const pictureSize = {value: new THREE.Vector2(1, 1)};
/** How far lines are moved toward the eye [m]. */
const lineLift = {value: 0};

/**
 * Lines with a width in pixels: each segment is a strip of four vertices with both ends.
 * @param shade  the tint of an instance is multiplied by it
 * @param time   {now, tail, rest}: vertices have a time; the line is drawn up to now and fades to the opacity of the rest
 */
function lineMaterial({width, shade = 1, opacity = 1, through = false, time = null, fade = {value: 1}}) {
  const transparent = opacity < 1 || time !== null || through;
  return new THREE.ShaderMaterial({
    transparent, depthWrite: !transparent, depthTest: !through, side: THREE.DoubleSide,
    uniforms: {picture: pictureSize, lift: lineLift, width: {value: width}, shade: {value: shade}, opacity: {value: opacity}, fade,
      now: time ? time.now : {value: 0}, tail: time ? time.tail : {value: 1}, rest: {value: time ? time.rest : 1}},
    defines: time ? {TIMED: 1} : {},
    vertexShader: `
      attribute vec3 otherPosition, otherCorner, corner, stretch, extent, tint;
      attribute vec2 side;  // across; 1 or -1: whether the other end is ahead
      attribute float time;
      uniform vec2 picture; uniform float width;
      varying vec3 vTint; varying float vTime;
      uniform float lift;
      vec4 place(vec3 p, vec3 c) {  // toward the eye, so that a line is not hidden by the surface it is on
        vec4 eye = modelViewMatrix * instanceMatrix * vec4(c * stretch + p * extent, 1.0);
        if (projectionMatrix[2][3] < 0.0) eye.xyz *= 1.0 - lift / max(length(eye.xyz), lift);
        else eye.z += lift;
        return projectionMatrix * eye;
      }
      void main() {
        vec4 a = place(position, corner), b = place(otherPosition, otherCorner);
        vec2 d = (b.xy / max(b.w, 1e-6) - a.xy / max(a.w, 1e-6)) * picture * side.y;
        d = length(d) > 1e-6 ? normalize(d) : vec2(1.0, 0.0);
        a.xy += vec2(-d.y, d.x) * side.x * width / picture * a.w - d * side.y * 0.25 * width / picture * a.w;
        gl_Position = a;
        vTint = tint; vTime = time;
      }`.replace('attribute float time;', time ? 'attribute float time;' : '').replace('vTime = time', time ? 'vTime = time' : 'vTime = 0.0'),
    fragmentShader: `
      uniform float shade, opacity, now, tail, rest, fade; varying vec3 vTint; varying float vTime;
      void main() {
        float alpha = opacity * fade;
        #ifdef TIMED
          if (vTime > now) discard;
          alpha *= mix(rest, 1.0, clamp(1.0 - (now - vTime) / tail, 0.0, 1.0));
        #endif
        gl_FragColor = vec4(pow(vTint * shade, vec3(1.0 / 2.2)), alpha);
      }`,
  });
}

/** Segments [position, corner, other position, other corner] as strips. @param times  of both ends, or null */
function lineGeometry(segments, times = null) {
  const n = segments.length, array = size => new Float32Array(4 * n * size), index = [];
  const position = array(3), corner = array(3), otherPosition = array(3), otherCorner = array(3), side = array(2), time = array(1);
  segments.forEach((s, i) => {
    for (let k = 0; k < 4; ++k) {
      const at = 4 * i + k, [own, other] = k < 2 ? [0, 6] : [6, 0];
      for (let j = 0; j < 3; ++j) {
        position[3 * at + j] = s[own + j], corner[3 * at + j] = s[own + 3 + j];
        otherPosition[3 * at + j] = s[other + j], otherCorner[3 * at + j] = s[other + 3 + j];
      }
      side[2 * at] = k % 2 ? 1 : -1, side[2 * at + 1] = k < 2 ? 1 : -1;
      if (times) time[at] = times[i][k < 2 ? 0 : 1];
    }
    index.push(4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 2, 4 * i + 1, 4 * i + 3);
  });
  const geometry = new THREE.BufferGeometry();
  geometry.setIndex(n > 16000 ? new THREE.BufferAttribute(Uint32Array.from(index), 1) : index);
  for (const [name, data, size] of [['position', position, 3], ['corner', corner, 3], ['otherPosition', otherPosition, 3],
    ['otherCorner', otherCorner, 3], ['side', side, 2], ['time', time, 1]])
    if (name !== 'time' || times) geometry.setAttribute(name, new THREE.BufferAttribute(data, size));
  return geometry;
}

/** A drawing of its own, one instance, of segments [from, to]. */
function drawLines(segments, color, options, times = null) {
  const zero = [0, 0, 0], geometry = lineGeometry(segments.map(([a, b]) => [...a, ...zero, ...b, ...zero]), times);
  const one = (x, y, z) => new THREE.InstancedBufferAttribute(Float32Array.of(x, y, z), 3);
  geometry.setAttribute('stretch', one(0, 0, 0));
  geometry.setAttribute('extent', one(1, 1, 1));
  geometry.setAttribute('tint', one(...new THREE.Color(color).convertGammaToLinear(2.2).toArray()));
  const lines = new THREE.InstancedMesh(geometry, lineMaterial(options), 1);
  new THREE.Matrix4().toArray(lines.instanceMatrix.array);
  lines.frustumCulled = false;
  lines.renderOrder = options.through ? 2 : 1;
  return lines;
}

/** The floor: a grid of two steps that fades into the background. */
function floorMaterial() {
  return new THREE.ShaderMaterial({
    transparent: true, depthWrite: false, extensions: {derivatives: true},
    uniforms: {step: {value: 1}, center: {value: new THREE.Vector2()}, reach: {value: 1}, ground: {value: new THREE.Color()},
      line: {value: new THREE.Color()}},
    vertexShader: 'varying vec2 at; void main() { vec4 p = modelMatrix * vec4(position, 1.0); at = p.xy; gl_Position = projectionMatrix * viewMatrix * p; }',
    fragmentShader: `
      uniform float step, reach; uniform vec2 center; uniform vec3 ground, line; varying vec2 at;
      float grid(float size, float width) {
        vec2 x = at / size, d = fwidth(x), near = abs(fract(x - 0.5) - 0.5);
        vec2 drawn = (1.0 - smoothstep(d * (width - 0.5), d * (width + 0.5), near)) * clamp(1.5 - 3.0 * d, 0.0, 1.0);
        return max(drawn.x, drawn.y);
      }
      void main() {
        float far = 1.0 - smoothstep(0.25 * reach, reach, length(at - center));
        float lines = max(0.45 * grid(step, 0.5), grid(5.0 * step, 0.9));
        gl_FragColor = vec4(mix(ground, line, lines), far);
      }`,
  });
}
