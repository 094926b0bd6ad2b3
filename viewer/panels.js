'use strict';
// What is written beside the picture. All of it is text: names in files are never HTML.

/** element('p', {className: 'note'}, 'text', child) */
function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}
function fillTable(table, rows) {
  table.replaceChildren(...rows.map(([name, value]) => element('tr', {}, element('th', {}, name), element('td', {}, value))));
}
const triple = p => Array.from(p, shortText).join(', ');

/** What the run is about: what was kept, and whether it ended well. */
function showStrip(list, run) {
  const items = (run.headline.length ? run.headline : headlineOf(run)).map(text => element('li', {}, text));
  if (run.failure) items.unshift(element('li', {className: 'bad'}, 'not finished'));
  list.replaceChildren(...items);
  $('failure').hidden = !run.failure;
  $('failure').textContent = run.failure;
}

/** Facts, warnings and the scenario of a run; of several, their facts side by side. */
function showFacts(panel, run, runs) {
  const table = element('table'), children = [table], {model} = run;
  const rows = [['run', run.name], ...(model ? [['model', `${model.name}: ${model.bodies.length} bodies, nq = ${model.nq}, nv = ${model.nv}`]] : []), ...shownFacts(run)];
  fillTable(table, rows);
  if (runs.length > 1) children.push(compareFacts(runs));
  children.unshift(...warningsOf(run.warnings));
  if (!model) children.unshift(element('p', {className: 'warning'}, 'This run has no model with it: it is only plotted.'));
  if (run.scenario) children.push(element('details', {}, element('summary', {}, 'scenario'), element('pre', {tabIndex: 0, ariaLabel: 'scenario'}, run.scenario)));
  panel.replaceChildren(...children);
}
/** One column for each run, one row for each fact that differs. */
function compareFacts(runs) {
  const facts = runs.map(run => new Map(shownFacts(run))), keys = [...new Set(facts.flatMap(list => [...list.keys()]))];
  const valueOf = (run, key) => facts[runs.indexOf(run)].get(key) || '-';
  const row = (tag, cells) => element('tr', {}, ...cells.map((text, i) => element(i ? tag : 'th', {}, text)));
  const differing = keys.filter(key => new Set(runs.map(run => valueOf(run, key))).size > 1);
  return element('details', {id: 'comparison', open: true}, element('summary', {}, 'comparison'),
    element('table', {}, row('th', ['', ...runs.map(run => run.name)]), ...differing.map(key => row('td', [key, ...runs.map(run => valueOf(run, key))]))));
}
function warningsOf(warnings) {
  return warnings.map(text => element('p', {className: 'warning'}, text));
}

/** A body and its numbers. */
function bodyRows(figure, b) {
  const {model} = figure, body = model.bodies[b], C = figure.bodyPose(b), joint = model.joints.find(j => j.child === b);
  const rows = [['mass [kg]', shortText(body.mass)], ['position [m]', triple(C.slice(9))],
    ['quaternion', triple(Screws.quaternion(C))], ['center of mass [m]', triple(Screws.apply(C, body.com))]];
  if (joint) rows.push(['joint', `${joint.name} (${joint.type})`]);
  if (joint && figure.q) rows.push(['q', triple(figure.q.slice(joint.q, joint.q + joint.nq))]);
  return rows;
}
function showBody(panel, figure, b, buttons, more) {
  const table = element('table');
  fillTable(table, [...bodyRows(figure, b), ...more]);
  panel.replaceChildren(element('h2', {}, figure.model.bodies[b].name), table, element('div', {className: 'buttons'}, ...buttons));
}
