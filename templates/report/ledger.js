// What was decided and why, from the manifest: fusions, copies between layouts, units.
function startDecisions() {
  const bytes = d3.sum(manifest.reorders, r => r.bytes), fused = manifest.anchors.filter(a => a.pattern).length;
  document.getElementById("decisions-lead").textContent =
    `${counted(fused, "composite")} of ${counted(manifest.anchors.length, "anchor")}, where a pattern can begin; ${counted(manifest.reorders.length, "reorder")} of ${bytesText(bytes)}, copies between two layouts; ${counted(manifest.units.length, "unit")}, each of them functions for one target. dnnlc --explain says the same as text.`;
  const layerOfAnchor = new Map();
  layers.forEach((l, i) => l.anchors.forEach(k => layerOfAnchor.set(manifest.anchors[k], i)));
  const anchorLink = a => layerOfAnchor.has(a) ? layerLink(layerOfAnchor.get(a), a.name || a.anchor) : a.name;
  fillTable("fusions-table", [
    {title: "Operator", kind: "word", cell: a => a.anchor},
    {title: "Node", cell: anchorLink},
    {title: "By", kind: "word", cell: a => a.target ? tag(a.target) : "–"},
    {title: "Pattern", kind: "word", cell: a => a.pattern ? element("code", "", a.pattern) : "none"},
    {title: "Post-ops", cell: a => a.post_ops.join(", ") || "–"},
    {title: "Why it ends there, or the nearest miss", kind: "wide", cell: a => a.explanation || a.reason || ""},
  ], manifest.anchors, "No operator of this model begins a pattern.");
  fillTable("reorders-table", [
    {title: "#", number: true, cell: r => `${r.layer}`},
    {title: "Tensor", cell: r => layerLink(r.layer, r.value || manifest.layers[r.layer].label)},
    {title: "From", kind: "word", cell: r => element("code", "", r.from)},
    {title: "To", kind: "word", cell: r => element("code", "", r.to)},
    {title: "Size", number: true, cell: r => bytesText(r.bytes)},
  ], manifest.reorders.slice().sort((a, b) => b.bytes - a.bytes), "None: every layer reads what the one before it wrote as it is.", 12);
  fillTable("units-table", [
    {title: "Unit", number: true, cell: u => `${manifest.units.indexOf(u)}`},
    {title: "Target", kind: "word", cell: u => tag(u.target)},
    {title: "Layers", number: true, cell: u => `${u.layers}`},
    {title: "Kernels of C", number: true, cell: u => `${u.c_kernels}`},
    {title: "Ends because", kind: "wide", cell: u => u.ended},
  ], manifest.units, "The program has no units.", 12);
}
