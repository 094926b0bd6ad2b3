'use strict';
// Which columns of a run are plotted together, in which order, and what they are called.

/** "q:elbow [rad]" -> ["q:elbow", "rad"]. */
function splitUnit(label) {
  const match = /^(.*) \[([^\]]*)\]$/.exec(label);
  return match ? [match[1], match[2]] : [label, ''];
}
function shortText(x) {
  if (!Number.isFinite(x)) return '-';
  return x !== 0 && Math.abs(x) < 1e-4 ? String(Number(x.toPrecision(6)).toExponential()) : String(Number(x.toPrecision(6)));
}

/** Names of the entries of v by joint: "elbow", "base[3]". */
function jointNames(model, count) {
  const names = [];
  for (const joint of model.joints) {
    const n = joint[count], first = joint[count === 'nq' ? 'q' : 'v'];
    for (let k = 0; k < n; ++k) names[first + k] = n === 1 ? joint.name : `${joint.name}[${k}]`;
  }
  return names;
}
/** "tau[1]" is that of the second joint, if there are as many numbers as velocities or coordinates; vectors, twists and wrenches have x, y, z. */
function columnName(run, group, name, k, total) {
  const bare = name.replace(/^[qv]:/, ''), [, row, column] = /^pose:.*\[([0-2])\]\[([0-3])\]$/.exec(name) || [];
  if (row) return column === '3' ? 'xyz'[row] : `R[${row}][${column}]`;
  if (spatial.test(group) && (total === 3 || total === 6) && /[^\]]\[\d\]$/.test(name)) return 'xyz'[k % 3];
  if (!run.model || !/\[\d+\]$/.test(name) || group.includes(':')) return bare;
  const names = total === run.model.nv ? jointNames(run.model, 'nv') : total === run.model.nq ? jointNames(run.model, 'nq') : [];
  return names[k] || bare;
}

const spatial = /^(com|momentum|position|velocity|acceleration|twist|reaction|contact_force|wrench|impulse)(:|$)/;
const energies = /^(energy|kinetic_energy|potential_energy|work|power|dissipat)/;
/** Energy, drift and what was asked for come first; velocities, coordinates, quaternions and steps last. */
function rankOf({key, group, unit}) {
  if (key === 'drift') return 1;
  if (group === 'energy') return 0;
  if (energies.test(group)) return 0.5;
  if (key === 'steps') return 9;
  if (group === 'q') return unit === '1' ? 8 : 5;
  if (group === 'v') return 6;
  if (group === 'constraint_violation') return 3;
  if (group === 'momentum') return 4;
  return unit === '1' && /^(pose|quaternion|rotation)/.test(group) ? 7 : 2;
}

/** The plots of a run: [{title, key, log, curves: [{name, t, y}]}]. Columns of a group and a unit are one. */
function plotsOf(run) {
  const plots = new Map(), totals = new Map();
  for (const [group] of run.columns) totals.set(group, (totals.get(group) || 0) + 1);
  const seen = new Map();
  run.columns.forEach(([group, label], c) => {
    const [name, unit] = splitUnit(label), key = `${group} [${unit}]`, k = seen.get(group) || 0;
    seen.set(group, k + 1);
    if (/^pose:.*\[3\]\[[0-3]\]$/.test(name)) return;  // 0, 0, 0, 1
    if (!plots.has(key)) plots.set(key, {title: (unit ? key : group).replace(/\^2/g, '²').replace(/\^3/g, '³'), key, group, unit, curves: []});
    let y = null;
    plots.get(key).curves.push({name: columnName(run, group, name, k, totals.get(group)), t: run.t,
      get y() {
        return y || (y = run.table.column(c));
      }});
  });
  const all = [...plots.values(), ...derivedPlots(run)];
  return all.map((plot, i) => ({...plot, rank: rankOf(plot), i})).sort((a, b) => a.rank - b.rank || a.i - b.i);
}

