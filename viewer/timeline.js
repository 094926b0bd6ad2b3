'use strict';
// Time: playback, its bar over the whole width with the events of the run, and its keys.

/** Playback in real time, or such that a run takes between 3 and 60 s. */
function fittingSpeed(length) {
  if (length > 60) return roundUp(length / 30);
  return length > 0 && length < 3 ? roundUp(length / 6) : 1;
}

class Player {
  /** @param shown  called with the time; @param state  with whether it plays */
  constructor(runs, shown, state, frame = () => {}) {
    this.start = Math.min(...runs.map(run => run.start));
    this.end = Math.max(...runs.map(run => run.end));
    Object.assign(this, {shown, state, frame, t: this.start, playing: false, speed: 1, loop: true});
  }
  seek(t) {
    this.t = Math.min(Math.max(t, this.start), this.end);
    this.shown(this.t);
  }
  play(playing = !this.playing) {
    if (playing === this.playing) return;
    this.playing = playing;
    this.state(playing);
    if (!playing) return;
    if (this.t >= this.end) this.t = this.start;
    let before = performance.now();
    const frame = now => {
      if (!this.playing) return;
      const passed = Math.max(now - before, 0);
      let t = this.t + passed / 1000 * this.speed;
      before = now;
      if (t > this.end) {
        if (this.loop) t = this.start + (t - this.end) % (this.end - this.start || 1);
        else this.play(false);
      }
      this.seek(t);
      this.frame(passed);
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }
}

/** The bar with its controls. */
class Timeline {
  constructor(player) {
    this.player = player;
    const slider = $('time'), length = player.end - player.start;
    slider.min = player.start, slider.max = player.end;
    slider.addEventListener('input', () => player.seek(Number(slider.value)));
    this.digits = Math.max(0, Math.min(12, 3 - Math.floor(Math.log10(length || 1))));
    $('play').addEventListener('click', () => player.play());
    $('loop').addEventListener('change', () => { player.loop = $('loop').checked; });
    $('speed').addEventListener('change', () => { player.speed = Number($('speed').value); });
    this.fitting = fittingSpeed(length);
    this.setSpeed(this.fitting);
  }
  text(t) {
    return `${t.toFixed(this.digits)} s`;
  }
  setTime(t) {
    $('time').value = t;
    $('time').setAttribute('aria-valuetext', this.text(t));
    $('now').textContent = this.text(t);
  }
  setPlaying(playing) {
    $('play').textContent = playing ? '❚❚' : '▶';
    $('play').setAttribute('aria-label', playing ? 'pause' : 'play');
  }
  /** Within a factor of 100 of what fits the length of the run. */
  setSpeed(speed) {
    speed = Number(Math.min(Math.max(speed, this.fitting / 100), this.fitting * 100).toPrecision(3));
    this.player.speed = speed;
    $('speed').value = String(speed);
    if ($('speed').selectedIndex >= 0) return;
    const given = [...$('speed').options].find(option => option.dataset.own) || element('option');
    given.dataset.own = 'true';
    given.value = String(speed), given.textContent = `${shortText(speed)} x`;
    $('speed').append(given);
    $('speed').value = String(speed);
  }
  /** Ticks on the bar, and a list whose entries seek. */
  setEvents(events) {
    const {start, end} = this.player, length = end - start || 1, listed = events.slice(0, 1000);
    const places = new Map(events.map(([t, name]) => [Math.round(1000 * (t - start) / length), `${name} at ${this.text(t)}`]));  // one for each that differs
    $('marks').replaceChildren(...Array.from(places, ([place, title]) => {
      const mark = element('i', {title});
      mark.style.left = `${place / 10}%`;
      return mark;
    }));
    $('events').hidden = !events.length;
    $('events').querySelector('summary').textContent = `events: ${events.length}${events.length > listed.length ? `, the first ${listed.length} of them` : ''}`;
    $('events').querySelector('ol').replaceChildren(...listed.map(([t, name]) => element('li', {}, element('button',
      {onclick: () => this.player.seek(t)}, `${this.text(t)} ${name}`))));
  }
  /** Keys that act wherever the focus is not on a control that needs them. @return whether it was one */
  key(event, run) {
    const {player} = this, step = (player.end - player.start) / 100, at = row => run.t[Math.min(Math.max(row, 0), run.t.length - 1)];
    const actions = {
      ' ': () => player.play(), ArrowLeft: () => player.seek(player.t - step), ArrowRight: () => player.seek(player.t + step),
      Home: () => player.seek(player.start), End: () => player.seek(player.end),
      ',': () => player.seek(at(run.rowAt(player.t) - 1)), '.': () => player.seek(at(run.rowAt(player.t) + 1)),
      '+': () => this.setSpeed(roundUp(1.01 * player.speed)), '-': () => this.setSpeed(1 / roundUp(1.01 / player.speed))};
    if (!actions[event.key]) return false;
    actions[event.key]();
    return true;
  }
}
