'use strict';
// Plots over time, with one cursor and one window of time in all of them.

const firstCurves = 9;  // of a plot that are drawn unless others are chosen
const openPlots = 6;
const curveColors = ['#1f6fae', '#e8710a', '#2b8a3e', '#c92a2a', '#7048b6', '#8c564b', '#c2499b', '#0b8a9e', '#8f8a13', '#6b7280'];

class Plots {
  /** @param seek  called with the time that is clicked at */
  constructor(panel, runs, seek) {
    Object.assign(this, {panel, seek, charts: [], time: runs.length ? runs[0].start : 0, window: null});
    const plots = mergePlots(runs);
    this.blocks = plots.map((plot, i) => this.addPlot(plot, i < openPlots));
    const [first] = this.blocks;
    if (first && !this.blocks.some(({block}) => block.open)) {
      first.block.open = true;
      first.make();
    }
    if (plots.length > 4) this.addFilter();
  }
  /** The chooser of quantities: only plots whose title or curves have the text. */
  addFilter() {
    const input = element('input', {type: 'search', id: 'filter', placeholder: 'choose quantities', ariaLabel: 'choose quantities'});
    input.addEventListener('input', () => {
      const text = input.value.trim().toLowerCase();
      for (const {block, plot} of this.blocks)
        block.hidden = text !== '' && !plot.title.toLowerCase().includes(text) && !plot.curves.some(curve => curve.name.toLowerCase().includes(text));
    });
    this.panel.prepend(input);
  }
  addPlot(plot, open) {
    const block = element('details'), flat = plot.log || plot.curves.length > 100 ? null : flatness(plot.curves);
    const title = element('summary', {}, plot.title + (flat ? `: ${flat.text}` : ''));
    block.append(title);
    block.dataset.key = plot.key;
    block.open = open && !(flat && flat.zero);
    this.panel.append(block);
    let made = false;
    const make = () => {
      if (made || !block.open) return;
      made = true;
      this.makeChart(plot, block, flat);
    };
    block.addEventListener('toggle', make);
    make();
    return {block, plot, make};
  }
  makeChart(plot, block, flat) {
    const box = element('div', {className: 'chart'}), area = element('div', {className: 'area'}), cursor = element('div', {className: 'cursor'});
    const chart = {plot, cursor, area, flat, values: [], legend: element('div', {className: 'legend'}), chosen: plot.curves.slice(0, firstCurves)};
    box.append(area, cursor, element('span', {className: 'unit'}, 't [s]'));
    block.append(box, chart.legend);
    if (plot.curves.length > 1) block.append(this.makeChoice(chart));
    this.charts.push(chart);
    this.drawChart(chart);
  }
  /** All curves by name: those that are ticked are drawn. */
  makeChoice(chart) {
    const {curves} = chart.plot, list = element('div'), input = element('input', {type: 'search', placeholder: 'search', ariaLabel: `search curves of ${chart.plot.title}`});
    const fill = () => list.replaceChildren(...curves.filter(curve => curve.name.toLowerCase().includes(input.value.toLowerCase())).slice(0, 200).map(curve => {
      const tick = element('input', {type: 'checkbox', checked: chart.chosen.includes(curve)});
      tick.addEventListener('change', () => {
        chart.chosen = curves.filter(other => (other === curve ? tick.checked : chart.chosen.includes(other)));
        this.drawChart(chart);
      });
      return element('label', {}, tick, ` ${curve.name}`);
    }));
    const block = element('details', {className: 'choice'}, element('summary', {}, curves.length > firstCurves ? `${firstCurves} of ${curves.length} curves` : 'curves'), input, list);
    input.addEventListener('input', fill);
    block.addEventListener('toggle', () => block.open && fill());
    return block;
  }
  drawChart(chart) {
    const {plot, area, flat, chosen} = chart, colors = chosen.map((_, i) => curveColors[i % curveColors.length]);
    if (chart.graph) chart.graph.destroy();
    chart.values = [];
    chart.legend.replaceChildren();
    chart.graph = null;
    if (!chosen.length) return;
    // Names come from files: they are never given to a library that writes HTML.
    chart.graph = new Dygraph(area, rowsOf(chosen), {
      labels: ['t', ...chosen.map((_, i) => `c${i}`)], colors, legend: 'never', logscale: Boolean(plot.log),
      connectSeparatedPoints: true, strokeWidth: 1.4, valueRange: flat ? flat.range : plot.log ? decadeOf(chosen) : null, dateWindow: this.window,
      axes: {y: {axisLabelWidth: 62, ticker: (low, high, pixels) => ticksOf(low, high, pixels, plot.log)},
        x: {pixelsPerLabel: 50, ticker: (low, high, pixels) => ticksOf(low, high, pixels / 2, false)}},
      gridLineColor: 'rgba(128,128,128,0.22)', axisLineColor: 'rgba(128,128,128,0.6)', rightGap: 8,
      clickCallback: (event, x) => this.seek(x),
      drawCallback: () => chart.graph && this.moveCursor(chart),
      zoomCallback: (low, high) => this.zoom(chart),
    });
    chosen.forEach((curve, i) => chart.legend.append(this.makeEntry(chart, curve, i, colors[i])));
    this.moveCursor(chart);
  }
  makeEntry(chart, curve, i, color) {
    const box = element('input', {type: 'checkbox', checked: true}), value = element('b');
    const label = element('label', {}, box, ` ${curve.name} `, value);
    box.addEventListener('change', () => chart.graph.setVisibility(i, box.checked));
    label.style.setProperty('--curve', color);
    const {y} = curve, least = 1e-9 * y.reduce((most, x) => (Math.abs(x) > most ? Math.abs(x) : most), 0);  // resolution
    chart.values.push({curve: {t: curve.t, y}, value, least});
    return label;
  }
  /** The same window of time in all plots, also in those that are opened later. */
  zoom(from) {
    if (this.zooming) return;
    this.zooming = true;
    this.window = from.graph.isZoomed('x') ? from.graph.xAxisRange() : null;
    for (const chart of this.charts) if (chart !== from && chart.graph) chart.graph.updateOptions({dateWindow: this.window});
    this.zooming = false;
  }
  setTime(t) {
    this.time = t;
    for (const chart of this.charts) this.moveCursor(chart);
  }
  moveCursor({graph, cursor, values, plot}) {
    if (!graph) return;
    const area = graph.getArea(), x = graph.toDomXCoord(this.time), visible = x >= area.x - 1 && x <= area.x + area.w + 1;
    cursor.style.display = visible ? 'block' : 'none';
    cursor.style.left = `${x}px`, cursor.style.top = `${area.y}px`, cursor.style.height = `${area.h}px`;
    for (const {curve, value, least} of values) {
      const y = curve.y[lastBefore(curve.t, this.time)], text = Number.isNaN(y) && plot.gap || shortText(Math.abs(y) < least ? 0 : y);
      if (value.textContent !== text) value.textContent = text;
    }
  }
  /** For printing: all of them are open. */
  openAll() {
    for (const {block, make} of this.blocks) {
      block.open = true;
      make();
    }
  }
}
