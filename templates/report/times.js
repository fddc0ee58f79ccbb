function errorCell(e) {
  return e.state !== "compared" ? e.state || "–" : e.beyond ? element("span", "beyond", `${errorText(e, e.error)} > ${errorText(e, e.bound)}`) : errorText(e, e.error);
}

// Time per layer, and how far from what the CPU can do each layer is.
function startTimes() {
  const order = layers.map((l, i) => i).sort((a, b) => layerTime[b] - layerTime[a] || a - b);
  const longest = layerTime[order[0]] || 1, columns = [
    {title: "#", number: true, cell: i => `${i}`},
    {title: "Layer", cell: i => layerLink(i, layerTitle(i))},
    {title: "Node", cell: i => nodeName(i)},
    {title: "By", kind: "word", cell: i => tag(kindOf(i))},
    {title: profile ? "Time" : "Estimated", number: true, cell: i => timeText(layerTime[i])},
    {title: "Share", number: true, cell: i => percent(totalTime ? layerTime[i] / totalTime : 0)},
    {title: "", kind: "bar", cell: i => bar(layerTime[i] / longest, kindOf(i))},
  ];
  if (profile) columns.splice(6, 0, {title: "Of peak", number: true, cell: i => layers[i].operations ? percent(profile.layers[i].peak_share) : "–"});
  if (errors) columns.push({title: "Error", number: true, cell: i => errorCell(errors.layers[i])},
    {title: "In all", number: true, cell: i => errors.layers[i].in_all === null ? "–" : errorText(errors.layers[i], errors.layers[i].in_all)});
  columns.push({title: "Implementation", kind: "word", cell: i => layers[i].implementation});
  document.getElementById("times-lead").textContent = profile
    ? `Measured: mean of ${counted(profile.runs, "run")} with a clock on each layer, on ${counted(profile.threads, "thread")}; a run took ${timeText(profile.mean_ms)}, the shortest ${timeText(profile.least_ms)}. "Of peak" compares the operations of the ONNX nodes, done directly, with what this CPU can do.`
    : `Estimates, not measurements: what arithmetic or moving bytes takes on a typical CPU of this instruction set, whichever is longer. They say where the time goes, not how long it is; write the report with --profile-data for measured times.`;
  if (errors) document.getElementById("times-lead").textContent += ` Errors are those that dnnlc verify found for ${errors.inputs}: the layer's own, as a part of the largest element or in steps of the quantisation, and with what was handed on to it. ` +
    (errors.layers.some(e => e.beyond) ? "Those beyond their bound are marked." : "All are within their bounds.");
  fillTable("times-table", columns, order, "The program has no layers: outputs are inputs or constants.");
}

// Operations per byte against operations per second. Layers that only move bytes have no place in it.
function startRoofline() {
  const width = chartWidth("roofline-chart"), height = width < 600 ? 340 : 430, left = 70, right = 20, top = 16, bottom = 48, cpu = facts.cpu, ticks = width < 600 ? 3 : 6;
  const seconds = i => (profile ? profile.layers[i].least_ms : layers[i].estimate_ms) / 1e3;
  const points = layers.map((l, i) => ({i, x: l.operations / Math.max(1, l.read + l.written), y: seconds(i) > 0 ? l.operations / seconds(i) / 1e9 : 0}))
    .filter(p => p.x > 0 && p.y > 0);
  const lead = document.getElementById("roofline-lead");
  const ridge = cpu.gbytes_per_s > 0 ? cpu.gflops / cpu.gbytes_per_s : 0;
  if (!points.length || !(ridge > 0)) {
    lead.textContent = "No layer does arithmetic that could be compared with what the CPU can do.";
    return;
  }
  lead.textContent = `Each dot is a layer; its area is its time. The line is what the CPU can do: ${rounded(cpu.gbytes_per_s)} GB/s from memory, ${rounded(cpu.gflops)} GFLOP/s of f32, ` +
    (profile ? "both measured with the profile. " : "both taken from the figures of the machine that was planned for; times are estimates. ") +
    "Left of its bend a layer waits for bytes, right of it for arithmetic. Above the line are layers whose data caches hold, bytes instead of floats, or fewer operations than ONNX's (Winograd).";
  const x = d3.scaleLog().domain([Math.min(d3.min(points, p => p.x), ridge / 4) / 1.5, Math.max(d3.max(points, p => p.x), ridge * 4) * 1.5]).range([left, width - right]);
  const y = d3.scaleLog().domain([Math.min(d3.min(points, p => p.y), cpu.gflops / 100) / 1.5, Math.max(d3.max(points, p => p.y), cpu.gflops) * 1.6]).range([height - bottom, top]);
  const size = d3.scaleSqrt().domain([0, d3.max(layerTime)]).range([2.5, 17]);
  const svg = chart("roofline-chart", width, height, `${counted(points.length, "layer")} by operations per byte and operations per second; the table above has the numbers`);
  const label = d3.format("~g"), axis = (make, scale, n) => make(scale).ticks(n, label);
  svg.append("g").attr("class", "grid").attr("transform", `translate(0,${height - bottom})`).call(axis(d3.axisBottom, x, ticks).tickSize(-(height - top - bottom)).tickFormat(""));
  svg.append("g").attr("class", "grid").attr("transform", `translate(${left},0)`).call(axis(d3.axisLeft, y, 5).tickSize(-(width - left - right)).tickFormat(""));
  svg.append("g").attr("transform", `translate(0,${height - bottom})`).call(axis(d3.axisBottom, x, ticks));
  svg.append("g").attr("transform", `translate(${left},0)`).call(axis(d3.axisLeft, y, 5));
  svg.append("text").attr("x", (left + width - right) / 2).attr("y", height - 10).attr("text-anchor", "middle").text("operations per byte read and written");
  svg.append("text").attr("transform", `translate(18,${(top + height - bottom) / 2}) rotate(-90)`).attr("text-anchor", "middle").text("GFLOP/s");
  const [x0, x1] = x.domain(), roof = v => Math.max(y.domain()[0], Math.min(cpu.gflops, v * cpu.gbytes_per_s));
  const from = Math.max(x0, y.domain()[0] / cpu.gbytes_per_s);
  svg.append("path").attr("class", "roof").attr("d", d3.line()([from, ridge, x1].map(v => [x(v), y(roof(v))])));
  svg.append("text").attr("x", width - right - 6).attr("y", y(cpu.gflops) - 7).attr("text-anchor", "end").text(`${rounded(cpu.gflops)} GFLOP/s`);
  svg.append("g").selectAll("circle").data(points.sort((a, b) => layerTime[b.i] - layerTime[a.i])).enter().append("circle")
    .attr("class", p => `dot ${kindOf(p.i)}`).attr("cx", p => x(p.x)).attr("cy", p => y(p.y)).attr("r", p => size(layerTime[p.i]))
    .on("click", p => {
      document.getElementById("graph").scrollIntoView();
      chooseBox(boxOfLayer(p.i), true);
    })
    .append("title").text(p => `layer ${p.i}: ${layerTitle(p.i)}, ${nodeName(p.i)}\n${rounded(p.y)} GFLOP/s, ${rounded(p.x)} operations per byte, ${timeText(layerTime[p.i])}`);
}
