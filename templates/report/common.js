// Facts of the page, units, and elements. All that comes from a model goes through textContent or setAttribute, never through HTML.
const facts = JSON.parse(document.getElementById("facts").textContent);
const manifest = facts.manifest, layers = facts.layers, buffers = facts.buffers, profile = facts.profile, errors = facts.errors;

// element("td", "number", "3"), or with children behind the class.
function element(name, kind, ...children) {
  const e = document.createElement(name);
  if (kind) e.className = kind;
  e.append(...children.filter(c => c !== null && c !== undefined));
  return e;
}

function rounded(x) {
  return x === 0 ? "0" : x >= 1000 ? d3.format(",.0f")(x) : d3.format(x >= 100 ? ".0f" : x >= 10 ? ".1f" : x >= 1 ? ".2f" : ".2~g")(x);
}

function bytesText(n) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let k = 0;
  for (; n >= 1024 && k < units.length - 1; k++) n /= 1024;
  return `${k ? rounded(n) : n} ${units[k]}`;
}

function timeText(ms) {
  return ms >= 1000 ? `${rounded(ms / 1000)} s` : ms >= 1 ? `${rounded(ms)} ms` : ms >= 1e-3 ? `${rounded(ms * 1e3)} µs` : `${rounded(ms * 1e6)} ns`;
}

function percent(part) {
  return `${d3.format(part < 0.1 ? ".2f" : ".1f")(100 * part)} %`;
}

function operationsText(n) {
  return n >= 1e9 ? `${rounded(n / 1e9)} G` : n >= 1e6 ? `${rounded(n / 1e6)} M` : n >= 1e3 ? `${rounded(n / 1e3)} k` : `${n}`;
}

const counted = (n, word) => `${d3.format(",")(n)} ${word}${n === 1 ? "" : "s"}`;

// Of a run; measured where there is a profile.
const layerTime = layers.map((l, i) => profile ? profile.layers[i].mean_ms : l.estimate_ms);
const totalTime = d3.sum(layerTime);

// An error of dnnlc verify, or its bound: a part of the largest element, or steps; below 0 it is infinite.
function errorText(e, x) {
  return x < 0 ? "infinite" : x === 0 ? "equal" : e.steps && x >= .5 ? counted(+x.toPrecision(3), "step") : d3.format(".1e")(x);
}

const isReorder = i => manifest.layers[i].nodes.length === 0;
const kindOf = i => isReorder(i) ? "reorder" : layers[i].target === "dnnl" ? "dnnl" : "c";
const kindText = {dnnl: "oneDNN", c: "C", reorder: "reorder"};

// "Conv, Relu 'features.0'": the operators and the first node's name.
function layerTitle(i) {
  const nodes = manifest.layers[i].nodes;
  return nodes.length ? nodes.map(n => n.op).join(", ") : "Reorder";
}

function nodeName(i) {
  const named = manifest.layers[i].nodes.find(n => n.name);
  return named ? named.name : manifest.layers[i].label;
}

// What somebody may look for.
const layerWords = layers.map((l, i) => [manifest.layers[i].label, layerTitle(i), l.implementation, kindText[kindOf(i)],
  ...manifest.layers[i].nodes.map(n => n.name), ...l.reads.map(o => o.name), ...l.writes.map(o => o.name)].join("\n").toLowerCase());

const readersOf = buffers.map(() => []);
const scratchOf = new Map();
layers.forEach((l, i) => {
  const used = new Set([...l.reads.map(o => o.buffer), ...l.writes.map(o => o.buffer), ...l.packed]);
  used.delete(undefined);
  used.forEach(k => readersOf[k].push(i));
  if (l.scratch !== undefined) scratchOf.set(l.scratch, i);
});

function bufferTitle(k) {
  const users = readersOf[k];
  if (scratchOf.has(k)) return `scratch of ${manifest.layers[scratchOf.get(k)].label}`;
  return buffers[k].name || (users.length ? `of ${manifest.layers[users[0]].label}` : "without a name");
}

// A table of rows, of which the first are shown; columns: {title, number, cell(row)}.
function fillTable(id, columns, rows, empty, shown = 20) {
  const table = document.getElementById(id), body = element("tbody");
  if (!rows.length) {
    table.replaceWith(element("p", "empty", empty));
    return;
  }
  const head = element("tr", "", ...columns.map(c => {
    const th = element("th", c.number ? "number" : "", c.title);
    th.scope = "col";
    return th;
  }));
  const add = row => body.append(element("tr", "", ...columns.map(c => element("td", c.number ? "number" : c.kind || "text", c.cell(row)))));
  rows.slice(0, shown).forEach(add);
  table.append(element("thead", "", head), body);
  if (rows.length > shown) {
    const more = element("button", "more", `Show all ${d3.format(",")(rows.length)} rows`);
    more.type = "button";
    more.addEventListener("click", () => {
      rows.slice(shown).forEach(add);
      more.remove();
    });
    table.parentElement.after(more);
  }
}

function bar(part, kind) {
  const e = element("div", kind || "");
  e.style.width = `${100 * part}%`;
  return e;
}

// A button that chooses a layer in the drawing.
function layerLink(i, text) {
  const b = element("button", "link", text);
  b.type = "button";
  b.addEventListener("click", () => {
    document.getElementById("graph").scrollIntoView();
    chooseBox(boxOfLayer(i), true);
  });
  return b;
}

const tag = kind => element("span", `tag ${kind}`, kindText[kind]);

// Units of a chart that it is wide: the pixels that there are, so that its words keep their size on a phone.
const chartWidth = id => Math.max(340, Math.min(1100, document.getElementById(id).clientWidth));

// A drawing of a chart with its text alternative.
function chart(id, width, height, text) {
  return d3.select(`#${id}`).append("svg").attr("viewBox", `0 0 ${width} ${height}`).attr("role", "img").attr("aria-label", text);
}
