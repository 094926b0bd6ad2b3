'use strict';
// Plots over time, with one cursor in all of them.

const mostCurves = 40;  // of one plot
const curveColors = ['#1f77b4', '#ff7f0e', '#2ca02c', '#d62728', '#9467bd', '#8c564b', '#e377c2', '#17becf', '#bcbd22', '#7f7f7f'];

/** "q:elbow [rad]" -> ["q:elbow", "rad"]. */
function splitUnit(label) {
  const match = /^(.*) \[([^\]]*)\]$/.exec(label);
  return match ? [match[1], match[2]] : [label, ''];
}
const shortText = x => (Number.isFinite(x) ? String(Number(x.toPrecision(6))) : '-');

/** The plots of a run: [{title, log, curves: [{name, t, y}]}]. Columns of a group and a unit are one. */
function plotsOf(run) {
  const plots = new Map();
  run.columns.forEach(([group, label], c) => {
    const [name, unit] = splitUnit(label), key = group === 'q' || group === 'v' ? `${group} [${unit}]` : group;
    if (!plots.has(key)) plots.set(key, {title: unit && key === group ? `${group} [${unit}]` : key, key, columns: []});
    plots.get(key).columns.push({name: name.replace(/^[qv]:/, ''), c});
  });
  const list = [...plots.values()].map(({title, key, columns}) => ({title, key, total: columns.length,
    curves: columns.slice(0, mostCurves).map(({name, c}) => ({name, t: run.t, y: run.table.column(c)}))}));
  return [...list, ...derivedPlots(run)];
}

/** Drift of the invariants, and the lengths of steps. */
function derivedPlots(run) {
  const columns = group => run.columns.flatMap(([g], c) => (g === group ? [run.table.column(c)] : []));
  const [energy] = columns('energy'), [work] = columns('work'), momentum = columns('momentum');
  const away = parts => run.t.length && Float64Array.from(run.t, (_, i) =>
    Math.hypot(...parts.map(part => part[i] - part[0])) || NaN);  // zero has no logarithm
  const curves = [];
  if (energy) {
    const balance = work ? energy.map((e, i) => e - work[i]) : energy;
    curves.push({name: 'energy, less work [J]', t: run.t, y: away([balance])});
  }
  if (momentum.length === 6) {
    curves.push({name: 'angular momentum [kg m²/s]', t: run.t, y: away(momentum.slice(0, 3))});
    curves.push({name: 'linear momentum [kg m/s]', t: run.t, y: away(momentum.slice(3))});
  }
  const plots = [];
  const drifting = curves.filter(({y}) => y && y.some(x => x > 0));
  if (drifting.length) plots.push({title: 'drift from the start', key: 'drift', log: true, curves: drifting});
  const n = run.steps.length / 2;
  if (n > 1)
    plots.push({title: 'step [s]', key: 'steps', log: true, curves: [{name: 'step',
      t: Float64Array.from({length: n}, (_, i) => run.steps[2 * i]),
      y: Float64Array.from({length: n}, (_, i) => run.steps[2 * i + 1])}]});
  return plots;
}

/** The plots of several runs, those with the same key together; the runs are in the names then. */
function mergePlots(runs) {
  const merged = new Map();
  runs.forEach(run => plotsOf(run).forEach(plot => {
    if (!merged.has(plot.key)) merged.set(plot.key, {...plot, curves: []});
    const curves = plot.curves.map(curve => ({...curve, name: runs.length > 1 ? `${run.name}: ${curve.name}` : curve.name}));
    merged.get(plot.key).curves.push(...curves);
  }));
  return [...merged.values()];
}

/** Rows of all curves over all of their times; a curve has no number at times of others. */
function rowsOf(curves) {
  const times = new Set(curves.map(curve => curve.t));
  if (times.size === 1) return Array.from(curves[0].t, (t, i) => [t, ...curves.map(curve => curve.y[i])]);
  const rows = new Map();
  curves.forEach((curve, k) => curve.t.forEach((t, i) => {
    if (!rows.has(t)) rows.set(t, [t, ...curves.map(() => null)]);
    rows.get(t)[k + 1] = curve.y[i];
  }));
  return [...rows.values()].sort((a, b) => a[0] - b[0]);
}

/** Values that are constant but for rounding: how far, and a range in which they look so. */
function flatness(curves) {
  let low = Infinity, high = -Infinity;
  for (const {y} of curves) for (const x of y) if (Number.isFinite(x)) low = Math.min(low, x), high = Math.max(high, x);
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (!(high - low < 1e-6 * size)) return null;
  return {spread: high - low, range: [low - 0.05 * size, high + 0.05 * size]};
}

