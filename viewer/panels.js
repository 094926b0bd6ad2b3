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

/** Facts, warnings and the scenario of a run. */
function showFacts(panel, run) {
  const table = element('table'), children = [table];
  const {model} = run;
  fillTable(table, [['run', run.name], ...(model ? [['model', `${model.name}: ${model.bodies.length} bodies, nq = ${model.nq}, nv = ${model.nv}`]] : []), ...run.facts]);
  children.unshift(...warningsOf(run.warnings));
  if (!model) children.unshift(element('p', {className: 'warning'}, 'This run has no model with it: it is only plotted.'));
  if (run.scenario) children.push(element('details', {}, element('summary', {}, 'scenario'), element('pre', {}, run.scenario)));
  panel.replaceChildren(...children);
}
function warningsOf(warnings) {
  return warnings.map(text => element('p', {className: 'warning'}, text));
}

/** A body and its numbers. */
function showBody(panel, figure, b, buttons) {
  const {model} = figure, body = model.bodies[b], C = figure.bodyPose(b), joint = model.joints.find(j => j.child === b);
  const table = element('table');
  const rows = [['mass [kg]', shortText(body.mass)], ['position [m]', triple(C.slice(9))],
    ['quaternion', triple(Screws.quaternion(C))], ['center of mass [m]', triple(Screws.apply(C, body.com))]];
  if (joint) rows.push(['joint', `${joint.name} (${joint.type})`]);
  if (joint && figure.q) rows.push(['q', triple(figure.q.slice(joint.q, joint.q + joint.nq))]);
  fillTable(table, rows);
  panel.replaceChildren(element('h3', {}, body.name), table, element('div', {className: 'buttons'}, ...buttons));
}
