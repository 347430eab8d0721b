"use strict";
// Draws the charts with the library above, and the life of each cover on the aligned ruler.
(function () {
  const all = JSON.parse(document.getElementById("data").textContent);
  const SVG = "http://www.w3.org/2000/svg";

  for (const place of document.querySelectorAll(".chart")) {
    const chart = all[place.dataset.section][place.dataset.chart];
    vegaEmbed(place, chart, { actions: false, renderer: "svg" }).catch(function (error) {
      place.textContent = "This chart could not be drawn: " + error.message;
      console.error(error);
    });
  }

  // The cover after so many closes: one block a unit, and the merges that the core did on the way.
  function cover(life, closes) {
    let view = [];
    for (let close = 1; close <= closes; close++) {
      view.push([close - 1, 1]);
      for (const [start, size] of life.merged[close] || []) {
        const stop = start + size;
        const at = view.findIndex(function (block) { return block[0] === start; });
        view = view.filter(function (block) { return block[0] < start || block[0] >= stop; });
        view.splice(at, 0, [start, size]);
      }
    }
    return view;
  }

  function add(parent, kind, attributes) {
    const element = document.createElementNS(SVG, kind);
    for (const key of Object.keys(attributes)) element.setAttribute(key, attributes[key]);
    parent.appendChild(element);
    return element;
  }

  function range(start, size) {
    return size === 1 ? "[" + start + "]" : "[" + start + "-" + (start + size - 1) + "]";
  }

  function draw(figure, data, closes, life) {
    const svg = figure.querySelector("svg");
    const width = Math.max(240, svg.clientWidth);
    const levels = Math.max(1, Math.floor(Math.log2(Math.max(1, data.units))) + 1);
    const row = 16, unit = width / data.units, height = levels * row + 20;
    const gap = Math.min(1, unit / 6);
    svg.setAttribute("viewBox", "0 0 " + width + " " + height);
    svg.setAttribute("height", height);
    svg.replaceChildren();
    const y = function (size) { return (levels - 1 - Math.log2(size)) * row; };
    for (let size = 1; size <= closes; size *= 2)
      for (let start = 0; start + size <= closes; start += size)
        if (unit * size >= 3)
          add(svg, "rect", { class: "ghost", x: start * unit + gap, y: y(size) + 2, width: unit * size - 2 * gap, height: row - 4 });
    const view = cover(life, closes);
    for (const [start, size] of view) {
      const rect = add(svg, "rect", {
        class: size === 1 ? "one" : "many", x: start * unit + gap, y: y(size) + 2, width: Math.max(0.5, unit * size - 2 * gap), height: row - 4,
      });
      add(rect, "title", {}).textContent = range(start, size) + " " + text(data, start, size);
    }
    const step = Math.pow(2, Math.max(0, Math.ceil(Math.log2(data.units / (width / 40)))));
    for (let at = 0; at < data.units; at += step)
      add(svg, "text", { x: at * unit + gap, y: height - 4 }).textContent = String(at);
    const merged = view.filter(function (block) { return block[1] > 1; }).length;
    const says = closes + (closes === 1 ? " unit, " : " units, ") + view.length + (view.length === 1 ? " line" : " lines") +
      " (" + merged + " merged); budget " + life.lines + " lines.";
    svg.setAttribute("aria-label", "The cover on the aligned ruler: " + says);
    figure.querySelector(".says").textContent = says;
    const lines = figure.querySelector(".lines");
    lines.replaceChildren.apply(lines, view.map(function (block) {
      const item = document.createElement("li"), address = document.createElement("b");
      address.textContent = range(block[0], block[1]);
      item.append(address, text(data, block[0], block[1]));
      return item;
    }));
    lines.hidden = view.length === 0;
  }

  function text(data, start, size) {
    return size === 1 ? data.titles[start] : data.texts[start + "+" + size];
  }

  for (const figure of document.querySelectorAll(".ruler")) {
    const slider = figure.querySelector("input");
    if (!slider) continue;
    const data = all[figure.dataset.section].ruler;
    const select = figure.querySelector("select"), count = figure.querySelector(".count");
    data.lives.forEach(function (life, index) {
      select.add(new Option(life.lines + " lines" + (index ? "" : " (this replay)"), String(index)));
    });
    slider.max = String(data.units);
    slider.value = slider.max;
    const show = function () {
      const closes = Number(slider.value);
      count.textContent = String(closes);
      slider.setAttribute("aria-valuetext", closes + " of " + data.units + " closes");
      draw(figure, data, closes, data.lives[Number(select.value)]);
    };
    slider.addEventListener("input", show);
    select.addEventListener("change", show);
    new ResizeObserver(show).observe(figure);
    show();
  }
})();