/** Drift of the invariants, and the lengths of steps. */
function derivedPlots(run) {
  const columns = group => run.columns.flatMap(([g], c) => (g === group ? [run.table.column(c)] : []));
  const [energy] = columns('energy'), [work] = columns('work'), momentum = columns('momentum');
  const away = parts => run.t.length && Float64Array.from(run.t, (_, i) =>
    Math.hypot(...parts.map(part => part[i] - part[0])) || NaN);  // zero has no logarithm: a gap
  const curves = [];
  if (energy) {
    const balance = work ? energy.map((e, i) => e - work[i]) : energy;
    curves.push({name: work ? 'energy, less work [J]' : 'energy [J]', t: run.t, y: away([balance])});
  }
  // Of a run that says what was kept, momenta only if nothing changes them.
  if (momentum.length === 6 && (!run.headline.length || run.headline.some(text => text.startsWith('momentum')))) {
    curves.push({name: 'angular momentum [kg m²/s]', t: run.t, y: away(momentum.slice(0, 3))});
    curves.push({name: 'linear momentum [kg m/s]', t: run.t, y: away(momentum.slice(3))});
  }
  const plots = [], drifting = curves.filter(({y}) => y && y.some(x => x > 0));
  const own = (key, title, list) => ({title, key, group: key, unit: '', log: true, gap: '0', curves: list});
  if (drifting.length) plots.push(own('drift', 'drift from the start', drifting));
  const n = run.steps.length / 2;
  if (n > 1)
    plots.push(own('steps', 'step [s]', [{name: 'step', t: Float64Array.from({length: n}, (_, i) => run.steps[2 * i]),
      y: Float64Array.from({length: n}, (_, i) => run.steps[2 * i + 1])}]));
  return plots;
}

/** The plots of several runs, those with the same key together; the runs are in the names then. */
function mergePlots(runs) {
  const merged = new Map();
  runs.forEach(run => plotsOf(run).forEach(plot => {
    if (!merged.has(plot.key)) merged.set(plot.key, {...plot, curves: []});
    const curves = runs.length === 1 ? plot.curves
      : plot.curves.map(curve => Object.defineProperty({name: `${run.name}: ${curve.name}`, t: curve.t}, 'y', {get: () => curve.y}));
    merged.get(plot.key).curves.push(...curves);
  }));
  return [...merged.values()].sort((a, b) => a.rank - b.rank || a.i - b.i);
}

/** Rows of all curves over all of their times; a curve has no number at times of others. */
function rowsOf(curves) {
  const times = new Set(curves.map(curve => curve.t));
  if (times.size === 1) {
    const values = curves.map(curve => curve.y);
    return Array.from(curves[0].t, (t, i) => [t, ...values.map(y => y[i])]);
  }
  const rows = new Map();
  curves.forEach(({t: times, y}, k) => times.forEach((t, i) => {
    if (!rows.has(t)) rows.set(t, [t, ...curves.map(() => null)]);
    rows.get(t)[k + 1] = y[i];
  }));
  return [...rows.values()].sort((a, b) => a[0] - b[0]);
}

/** A decade at least: what hardly changes looks so on a logarithmic axis, too. null: its own range. */
function decadeOf(curves) {
  let low = Infinity, high = 0;
  for (const {y} of curves) for (const x of y) if (x > 0 && Number.isFinite(x)) low = Math.min(low, x), high = Math.max(high, x);
  if (!(high > 0) || high > 10 * low) return null;
  const middle = Math.sqrt(low * high);
  return [middle / 10, 10 * middle];
}

/** Values that are constant but for rounding: how far, in words, and a range in which they look so. */
function flatness(curves) {
  let low = Infinity, high = -Infinity;
  for (const {y} of curves) for (const x of y) if (Number.isFinite(x)) low = Math.min(low, x), high = Math.max(high, x);
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (size === 0) return {text: '0 throughout', range: [-1, 1], zero: true};
  if (!(high - low < 1e-6 * size)) return null;
  return {text: high > low ? `constant to ${(high - low).toExponential(1)}` : 'constant', range: [low - 0.05 * size, high + 0.05 * size], zero: false};
}

/** Ticks of 1, 2 or 5 times a power of ten with as many digits as tell them apart; powers of ten if logarithmic. */
function ticksOf(low, high, pixels, log) {
  if (!(high > low)) return [];
  const most = Math.max(2, Math.floor(pixels / 26));
  if (log && low > 0) {
    const from = Math.ceil(Math.log10(low) - 1e-9), to = Math.floor(Math.log10(high) + 1e-9), stride = Math.max(1, Math.ceil((to - from + 1) / most));
    if (to > from) return Array.from({length: Math.floor((to - from) / stride) + 1}, (_, i) => ({v: 10 ** (from + i * stride), label: `1e${from + i * stride}`}));
  }
  const step = roundUp((high - low) / most), first = Math.ceil(low / step - 1e-9), ticks = [];
  const size = Math.max(Math.abs(low), Math.abs(high)), powerOf = x => Math.floor(Math.log10(x) + 1e-9), digits = Math.max(0, -powerOf(step));
  const text = x => {
    if (x === 0) return '0';
    if (size < 1e-3 || size >= 1e6) return x.toExponential(Math.max(0, powerOf(Math.abs(x)) - powerOf(step))).replace('e+', 'e');
    return x.toFixed(digits);
  };
  for (let k = first; k * step <= high * (1 + 1e-12) + 1e-12 * step && ticks.length < 100; ++k) ticks.push({v: k * step, label: text(k === 0 ? 0 : k * step)});
  return ticks;
}
