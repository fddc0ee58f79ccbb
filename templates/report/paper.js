// On paper the drawing is cut between its rows into strips, which stand side by side, the first ones below the head of the page. In pixels of CSS, as A4 and US Letter both have them.
const paper = {width: 690, height: 620, least: 0.3, most: 0.6, pages: 4};

// Scale, height and number of strips; null: the words would be too small, or the pages too many.
function paperPlan() {
  const rows = [...new Set(boxes.map(b => b.y))].sort((a, b) => a - b), width = facts.drawing.width + 20;
  const pitch = rows.length > 1 ? rows[1] - rows[0] : 2 * boxHeight, scale = Math.min(paper.most, paper.width / width);
  if (!rows.length || scale < paper.least) return null;
  const strips = Math.ceil(rows.length / Math.floor(paper.height / scale / pitch)), each = Math.ceil(rows.length / strips);
  return strips > paper.pages * Math.floor(paper.width / scale / width) ? null : {scale, width, height: each * pitch, top: rows[0] - pitch / 2, strips};
}

function strip(plan, k) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", "#whole");
  svg.setAttribute("class", "strip");
  svg.setAttribute("viewBox", `-10 ${plan.top + k * plan.height} ${plan.width} ${plan.height}`);
  svg.setAttribute("width", plan.scale * plan.width);
  svg.setAttribute("height", plan.scale * plan.height);
  svg.append(use);
  return svg;
}

function layOnPaper() {
  const into = document.getElementById("paper"), plan = paperPlan();
  into.textContent = "";
  if (!plan) {
    into.append(element("p", "empty", boxes.length ? "The drawing is too large for paper; the page shows it on a screen." : "There is nothing to draw."));
    return;
  }
  const legend = document.getElementById("legend").cloneNode(true);
  legend.removeAttribute("id");
  into.append(legend, ...d3.range(plan.strips).map(k => strip(plan, k)));
}

addEventListener("beforeprint", layOnPaper);
