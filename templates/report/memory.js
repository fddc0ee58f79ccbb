// The workspace as a map: layers from left to right, bytes upwards; and the weights.
function aliveByLayer(placed) {
  const change = new Float64Array(layers.length + 1);
  for (const k of placed) {
    change[buffers[k].first] += buffers[k].bytes;
    change[buffers[k].last + 1] -= buffers[k].bytes;
  }
  return d3.range(layers.length).map((() => {
    let sum = 0;
    return i => sum += change[i];
  })());
}

function startMemory() {
  const placed = buffers.map((b, k) => k).filter(k => buffers[k].place === "workspace");
  const size = manifest.workspace_bytes, least = manifest.live_bytes;
  document.getElementById("memory-lead").textContent = size
    ? `The workspace is ${bytesText(size)}: one block that the caller provides. Its lower bound is ${bytesText(least)}, the most that is alive during one layer: no plan can do with less; this plan takes ${d3.format(".3f")(least ? size / least : 1)} times that.`
    : "The program needs no workspace: nothing is kept between its layers.";
  if (!size || !placed.length) {
    document.getElementById("memory-table").remove();
    return;
  }
  const width = chartWidth("memory-chart"), height = width < 600 ? 320 : 420, left = 84, right = 20, top = 18, bottom = 44;
  const x = d3.scaleLinear().domain([0, layers.length]).range([left, width - right]);
  const y = d3.scaleLinear().domain([0, size]).range([height - bottom, top]);
  const svg = chart("memory-chart", width, height, `${counted(placed.length, "buffer")} in ${bytesText(size)} over ${counted(layers.length, "layer")}; the table below has the largest`);
  const ticks = d3.range(5).map(i => size * i / 4);
  svg.append("g").attr("class", "grid").attr("transform", `translate(${left},0)`).call(d3.axisLeft(y).tickValues(ticks).tickSize(-(width - left - right)).tickFormat(""));
  svg.append("g").attr("transform", `translate(${left},0)`).call(d3.axisLeft(y).tickValues(ticks).tickFormat(bytesText));
  svg.append("g").attr("transform", `translate(0,${height - bottom})`).call(d3.axisBottom(x).ticks(Math.min(width / 90, layers.length)).tickFormat(d3.format("d")));
  svg.append("text").attr("x", (left + width - right) / 2).attr("y", height - 8).attr("text-anchor", "middle").text("layer");
  const users = k => readersOf[k].map(i => manifest.layers[i].label).slice(0, 6).join(", ");
  svg.append("g").selectAll("rect").data(placed).enter().append("rect").attr("class", k => `buffer${scratchOf.has(k) ? " scratch" : ""}`)
    .attr("x", k => x(buffers[k].first)).attr("width", k => x(buffers[k].last + 1) - x(buffers[k].first))
    .attr("y", k => y(buffers[k].offset + buffers[k].bytes)).attr("height", k => Math.max(0.5, y(buffers[k].offset) - y(buffers[k].offset + buffers[k].bytes)))
    .append("title").text(k => `${bufferTitle(k)}\n${bytesText(buffers[k].bytes)} at ${d3.format(",")(buffers[k].offset)}, layers ${buffers[k].first} to ${buffers[k].last}\n${users(k)}`);
  const alive = aliveByLayer(placed);
  svg.append("path").attr("class", "alive").attr("d", d3.line().curve(d3.curveStepAfter)([...alive.map((bytes, i) => [x(i), y(Math.min(bytes, size))]), [x(layers.length), y(Math.min(alive[alive.length - 1] || 0, size))]]));
  svg.append("line").attr("class", "bound").attr("x1", left).attr("x2", width - right).attr("y1", y(least)).attr("y2", y(least));
  const legend = element("p", "note");
  const entry = (colour, fill, text) => {
    const s = element("span", "swatch");
    s.style.cssText = `display: inline-block; vertical-align: -2px; border-color: var(${colour}); background: ${fill}`;
    legend.append(s, ` ${text}   `);
  };
  entry("--dnnl", "var(--dnnl-fill)", "a tensor");
  if (scratchOf.size) entry("--c", "var(--c-fill)", "scratch memory of a layer");
  entry("--port", "var(--port)", "alive at once");
  entry("--hot", "var(--hot)", `lower bound, ${bytesText(least)}`);
  document.getElementById("memory-chart").append(legend);
  const largest = Math.max(...placed.map(k => buffers[k].bytes));
  fillTable("memory-table", [
    {title: "Buffer", cell: k => bufferTitle(k)},
    {title: "Size", number: true, cell: k => bytesText(buffers[k].bytes)},
    {title: "Offset", number: true, cell: k => d3.format(",")(buffers[k].offset)},
    {title: "Layers", number: true, cell: k => `${buffers[k].first} – ${buffers[k].last}`},
    {title: "", kind: "bar", cell: k => bar(buffers[k].bytes / largest, scratchOf.has(k) ? "c" : "")},
  ], placed.sort((a, b) => buffers[b].bytes - buffers[a].bytes || a - b), "", 8);
}

function startWeights() {
  const placed = buffers.map((b, k) => k).filter(k => buffers[k].place === "weights").sort((a, b) => buffers[b].bytes - buffers[a].bytes || a - b);
  const total = d3.sum(placed, k => buffers[k].bytes), largest = placed.length ? buffers[placed[0]].bytes : 1;
  document.getElementById("weights-lead").textContent = placed.length
    ? `${counted(placed.length, "constant")}, ${bytesText(manifest.weights_bytes)} with what aligns them: as they are stored, packed for the instruction set and for Winograd's method where a layer uses it.`
    : "";
  fillTable("weights-table", [
    {title: "Constant", cell: k => bufferTitle(k)},
    {title: "Read by", cell: k => readersOf[k].length ? element("span", "", layerLink(readersOf[k][0], manifest.layers[readersOf[k][0]].label), readersOf[k].length > 1 ? ` and ${readersOf[k].length - 1} more` : "") : "–"},
    {title: "Size", number: true, cell: k => bytesText(buffers[k].bytes)},
    {title: "Share", number: true, cell: k => percent(buffers[k].bytes / total)},
    {title: "", kind: "bar", cell: k => bar(buffers[k].bytes / largest)},
  ], placed, "The model has no weights.", 15);
}
