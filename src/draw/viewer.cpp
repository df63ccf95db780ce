#include "draw/viewer.hpp"

namespace consort::draw {

const std::string_view viewer_style = R"css(
:root { color-scheme: light dark; --ground: #ffffff; --ink: #222222; --quiet: #6a6a6a; --grid: #e6e6e6; --axis: #444444;
  --select: rgba(0, 114, 178, 0.14); }
@media (prefers-color-scheme: dark) {
  :root { --ground: #16181c; --ink: #e6e6e6; --quiet: #9a9a9a; --grid: #2b2e34; --axis: #8a8a8a;
    --select: rgba(77, 166, 224, 0.22); }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1400px; padding: 14px 22px 22px; background: var(--ground); color: var(--ink);
  font: 14px/1.4 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 24px; margin-bottom: 8px; }
h1 { font-size: 19px; font-weight: 650; margin: 0; overflow-wrap: anywhere; }
#hint, .note { color: var(--quiet); font-size: 12.5px; margin: 0; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 6px; margin: 10px 0 2px; padding-left: 70px; }
.legend button { display: inline-flex; align-items: center; gap: 7px; max-width: 100%; padding: 2px 8px; border: 0;
  border-radius: 6px; background: none; color: inherit; font: inherit; font-size: 13px; cursor: pointer; }
.legend button:hover { background: var(--grid); }
.legend button:focus-visible { outline: 2px solid var(--quiet); }
.legend button[aria-pressed="false"] { opacity: 0.4; text-decoration: line-through; }
.legend svg { flex: none; }
.legend .name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; max-width: 40em; }
.legend output { color: var(--quiet); font-variant-numeric: tabular-nums; min-width: 5.5em; text-align: left; }
canvas { display: block; width: 100%; cursor: crosshair; touch-action: pan-y; }
)css";

