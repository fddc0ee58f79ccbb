// The head of the page, and the start of all parts.
function startHead() {
  const figures = document.getElementById("figures"), figure = (name, value) => figures.append(element("div", "", element("dt", "", name), element("dd", "", value)));
  document.title = `${manifest.name}: dnnlc report`;
  document.getElementById("name").textContent = manifest.name;
  document.getElementById("origin").textContent = `${manifest.target === "dnnl" ? `oneDNN ${manifest.onednn}` : "portable C"} · instruction set ${manifest.isa} · ${counted(manifest.threads, "thread")} · dnnlc ${manifest.dnnlc}`;
  document.getElementById("hash").textContent = `SHA-256 of the model: ${manifest.model_sha256}`;
  figure(profile ? "A run" : facts.variants > 1 ? `${facts.variants} variants, estimated` : "A run, estimated", timeText(profile ? profile.mean_ms : totalTime));
  figure("Layers", d3.format(",")(layers.length));
  figure("Operations", operationsText(d3.sum(layers, l => l.operations)));
  figure("Workspace", bytesText(manifest.workspace_bytes));
  figure("Weights", bytesText(manifest.weights_bytes));
}

startHead();
startGraph();
showDetails(-1);
startTimes();
startRoofline();
startMemory();
startWeights();
startDecisions();
document.documentElement.dataset.ready = "yes";
