'use strict';
// Files from the page: the picture, a film, the plots, the numbers.

const fileName = (page, ending) => `${document.title.replace(/ - Chasles$/, '').replace(/[^\w.-]+/g, '_') || 'run'}.${ending}`;

function saveFile(name, blob) {
  const link = element('a', {download: name, href: URL.createObjectURL(blob)});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  return blob;
}

/** All numbers of a run, as `-o RUN.csv` names them. Each is within the resolution of the report. */
function csvOf(run) {
  const cell = text => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
  const lines = [['t [s]', ...run.columns.map(([, label]) => cell(label))].join(',')];
  for (let row = 0; row < run.t.length; ++row)
    lines.push([run.t[row], ...run.columns.map((_, c) => run.table.at(row, c))].map(x => (Number.isFinite(x) ? Number(x.toPrecision(12)) : '')).join(','));
  return lines.join('\n') + '\n';
}

/** Names in rows of a width: [{name, k, x, row}]. */
function legendRows(names, width) {
  let x = 0, row = 0;
  return names.map(([name, k]) => {
    const length = 6.6 * name.length + 16;
    if (x > 0 && x + length > width) x = 0, ++row;
    x += length;
    return {name, k, x: x - length, row};
  });
}

/** The open plots, one below the other, as lines and text. */
function svgOf(plots) {
  const escape = text => text.replace(/[&<>"]/g, c => `&#${c.charCodeAt(0)};`);
  const width = 720, left = 78, out = [], charts = plots.charts.filter(chart => chart.graph && chart.area.offsetParent);
  let top = 0;
  for (const {graph, plot, chosen} of charts) {
    const area = {x: left, y: top + 24, w: width - left - 20, h: 130}, visible = chosen.map((curve, k) => [curve, k]).filter(([, k]) => graph.visibility()[k]);
    const [t0, t1] = graph.xAxisRange(), [y0, y1] = graph.yAxisRange(), log = plot.log && y0 > 0;
    const X = t => area.x + area.w * (t - t0) / (t1 - t0), scale = y => (log ? Math.log(y) : y);
    const Y = y => area.y + area.h * (1 - (scale(y) - scale(y0)) / (scale(y1) - scale(y0)));
    out.push(`<text x="${left}" y="${top + 15}" font-weight="bold">${escape(plot.title)}</text>`);
    for (const {v, label} of ticksOf(y0, y1, area.h, log))
      out.push(`<path d="M${area.x} ${Y(v).toFixed(1)}h${area.w}" stroke="#ddd"/><text x="${left - 6}" y="${(Y(v) + 4).toFixed(1)}" text-anchor="end">${label}</text>`);
    for (const {v, label} of ticksOf(t0, t1, area.w / 2, false))
      out.push(`<path d="M${X(v).toFixed(1)} ${area.y}v${area.h}" stroke="#ddd"/><text x="${X(v).toFixed(1)}" y="${area.y + area.h + 15}" text-anchor="middle">${label}</text>`);
    out.push(`<text x="${left - 18}" y="${area.y + area.h + 15}" text-anchor="end">t [s]</text>`);
    for (const [{t, y}, k] of visible) {
      let path = '', pen = 'M';
      for (let j = 0; j < t.length; ++j) {
        const inside = t[j] >= t0 && t[j] <= t1 && Number.isFinite(y[j]) && !(log && y[j] <= 0);
        if (inside) path += `${pen}${X(t[j]).toFixed(2)} ${Y(y[j]).toFixed(2)}`;
        pen = inside ? 'L' : 'M';
      }
      out.push(`<path d="${path}" fill="none" stroke="${curveColors[k % curveColors.length]}" stroke-width="1.3"/>`);
    }
    const legend = legendRows(visible.map(([{name}, k]) => [name, k]), area.w);
    for (const {name, k, x, row} of legend)
      out.push(`<text x="${left + x}" y="${area.y + area.h + 32 + 15 * row}" fill="${curveColors[k % curveColors.length]}">${escape(name)}</text>`);
    top += 210 + 15 * Math.max(0, ...legend.map(({row}) => row));
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${top}" font-family="sans-serif" font-size="11">` +
    `<rect width="100%" height="100%" fill="#fff"/>${out.join('\n')}</svg>\n`;
}

/** The run once, as it plays, by the browser's own encoder. @return a promise of the film, or null where there is none */
async function filmOf(page) {
  const {player} = page, canvas = page.scene.renderer.domElement;
  if (!canvas.captureStream || !window.MediaRecorder) return null;
  const recorder = new MediaRecorder(canvas.captureStream(30), {mimeType: 'video/webm', videoBitsPerSecond: 8e6}), parts = [];
  recorder.ondataavailable = event => parts.push(event.data);
  const done = new Promise(resolve => { recorder.onstop = () => resolve(new Blob(parts, {type: 'video/webm'})); });
  const {loop} = player, from = player.t;
  player.play(false);
  player.seek(player.start);
  player.loop = false;
  recorder.start();
  player.play(true);
  await new Promise(resolve => {
    const watch = () => (player.playing ? setTimeout(watch, 50) : resolve());
    watch();
  });
  recorder.stop();
  player.loop = loop;
  player.seek(from);
  return done;
}

function wireSaving(page) {
  const say = text => { $('saved').textContent = text; };
  const on = (id, action) => $(id).addEventListener('click', action);
  on('save-png', () => {
    if (!page.scene) return say('there is no picture');
    page.scene.drawNow();
    page.scene.renderer.domElement.toBlob(blob => saveFile(fileName(page, 'png'), blob));
  });
  on('save-svg', () => saveFile(fileName(page, 'svg'), new Blob([svgOf(page.plots)], {type: 'image/svg+xml'})));
  on('save-csv', () => saveFile(fileName(page, 'csv'), new Blob([csvOf(page.run)], {type: 'text/csv'})));
  on('save-webm', async () => {
    say('recording ...');
    const film = page.scene && await filmOf(page);
    if (film) saveFile(fileName(page, 'webm'), film);
    say(film ? '' : 'this browser does not record films');
  });
  on('save-link', () => {
    location.replace(page.address());
    say('the address of this page shows this moment');
    if (navigator.clipboard) navigator.clipboard.writeText(location.href).catch(() => {});
  });
}