class Plots {
  /** @param seek  called with the time that is clicked at */
  constructor(element, runs, seek) {
    Object.assign(this, {element, seek, charts: [], time: runs.length ? runs[0].start : 0});
    mergePlots(runs).forEach((plot, i) => this.addPlot(plot, i < 6));
  }
  addPlot(plot, open) {
    const block = document.createElement('details'), title = document.createElement('summary');
    const flat = plot.log ? null : flatness(plot.curves);
    title.textContent = plot.title + (plot.total > mostCurves ? `, the first ${mostCurves} of ${plot.total}` : '') +
      (flat && flat.spread > 0 ? `: constant to ${flat.spread.toExponential(1)}` : flat ? ': constant' : '');
    block.append(title);
    block.dataset.key = plot.key;
    block.open = open;
    this.element.append(block);
    let made = false;
    const make = () => {
      if (made || !block.open) return;
      made = true;
      this.makeChart(plot, block, flat);
    };
    block.addEventListener('toggle', make);
    make();
  }
  makeChart(plot, block, flat) {
    const box = document.createElement('div'), area = document.createElement('div'), cursor = document.createElement('div');
    const legend = document.createElement('div');
    box.className = 'chart', area.className = 'area', cursor.className = 'cursor', legend.className = 'legend';
    box.append(area, cursor);
    block.append(box, legend);
    const chart = {plot, cursor, values: []}, colors = plot.curves.map((_, i) => curveColors[i % curveColors.length]);
    // Names come from files: they are never given to a library that writes HTML.
    chart.graph = new Dygraph(area, rowsOf(plot.curves), {
      labels: ['t', ...plot.curves.map((_, i) => `c${i}`)], colors: colors, legend: 'never', logscale: Boolean(plot.log),
      connectSeparatedPoints: true, strokeWidth: 1.3, valueRange: flat ? flat.range : null,
      axes: {y: {pixelsPerLabel: 24, axisLabelWidth: 62, axisLabelFormatter: x => shortText(x)}, x: {pixelsPerLabel: 50}},
      gridLineColor: 'rgba(128,128,128,0.25)', axisLineColor: 'rgba(128,128,128,0.6)', rightGap: 8,
      clickCallback: (event, x) => this.seek(x),
      drawCallback: () => chart.graph && this.moveCursor(chart),
      zoomCallback: (low, high) => this.zoom(low, high, chart),
    });
    this.charts.push(chart);
    plot.curves.forEach((curve, i) => legend.append(this.makeEntry(chart, curve, i, colors[i])));
    this.moveCursor(chart);
  }
  makeEntry(chart, curve, i, color) {
    const label = document.createElement('label'), box = document.createElement('input'), value = document.createElement('b');
    box.type = 'checkbox', box.checked = true;
    box.addEventListener('change', () => chart.graph.setVisibility(i, box.checked));
    label.style.setProperty('--curve', color);
    label.append(box, ` ${curve.name} `, value);
    const least = 1e-9 * curve.y.reduce((most, x) => (Math.abs(x) > most ? Math.abs(x) : most), 0);  // resolution
    chart.values.push({curve, value, least});
    return label;
  }
  /** The same window of time in all plots. */
  zoom(low, high, from) {
    if (this.zooming) return;
    this.zooming = true;
    for (const chart of this.charts) if (chart !== from) chart.graph.updateOptions({dateWindow: [low, high]});
    this.zooming = false;
  }
  setTime(t) {
    this.time = t;
    for (const chart of this.charts) this.moveCursor(chart);
  }
  moveCursor({graph, cursor, values}) {
    const area = graph.getArea(), x = graph.toDomXCoord(this.time), visible = x >= area.x - 1 && x <= area.x + area.w + 1;
    cursor.style.display = visible ? 'block' : 'none';
    cursor.style.left = `${x}px`, cursor.style.top = `${area.y}px`, cursor.style.height = `${area.h}px`;
    for (const {curve, value, least} of values) {
      let low = 0, high = curve.t.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (curve.t[middle] <= this.time) low = middle;
        else high = middle - 1;
      }
      const text = shortText(Math.abs(curve.y[low]) < least ? 0 : curve.y[low]);
      if (value.textContent !== text) value.textContent = text;
    }
  }
}
