'use strict';
// A row for every coordinate of a mechanism: a slider, a number that can be typed, and the way back. Rows and the line of
// messages above them have fixed places, so that nothing moves under the pointer.

class Sliders {
  /**
   * @param panel     where the rows go
   * @param figure    its model, and the closure that moves it
   * @param x         canonical coordinates, changed in place
   * @param isClosed  whether loops are kept closed
   * @param changed   called after x has changed
   */
  constructor(panel, figure, x, isClosed, changed) {
    Object.assign(this, {x, isClosed, changed, closure: figure.closure, model: figure.model, rows: []});
    this.bonds = Sliders.bondsOf(this.model);
    this.first = this.closure.save(x);
    this.status = element('p', {className: 'slider-status'});
    this.status.setAttribute('role', 'status');
    const reset = element('button', {className: 'slider-reset', title: 'all coordinates as at first',
      onclick: () => this.reset()}, 'reset');
    panel.replaceChildren(element('div', {className: 'slider-head'}, this.status, reset));
    for (const joint of this.model.joints)
      for (let k = 0; k < joint.nv; ++k) panel.append(this.row(joint, k));
    this.refresh();
  }
  /** What is kept while sliders move: its name, and how one speaks of it; null: there is nothing. */
  static bondsOf({loops, couplings, constraints}) {
    if (loops.length + couplings.length > 0) return {label: 'loops closed', name: 'The loops', kept: 'closed', without: 'with loops open'};
    return constraints.length > 0 ? {label: 'constraints kept', name: 'The constraints', kept: 'fulfilled', without: 'without them'} : null;
  }
  row(joint, k) {
    const angle = joint.units[k] === 'rad', reach = angle ? Math.PI : 10 * this.model.small, i = joint.v + k;
    const limits = joint.nv === 1 ? [joint.lower, joint.upper] : [];
    const [low, high] = [limits[0] ?? -reach, limits[1] ?? reach], name = joint.nv > 1 ? `${joint.name}[${k}]` : joint.name;
    const slider = element('input', {type: 'range', min: low, max: high, step: 'any'});
    const number = element('input', {type: 'number', step: 'any'});
    const back = element('button', {className: 'slider-back', title: `${name} as at first`}, '↺');
    slider.dataset.coordinate = i;
    slider.setAttribute('aria-label', name);
    number.setAttribute('aria-label', `${name}, typed`);
    back.setAttribute('aria-label', back.title);
    const entry = {i, name, slider, number, limits, unit: joint.units[k]};
    this.rows.push(entry);
    slider.addEventListener('input', () => this.ask(entry, Number(slider.value)));
    number.addEventListener('change', () => this.ask(entry, number.value.trim() === '' ? NaN : Number(number.value)));
    back.addEventListener('click', () => this.ask(entry, this.first.x[i]));
    return element('div', {className: 'slider'}, element('span', {title: name}, `${name} [${entry.unit}]`), slider, number, back);
  }

  /** Moves a coordinate to a value, or as far as limits and loops allow, and says where it stays. */
  ask({i, name, limits: [lower, upper], unit}, asked) {
    if (!Number.isFinite(asked)) return this.say(`'${name}': give a number`);
    const value = Math.min(Math.max(asked, lower ?? -Infinity), upper ?? Infinity), said = [];
    if (value !== asked) said.push(`'${name}' stays within its limits, ${shortText(lower ?? -Infinity)} to ${shortText(upper ?? Infinity)} ${unit}.`);
    if (!this.isClosed()) {
      this.x[i] = value;
    } else {
      const before = this.x[i], reached = this.closure.move(this.x, i, value), bonds = this.bonds;
      if (!(this.closure.open(this.x) <= Closure.closed)) said.push(`${bonds.name} cannot be ${bonds.kept} from here; reset, or move ${bonds.without}.`);
      else if (reached !== value)
        said.push(`'${name}' ${reached === before ? 'stays' : 'stops'} at ${shortText(reached)} ${unit}: ${bonds.name.toLowerCase()} cannot be kept ${bonds.kept} to ${shortText(value)}.`);
    }
    this.say(said.join(' '));
  }
  /** Closes the loops from where they are; if that fails, they stay open, and it says so. */
  close() {
    this.say(this.closure.close(this.x) ? '' : `${this.bonds.name} cannot be ${this.bonds.kept} from here: nothing was moved. Reset, or bring their ends nearer.`);
  }
  reset() {
    this.closure.restore(this.x, this.first);
    this.say('');
  }
  say(text) {
    const beyond = this.rows.filter(({i, limits: [lower, upper]}) => this.x[i] < (lower ?? -Infinity) - 1e-9 || this.x[i] > (upper ?? Infinity) + 1e-9);
    const named = beyond.map(({name}) => `'${name}'`);
    this.status.textContent = [text, named.length ? `Beyond limits: ${named.join(', ')}.` : ''].filter(Boolean).join(' ');
    this.status.title = this.status.textContent;
    this.refresh();
    this.changed();
  }
  refresh() {
    for (const {i, slider, number} of this.rows) {
      slider.value = this.x[i];
      if (document.activeElement !== number || Number(number.value) !== this.x[i]) number.value = shortText(this.x[i]);
    }
  }
}
