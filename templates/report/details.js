// What is known of the chosen layer, input or output.
function facet(list, name, value) {
  if (value !== undefined && value !== null && value !== "") list.append(element("dt", "", name), element("dd", "", value));
}

function operandItem(o) {
  const item = element("li", "", element("code", "", o.type), ` ${o.name || ""}`);
  item.append(element("div", "note", `layout ${o.layout}, ${bytesText(o.bytes)}, in ${o.place === "workspace" ? "the workspace" : o.place === "weights" ? "the weights" : `the ${o.place}`}`));
  return item;
}

function section(into, title, ...children) {
  into.append(element("h4", "", title), ...children);
}

// Which pattern took the layer, or came nearest.
function showComposite(into, i) {
  for (const a of layers[i].anchors.slice(0, 1).map(k => manifest.anchors[k])) {
    const list = element("dl");
    facet(list, "pattern", a.pattern || "none");
    facet(list, "post-ops", a.post_ops.join(", "));
    facet(list, a.pattern ? "ends" : "nearest miss", a.explanation);
    section(into, "Composite", list);
  }
}

function showCode(into, i) {
  const code = facts.code[layers[i].code];
  const sharers = layers.filter(l => l.code === layers[i].code).length;
  if (!code.file) {
    section(into, "Emitted C", element("p", "empty", "This layer has no function of its own."));
    return;
  }
  section(into, "Emitted C", element("div", "note", `${code.file}, line ${code.line}${sharers > 1 ? `; computes ${sharers} layers` : ""}`),
    code.text ? element("pre", "", code.text) : element("p", "empty", "It is left out here: the page would be too large."));
}

function showTimes(list, i) {
  const l = layers[i], t = profile && profile.layers[i];
  facet(list, profile ? "time" : "estimated", `${timeText(layerTime[i])}, ${percent(totalTime ? layerTime[i] / totalTime : 0)} of all layers`);
  if (t) {
    facet(list, "least", timeText(t.least_ms));
    facet(list, "executions", t.executions === 1 ? null : `${rounded(t.executions)} a run`);
    facet(list, "share of peak", percent(t.peak_share));
  }
  const e = errors && errors.layers[i];
  if (e && e.state === "compared") facet(list, "error", `${errorText(e, e.error)}${e.error ? `, bound ${errorText(e, e.bound)}` : ""}`);
  facet(list, "operations", l.operations ? operationsText(l.operations) : null);
  facet(list, "reads", bytesText(l.read));
  facet(list, "writes", bytesText(l.written));
}

function showLayer(into, i) {
  const l = layers[i], m = manifest.layers[i], list = element("dl");
  into.append(element("h3", "", layerTitle(i)), element("p", "note", `layer ${i} of ${layers.length}, ${m.label} `), tag(kindOf(i)));
  facet(list, "computed by", l.implementation);
  facet(list, "why", m.why);
  facet(list, "unit", m.unit);
  showTimes(list, i);
  facet(list, "scratch memory", l.scratch === undefined ? null : bytesText(buffers[l.scratch].bytes));
  facet(list, "only if", l.guards ? `${counted(l.guards, "condition")} of a Where hold` : null);
  into.append(list);
  if (m.nodes.length) section(into, "ONNX nodes", element("ul", "", ...m.nodes.map(n => element("li", "", `${n.op} ${n.name}`))));
  showComposite(into, i);
  section(into, "Reads", element("ul", "", ...l.reads.map(operandItem),
    ...l.packed.map(k => element("li", "", bufferTitle(k), element("div", "note", `${bytesText(buffers[k].bytes)}, in the weights`)))));
  section(into, "Writes", element("ul", "", ...l.writes.map(operandItem)));
  showCode(into, i);
}

// Where to begin, while nothing is chosen.
function showSlowest(into) {
  into.append(element("p", "empty unprinted", "Choose a layer in the drawing, or in one of the tables below."));
  const slowest = layers.map((l, i) => i).sort((a, b) => layerTime[b] - layerTime[a] || a - b).slice(0, 8);
  if (slowest.length)
    section(into, profile ? "Slowest layers" : "Slowest layers, estimated", element("ol", "ranking", ...slowest.map(i =>
      element("li", "", layerLink(i, layerTitle(i)), element("span", "note", ` ${percent(totalTime ? layerTime[i] / totalTime : 0)}, ${nodeName(i)}`)))));
}

function showDetails(k) {
  const into = document.getElementById("details"), b = boxes[k];
  into.textContent = "";
  into.scrollTop = 0;
  if (!b) {
    showSlowest(into);
  } else if (b.kind === "layer") {
    showLayer(into, b.index);
  } else {
    const users = lines.filter(l => l.from === k || l.to === k).map(l => l.from === k ? l.to : l.from).filter(i => boxes[i].kind === "layer");
    into.append(element("h3", "", b.title), element("p", "note", `${b.kind} of the model, `, element("code", "", b.type)));
    if (users.length) section(into, b.kind === "input" ? "Read by" : "Written by",
      element("ul", "", ...users.map(i => element("li", "", layerLink(boxes[i].index, `${layerTitle(boxes[i].index)} ${nodeName(boxes[i].index)}`)))));
  }
}
