// The drawing of the graph: places come from the compiler, here it is moved, searched, coloured and walked through.
const {boxes, lines} = facts.drawing, boxHeight = facts.drawing.box_height;
const firstLayer = boxes.findIndex(b => b.kind === "layer");
const boxOfLayer = i => firstLayer + i;
const picture = d3.select("#drawing");
const scene = picture.append("g"), whole = scene.append("g").attr("id", "whole");
const zoom = d3.zoom().scaleExtent([0.02, 4]).on("zoom", () => scene.attr("transform", d3.event.transform));
let chosen = -1, wires, cells;

// Half of a box above or below its middle; between, lines bend in rows.
function wirePath(line) {
  const p = line.points.map(([x, y]) => [x, y]);
  p[0][1] += boxHeight / 2;
  p[p.length - 1][1] -= boxHeight / 2;
  let path = `M${p[0]}`;
  for (let i = 1; i < p.length; i++) {
    const [x, y] = p[i - 1], [u, v] = p[i], middle = (y + v) / 2;
    path += x === u ? `V${v}` : `C${x},${middle} ${u},${middle} ${u},${v}`;
  }
  return path;
}

const cut = (text, width) => text.length * 7 + 16 > width ? `${text.slice(0, Math.floor((width - 22) / 7))}…` : text;

function boxLabel(b) {
  if (b.kind !== "layer") return `${b.kind} ${b.title}, ${b.type}`;
  return `layer ${b.index}: ${layerTitle(b.index)}, ${nodeName(b.index)}, ${timeText(layerTime[b.index])}`;
}

function drawGraph() {
  wires = whole.append("g").attr("aria-hidden", "true").selectAll("path").data(lines).enter().append("path").attr("class", "wire").attr("d", wirePath);
  cells = whole.append("g").selectAll("g").data(boxes).enter().append("g")
    .attr("class", b => `box ${b.kind === "layer" ? kindOf(b.index) : "port"}`)
    .attr("transform", b => `translate(${b.x},${b.y})`).attr("role", "button").attr("tabindex", -1).attr("aria-label", boxLabel)
    .on("click", (b, i) => chooseBox(i, false));
  cells.append("rect").attr("x", b => -b.width / 2).attr("y", -boxHeight / 2).attr("width", b => b.width).attr("height", boxHeight);
  cells.append("text").attr("y", -3).text(b => cut(b.title, b.width));
  cells.append("text").attr("class", "type").attr("y", 13).text(b => cut(b.type, b.width * 1.15));
  cells.append("title").text(boxLabel);
  if (boxes.length) cells.filter((b, i) => i === 0).attr("tabindex", 0);
  picture.call(zoom).style("touch-action", "pan-y").on("dblclick.zoom", null).on("keydown", walk);
}

// The whole graph, if that takes no smaller scale than the least one; otherwise as wide as it is, to be read downwards. Without a size on the screen there is nothing to fit into.
function fit(least) {
  const legend = document.getElementById("legend").offsetHeight + 16; // it lies over the lower edge
  const {clientWidth: w, clientHeight} = picture.node(), h = clientHeight - legend, d = facts.drawing;
  if (!w || h <= 0 || !boxes.length) return;
  const wide = Math.min(w / (d.width + 40), 1), all = Math.min(wide, h / (d.height + 20)), k = all >= least ? all : Math.max(wide, least);
  const y = h / k >= d.height ? (h - k * d.height) / 2 : 0;
  const x = w / k >= d.width ? (w - k * d.width) / 2 : w / 2 - k * boxes[0].x;
  picture.call(zoom.transform, d3.zoomIdentity.translate(x, y).scale(k));
}

function chooseBox(i, centre) {
  chosen = i;
  cells.classed("chosen", (b, k) => k === i).attr("tabindex", (b, k) => k === i ? 0 : -1);
  wires.classed("near", l => l.from === i || l.to === i);
  showDetails(i);
  if (!centre) return;
  const k = Math.max(d3.zoomTransform(picture.node()).k, 0.8), {clientWidth: w, clientHeight: h} = picture.node();
  picture.call(zoom.transform, d3.zoomIdentity.translate(w / 2 - k * boxes[i].x, h / 2 - k * boxes[i].y).scale(k));
}

