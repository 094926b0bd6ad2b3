'use strict';
// What is shown: layers, and the tree of bodies.

/** [name, text, shown at first, only if the figure has it] */
const layerList = [
  ['shape', 'bodies', true], ['collision', 'collision shapes', false], ['inertia', 'inertia ellipsoids', false],
  ['contact', 'contact points', true], ['mount', 'ground', true], ['lines', 'springs and rods', true],
  ['joints', 'joints as screws', false], ['frames', 'frames', false], ['com', 'center of mass', false],
  ['reactions', 'reactions', true], ['forces', 'contact forces', true], ['trail', 'path', true], ['past', 'past poses', true], ['axis', 'instantaneous screw axis', false],
  ['labels', 'names', false], ['floor', 'floor', true]];

class Layers {
  /** @param changed  called with a name and whether it is shown */
  constructor(panel, changed) {
    this.boxes = new Map();
    for (const [name, text, shown] of layerList) {
      const box = element('input', {type: 'checkbox', checked: shown, id: `layer-${name}`});
      box.addEventListener('change', () => changed(name, box.checked));
      this.boxes.set(name, box);
      panel.append(element('label', {}, box, ` ${text}`));
    }
  }
  shown(name) {
    return this.boxes.get(name).checked;
  }
  set(name, shown) {
    this.boxes.get(name).checked = shown;
  }
  /** Layers that a mechanism does not have are left out. */
  offer(has) {
    for (const [name, box] of this.boxes) box.parentElement.hidden = !has(name);
  }
}

/** Bodies as a tree: search, choose, hide, isolate. */
class BodyTree {
  /** @param chosen  called with a body; @param hide  called with the set of hidden bodies */
  constructor({chosen, hide}) {
    Object.assign(this, {chosen, hide, hidden: new Set(), rows: []});
    $('search').addEventListener('input', () => this.filter());
  }
  setModel(model) {
    this.model = model;
    this.hidden = new Set();
    const depths = depthsOf(model);
    this.rows = model.bodies.slice(0, 2000).map((body, b) => {
      const eye = element('input', {type: 'checkbox', checked: true, ariaLabel: `show ${body.name}`});
      eye.addEventListener('change', () => {
        if (eye.checked) this.hidden.delete(b);
        else this.hidden.add(b);
        this.hide(this.hidden);
      });
      const row = element('li', {}, eye, element('button', {onclick: () => this.chosen(b)}, body.name),
        element('button', {onclick: () => this.isolate(b), ariaLabel: `only ${body.name}`}, 'only'));
      row.style.paddingLeft = `${Math.min(10 * depths[b], 120)}px`;
      return row;
    });
    $('tree').replaceChildren(...this.rows);
    this.filter();
  }
  /** Only this body; once more, all of them again. */
  isolate(b) {
    const others = this.model.bodies.map((_, i) => i).filter(i => i !== b), alone = others.every(i => this.hidden.has(i)) && !this.hidden.has(b);
    this.hidden = new Set(alone ? [] : others);
    this.rows.forEach((row, i) => { row.querySelector('input').checked = !this.hidden.has(i); });
    this.hide(this.hidden);
  }
  mark(b) {
    this.rows.forEach((row, i) => row.classList.toggle('chosen', i === b));
  }
  filter() {
    const text = $('search').value.toLowerCase();
    this.rows.forEach((row, b) => { row.hidden = !this.model.bodies[b].name.toLowerCase().includes(text); });
  }
}