const std::string_view viewer_script = R"js(
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const left = 70, right = 16, top = 8, bottom = 42, inner = 14;
  const span = data.end - data.start;
  // All times are relative to the start. A run of a single instant gets a margin.
  const whole = span > 0 ? [0, span] : [-0.5, 0.5];
  let view = whole.slice();
  let pointer = null;  // time under the pointer
  // One of: a selection of times { from, to }, of values { axis, from, to }, a move { move, view, range }.
  let drag = null;
  const floats = text => new Float64Array(Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer);
  const times = floats(data.t);

  // --- numbers

  const superscript = n => String(n).replace(/-/g, "⁻").replace(/[0-9]/g, d => "⁰¹²³⁴⁵⁶⁷⁸⁹"[d]);

  function ticks(low, high, most) {
    const least = (high - low) / Math.max(1, most);
    let power = Math.floor(Math.log10(least));
    let step = [1, 2, 5].find(m => m * 10 ** power >= least * (1 - 1e-9));
    if (step === undefined) { step = 1; power += 1; }
    const size = step * 10 ** power;
    const magnitude = Math.max(Math.abs(low), Math.abs(high));
    const exponent = magnitude === 0 || (magnitude >= 1e-2 && magnitude < 1e5) ? 0 : 3 * Math.floor(Math.log10(magnitude) / 3);
    const places = Math.min(20, Math.max(0, exponent - power));
    const list = [];
    for (let n = Math.ceil(low / size - 1e-9); n <= Math.floor(high / size + 1e-9) && list.length < 100; ++n) {
      list.push({ at: n * size, label: (n * size / 10 ** exponent).toFixed(places).replace("-", "−") });
    }
    return list.length < 2 && most < 20 ? ticks(low, high, most + 3) : { list, exponent };
  }

  // For base-10 logarithms: ticks at powers of ten, and at 2 and 5 times these if there is room.
  function logTicks(low, high, most) {
    const every = Math.max(1, Math.ceil((high - low) / Math.max(2, most)));
    const multiples = 3 * (high - low) <= Math.max(4, most) ? [1, 2, 5] : [1];
    const list = [];
    for (let power = Math.floor(low); power <= high; ++power) {
      if (power % every !== 0) continue;
      for (const m of multiples) {
        const at = power + Math.log10(m);
        if (at >= low && at <= high) list.push({ at, label: String(Number((m * 10 ** power).toPrecision(1))) });
      }
    }
    return list.length < 2 ? { list: ticks(low, high, most).list.map(t => ({ at: t.at, label: (10 ** t.at).toPrecision(3) })), exponent: 0 }
                           : { list, exponent: 0 };
  }

  function read(value) {
    if (!Number.isFinite(value)) return "";
    const text = Math.abs(value) >= 1e6 || (value !== 0 && Math.abs(value) < 1e-4) ? value.toExponential(5) : value.toPrecision(6);
    return text.replace(/(\.\d*?)0+(?=e|$)/, "$1").replace(/\.(?=e|$)/, "").replace(/-/g, "−");
  }

  // Index of the last point at or before t; -1: before the first point.
  function indexAt(t, list) {
    let low = 0, high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle] <= t) low = middle + 1; else high = middle;
    }
    return low - 1;
  }

  function valueAt(curve, t) {
    const i = indexAt(t, curve.t);
    if (i < 0) return NaN;
    if (curve.t[i] === t) return curve.y[i];
    if (i + 1 >= curve.t.length || curve.starts[i + 1]) return NaN;
    if (curve.steps) return curve.y[i];
    const f = (t - curve.t[i]) / (curve.t[i + 1] - curve.t[i]);
    return curve.y[i] + f * (curve.y[i + 1] - curve.y[i]);
  }

  // --- panels

  const panels = data.panels.map((panel, number) => {
    const section = document.createElement("section");
    const legend = document.createElement("div");
    legend.className = "legend";
    const canvas = document.createElement("canvas");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", panel.curves.map(c => c.name).join(", ") + " over time");
    section.append(legend, canvas);
    document.getElementById("panels").append(section);
    const isLast = number === data.panels.length - 1;
    const height = (panel.lanes ? 36 * panel.curves.length : data.height) + top + (isLast ? bottom : inner);
    canvas.style.height = height + "px";
    const p = { ...panel, canvas, height, isLast, range: null, low: 0, high: 1, h: 1 };
    p.curves.forEach(curve => {
      curve.shown = true;
      curve.t = curve.t === undefined ? times : floats(curve.t);
      curve.y = floats(curve.y);
      const starts = new Uint8Array(curve.t.length);
      for (const i of curve.starts) starts[i] = 1;
      curve.starts = starts;
      addToLegend(legend, curve);
    });
    listen(p);
    return p;
  });

  function addToLegend(legend, curve) {
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-pressed", "true");
    button.title = curve.about || curve.name;
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("width", "20");
    svg.setAttribute("height", "8");
    const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
    line.setAttribute("d", "M0 4H20");
    line.setAttribute("stroke-width", "2.4");
    line.setAttribute("stroke-dasharray", curve.dash);
    svg.append(line);
    const name = document.createElement("span");
    name.className = "name";
    name.textContent = curve.name;
    curve.output = document.createElement("output");
    curve.line = line;
    button.append(svg, name, curve.output);
    button.addEventListener("click", () => {
      curve.shown = !curve.shown;
      button.setAttribute("aria-pressed", String(curve.shown));
      draw();
    });
    legend.append(button);
  }

  // --- drawing

  // Indices of the points in view and of a neighbour on each side. Where there are more than four per pixel, a pixel
  // keeps its first, lowest, highest and last point; no gap is closed.
  function visible(c, w) {
    const key = [view[0], view[1], w].join();
    if (c.key === key) return c.kept;
    const begin = Math.max(0, indexAt(view[0], c.t) - 1), end = Math.min(c.t.length, indexAt(view[1], c.t) + 2);
    const kept = [];
    if (end - begin <= 4 * w) {
      for (let i = begin; i < end; ++i) kept.push(i);
    } else {
      const scale = w / (view[1] - view[0]);
      let first = -1, low = -1, high = -1, last = -1, column = 0;
      const close = () => {
        if (first < 0) return;
        const [a, b] = low < high ? [low, high] : [high, low];
        kept.push(first);
        if (a > first) kept.push(a);
        if (b > a && b < last) kept.push(b);
        if (last > first && last > a) kept.push(last);
      };
      for (let i = begin; i < end; ++i) {
        const at = Math.floor((c.t[i] - view[0]) * scale);
        if (first < 0 || at !== column || c.starts[i]) {
          close();
          first = low = high = last = i;
          column = at;
        } else {
          if (c.y[i] < c.y[low]) low = i;
          if (c.y[i] > c.y[high]) high = i;
          last = i;
        }
      }
      close();
    }
    c.key = key;
    c.kept = kept;
    return kept;
  }

  function limits(p, w) {
    if (p.lanes) return [0, p.curves.length];
    if (p.range) return p.range;
    let low = Infinity, high = -Infinity;
    const see = y => { if (y < low) low = y; if (y > high) high = y; };
    for (const c of p.curves) {
      if (!c.shown) continue;
      for (const i of visible(c, w)) if (c.t[i] >= view[0] && c.t[i] <= view[1]) see(c.y[i]);
      for (const t of view) { const y = valueAt(c, t); if (Number.isFinite(y)) see(y); }
    }
    if (!(low <= high)) return [0, 1];
    const magnitude = Math.max(Math.abs(low), Math.abs(high));
    if (high - low <= 1e-12 * magnitude || high === low) {
      const half = magnitude > 0 ? 0.1 * magnitude : 1;
      return [low - half, high + half];
    }
    const room = 0.06 * (high - low);
    return [low - room, high + room];
  }

  function trace(g, c, w, x, y) {
    const alone = [];
    let before = 0, isFirst = true;
    g.beginPath();
    for (const i of visible(c, w)) {
      const px = x(c.t[i]), py = y(c.scale * c.y[i] + c.offset);
      if (c.starts[i] && (i + 1 === c.t.length || c.starts[i + 1])) alone.push([px, py]);
      if (isFirst || c.starts[i]) g.moveTo(px, py);
      else { if (c.steps) g.lineTo(px, before); g.lineTo(px, py); }
      before = py;
      isFirst = false;
    }
    g.stroke();
    for (const [px, py] of alone) { g.beginPath(); g.arc(px, py, 2.6, 0, 7); g.fill(); }
  }

  function drawPanel(p, ink) {
    const width = p.canvas.clientWidth, ratio = devicePixelRatio || 1;
    p.canvas.width = Math.round(width * ratio);
    p.canvas.height = Math.round(p.height * ratio);
    const g = p.canvas.getContext("2d");
    g.scale(ratio, ratio);
    const w = Math.max(10, width - left - right), h = p.height - top - (p.isLast ? bottom : inner);
    const [low, high] = limits(p, w);
    Object.assign(p, { low, high, h });
    const x = t => left + w * (t - view[0]) / (view[1] - view[0]);
    const y = v => top + h - h * (v - low) / (high - low);
    const sharp = v => Math.floor(v) + 0.5;
    g.font = "12px system-ui, Helvetica, Arial, sans-serif";
    g.textBaseline = "middle";

    const across = ticks(data.start + view[0], data.start + view[1], Math.floor(w / 90));
    const up = p.lanes ? { list: p.curves.flatMap(c => [{ at: c.offset, label: "0" }, { at: c.offset + c.scale, label: "1" }]), exponent: 0 }
               : p.log ? logTicks(low, high, Math.floor(h / 38)) : ticks(low, high, Math.floor(h / 38));
    g.strokeStyle = ink.grid;
    g.beginPath();
    for (const t of across.list) { g.moveTo(sharp(x(t.at - data.start)), top); g.lineTo(sharp(x(t.at - data.start)), top + h); }
    for (const t of up.list) { g.moveTo(left, sharp(y(t.at))); g.lineTo(left + w, sharp(y(t.at))); }
    g.stroke();
    g.fillStyle = ink.ink;
    g.textAlign = "right";
    for (const t of up.list) g.fillText(t.label, left - 9, y(t.at));
    g.textAlign = "left";
    const factor = up.exponent ? "×10" + superscript(up.exponent) + " " : "";
    const unit = factor + (p.unit ? "[" + p.unit + "]" : "");
    if (unit) { g.save(); g.translate(12, top + h / 2); g.rotate(-Math.PI / 2); g.textAlign = "center"; g.fillText(unit, 0, 0); g.restore(); }
    if (p.isLast) {
      g.textAlign = "center";
      for (const t of across.list) g.fillText(t.label, x(t.at - data.start), top + h + 15);
      const prefix = { "0": "s", "-3": "ms", "-6": "µs", "-9": "ns" }[across.exponent];
      g.fillText("Time [" + (prefix || "×10" + superscript(across.exponent) + " s") + "]", left + w / 2, top + h + 33);
    }

    g.save();
    g.beginPath();
    g.rect(left, top - 3, w, h + 6);
    g.clip();
    for (const c of p.curves) {
      if (!c.shown) continue;
      g.strokeStyle = g.fillStyle = c.colours[dark.matches ? 1 : 0];
      g.lineWidth = 1.7;
      g.lineJoin = "round";
      g.setLineDash(c.dash ? c.dash.split(" ").map(Number) : []);
      trace(g, c, w, x, y);
    }
    g.setLineDash([]);
    if (drag && drag.axis === p) {
      g.fillStyle = ink.select;
      g.fillRect(left, Math.min(drag.from, drag.to), w, Math.abs(drag.to - drag.from));
    } else if (drag && !drag.move && !drag.axis) {
      g.fillStyle = ink.select;
      g.fillRect(x(Math.min(drag.from, drag.to)), top, Math.abs(x(drag.to) - x(drag.from)), h);
    }
    if (pointer !== null) drawPointer(g, p, x, y, h, ink);
    g.restore();
    g.strokeStyle = ink.axis;
    g.beginPath();
    g.moveTo(left + 0.5, top); g.lineTo(left + 0.5, sharp(top + h)); g.lineTo(left + w, sharp(top + h));
    g.stroke();
  }

  function drawPointer(g, p, x, y, h, ink) {
    g.strokeStyle = ink.quiet;
    g.lineWidth = 1;
    g.beginPath();
    g.moveTo(x(pointer), top); g.lineTo(x(pointer), top + h);
    g.stroke();
    for (const c of p.curves) {
      const value = valueAt(c, pointer);
      if (!c.shown || !Number.isFinite(value)) continue;
      g.fillStyle = c.colours[dark.matches ? 1 : 0];
      g.beginPath();
      g.arc(x(pointer), y(c.scale * value + c.offset), 3.4, 0, 7);
      g.fill();
    }
    if (p !== panels[0]) return;
    const text = "t = " + read(data.start + pointer) + " s";
    const size = g.measureText(text).width + 10;
    const at = x(pointer) + 8 + size > p.canvas.clientWidth - right ? x(pointer) - 8 - size : x(pointer) + 8;
    g.fillStyle = ink.ground;
    g.globalAlpha = 0.85;
    g.fillRect(at, top + 2, size, 18);
    g.globalAlpha = 1;
    g.fillStyle = ink.ink;
    g.textAlign = "left";
    g.fillText(text, at + 5, top + 11);
  }

  let waiting = false;
  function draw() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      const style = getComputedStyle(document.documentElement);
      const ink = {};
      for (const name of ["ground", "ink", "quiet", "grid", "axis", "select"]) ink[name] = style.getPropertyValue("--" + name).trim();
      for (const p of panels) {
        for (const c of p.curves) {
          c.line.setAttribute("stroke", c.colours[dark.matches ? 1 : 0]);
          const value = pointer === null || !c.shown ? "" : read(c.log ? 10 ** valueAt(c, pointer) : valueAt(c, pointer));
          c.output.textContent = value && c.unit ? value + " " + c.unit : value;
        }
        drawPanel(p, ink);
      }
    });
  }

  // --- the pointer

  function timeAt(p, event) {
    const box = p.canvas.getBoundingClientRect();
    const f = (event.clientX - box.left - left) / Math.max(10, box.width - left - right);
    return view[0] + Math.min(1, Math.max(0, f)) * (view[1] - view[0]);
  }

  const height = (p, event) => Math.min(top + p.h, Math.max(top, event.clientY - p.canvas.getBoundingClientRect().top));
  const valueAtHeight = (p, y) => p.high - (y - top) / p.h * (p.high - p.low);
  const isOnAxis = (p, event) => !p.lanes && event.clientX - p.canvas.getBoundingClientRect().left < left;

  // Below this, numbers have no digits left.
  const isWide = (low, high, least) => high - low > 1e-12 * Math.max(least, Math.abs(low), Math.abs(high));

  function zoomTime(at, factor) {
    const low = Math.max(whole[0], at - (at - view[0]) * factor), high = Math.min(whole[1], at + (view[1] - at) * factor);
    if (isWide(low, high, Math.abs(data.start) + whole[1] - whole[0])) view = [low, high];
  }

  function zoomValues(p, at, factor) {
    const low = at - (at - p.low) * factor, high = at + (p.high - at) * factor;
    if (!p.lanes && isWide(low, high, 0) && Number.isFinite(high - low)) p.range = [low, high];
  }

  function move(p, event) {
    const wide = drag.view[1] - drag.view[0];
    const by = (drag.x - event.clientX) / Math.max(10, p.canvas.clientWidth - left - right) * wide;
    view = [drag.view[0] + by, drag.view[1] + by];
    if (!drag.range) return;
    const up = (event.clientY - drag.y) / p.h * (drag.range[1] - drag.range[0]);
    p.range = [drag.range[0] + up, drag.range[1] + up];
  }

  function listen(p) {
    p.canvas.addEventListener("pointerdown", event => {
      if (event.button !== 0) return;
      p.canvas.setPointerCapture(event.pointerId);
      const at = { x: event.clientX, y: event.clientY };
      if (event.shiftKey) drag = { ...at, move: true, view: view.slice(), range: p.range };
      else if (isOnAxis(p, event)) drag = { ...at, axis: p, from: height(p, event), to: height(p, event) };
      else drag = { ...at, from: timeAt(p, event), to: timeAt(p, event) };
    });
    p.canvas.addEventListener("pointermove", event => {
      if (!drag) p.canvas.style.cursor = isOnAxis(p, event) ? "ns-resize" : "crosshair";
      else if (drag.move) move(p, event);
      else drag.to = drag.axis ? height(p, event) : timeAt(p, event);
      pointer = timeAt(p, event);
      draw();
    });
    const release = event => {
      const chosen = drag && !drag.move && event.type === "pointerup";
      if (chosen && drag.axis && Math.abs(event.clientY - drag.y) > 4) {
        const low = valueAtHeight(p, Math.max(drag.from, drag.to)), high = valueAtHeight(p, Math.min(drag.from, drag.to));
        if (isWide(low, high, 0)) p.range = [low, high];
      } else if (chosen && !drag.axis && Math.abs(event.clientX - drag.x) > 4) {
        const low = Math.min(drag.from, drag.to), high = Math.max(drag.from, drag.to);
        if (isWide(low, high, Math.abs(data.start) + whole[1] - whole[0])) view = [low, high];
      }
      drag = null;
      draw();
    };
    p.canvas.addEventListener("pointerup", release);
    p.canvas.addEventListener("pointercancel", release);
    p.canvas.addEventListener("pointerleave", () => { if (!drag) { pointer = null; draw(); } });
    p.canvas.addEventListener("wheel", event => {
      if (event.ctrlKey) return;  // the browser's own zoom
      event.preventDefault();
      const turned = (event.deltaY || event.deltaX) * (event.deltaMode === 0 ? 0.002 : 0.06);
      const factor = Math.exp(Math.min(1, Math.max(-1, turned)));
      if (event.shiftKey || isOnAxis(p, event)) zoomValues(p, valueAtHeight(p, height(p, event)), factor);
      else zoomTime(timeAt(p, event), factor);
      pointer = timeAt(p, event);
      draw();
    }, { passive: false });
    p.canvas.addEventListener("dblclick", () => {
      view = whole.slice();
      for (const panel of panels) panel.range = null;
      draw();
    });
  }

  addEventListener("resize", draw);
  dark.addEventListener("change", draw);
  draw();
})();
)js";

}  // namespace consort::draw