// Up and down in the order of execution, left and right to neighbours in the row.
function walk() {
  const step = {ArrowDown: 1, ArrowUp: -1, ArrowRight: 1, ArrowLeft: -1, Home: -boxes.length, End: boxes.length}[d3.event.key];
  if (d3.event.key === "Enter" || d3.event.key === " ") {
    const focused = cells.nodes().indexOf(document.activeElement);
    if (focused >= 0) chooseBox(focused, false);
  } else if (step === undefined) {
    return;
  } else {
    const from = chosen < 0 ? (step > 0 ? -1 : 0) : chosen;
    let to = Math.max(0, Math.min(boxes.length - 1, from + step));
    if (d3.event.key === "ArrowRight" || d3.event.key === "ArrowLeft") {
      const row = boxes.map((b, i) => i).filter(i => chosen >= 0 && boxes[i].y === boxes[chosen].y).sort((a, b) => boxes[a].x - boxes[b].x);
      to = chosen < 0 ? 0 : row[Math.max(0, Math.min(row.length - 1, row.indexOf(chosen) + step))];
    }
    chooseBox(to, true);
    cells.nodes()[to].focus({preventScroll: true});
  }
  d3.event.preventDefault();
}

function colourBy(what) {
  const hottest = d3.max(layerTime) || 1;
  const style = getComputedStyle(document.documentElement);
  const ramp = d3.interpolateRgb(style.getPropertyValue("--cold").trim(), style.getPropertyValue("--hot").trim());
  const part = b => b.kind === "layer" ? Math.sqrt(layerTime[b.index] / hottest) : 0;
  const byTime = what === "time";
  cells.select("rect").style("fill", b => byTime && b.kind === "layer" ? ramp(part(b)) : null);
  cells.classed("hot", b => byTime && part(b) > 0.8);
  const legend = document.getElementById("legend");
  legend.textContent = "";
  if (byTime) {
    legend.append("0", element("span", "ramp"), timeText(hottest), profile ? " measured" : " estimated");
    return;
  }
  const entry = (kind, text) => {
    const swatch = element("span", "swatch");
    swatch.style.borderColor = `var(--${kind})`;
    swatch.style.background = `var(--${kind}-fill)`;
    legend.append(element("span", "", swatch, text));
  };
  const kinds = new Set(layers.map((l, i) => kindOf(i)));
  if (kinds.has("dnnl")) entry("dnnl", "oneDNN");
  if (kinds.has("c")) entry("c", "portable C");
  if (kinds.has("reorder")) entry("move", "reorder");
  entry("port", "input, output");
}

function search(text) {
  const wanted = text.trim().toLowerCase();
  const hit = b => b.kind === "layer" ? layerWords[b.index].includes(wanted) : b.title.toLowerCase().includes(wanted);
  const hits = wanted ? boxes.map((b, i) => i).filter(i => hit(boxes[i])) : [];
  const found = new Set(hits);
  scene.classed("searching", wanted !== "");
  cells.classed("hit", (b, i) => found.has(i));
  document.getElementById("matches").textContent = wanted ? hits.length === 1 ? "1 match" : `${hits.length} matches` : "";
  return hits;
}

function startGraph() {
  drawGraph();
  colourBy("target");
  fit(0.6);
  const field = document.getElementById("search");
  field.addEventListener("input", () => search(field.value));
  field.addEventListener("keydown", e => {
    const hits = e.key === "Enter" ? search(field.value) : [];
    const next = hits.find(i => e.shiftKey ? false : i > chosen);
    if (hits.length) chooseBox(next === undefined ? hits[0] : next, true);
  });
  for (const radio of document.getElementsByName("colour")) radio.addEventListener("change", () => colourBy(radio.value));
  document.getElementById("zoom-in").addEventListener("click", () => picture.call(zoom.scaleBy, 1.4));
  document.getElementById("zoom-out").addEventListener("click", () => picture.call(zoom.scaleBy, 1 / 1.4));
  document.getElementById("zoom-fit").addEventListener("click", () => fit(0));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => colourBy(document.querySelector("[name=colour]:checked").value));
}
