"use strict";
// What the page does by itself: plots in the colours of the page, sorting, the machine, two runs side by side.
(() => {
  const report = JSON.parse(document.getElementById("report-data").textContent);
  const find = (id) => document.getElementById(id);
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  const make = (tag, text = "", names = "") => {
    const made = document.createElement(tag);
    made.textContent = text;
    if (names) made.className = names;
    return made;
  };

  // A path may be broken after its dots and underscores
  const pathCell = (path) => {
    const made = make("td", "", "path");
    for (const part of path.split(/(?<=[._])/)) made.append(part, document.createElement("wbr"));
    return made;
  };

  // `names`: the class of all cells but the first
  const table = (headings, rows, names = "") => {
    const made = make("table");
    const head = made.createTHead().insertRow();
    headings.forEach((heading, i) => head.append(make("th", heading, i ? "" : "text")));
    const body = made.createTBody();
    for (const cells of rows) {
      const row = body.insertRow();
      cells.forEach((cell, i) => row.append(i ? make("td", cell, names) : pathCell(cell)));
    }
    const frame = make("div", "", "wide");
    frame.append(made);
    return frame;
  };

  const number = (value, digits = 5) => String(Number(value.toPrecision(digits)));
  const shorten = (text) => (text.length > 60 ? `${text.slice(0, 57)}...` : text);
  const percent = (share) => `${(100 * share).toFixed(1)} %`;

  // Plots

  const LOW = 330; // pixels, without a legend above

  const look = () => {
    const ink = colour("--ink");
    const axis = { gridcolor: colour("--line"), linecolor: colour("--faint"), zerolinecolor: colour("--line") };
    return { ink, axis };
  };

  const drawPlot = (plot, i) => {
    const { ink, axis } = look();
    const place = find(`plot-${i}`);
    const narrow = place.clientWidth < 560;
    const entries = narrow && plot.layout.showlegend ? plot.data.length : 0; // each has a line of the legend
    const paths = narrow && plot.layout.yaxis.categoryarray; // each has two lines then
    const height = (plot.layout.height || (entries > 2 && LOW + 19 * entries)) * (paths ? 1.3 : 1);
    place.style.height = height ? `${height}px` : "";
    const broken = paths && { tickvals: paths, ticktext: paths.map((path) => path.replace(/\.(?=[^.]*$)/, ".<br>")) };
    const layout = {
      ...plot.layout,
      font: { color: ink, family: getComputedStyle(document.body).fontFamily, size: 13 },
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      margin: { l: 64, r: 16, t: 12, b: 56 },
      autosize: true,
      height: height || undefined,
      xaxis: { automargin: true, ...axis, ...plot.layout.xaxis },
      yaxis: { automargin: true, ...axis, ...plot.layout.yaxis, ...(broken && { ...broken, tickfont: { size: 11 } }) },
      legend: narrow
        ? { orientation: "h", y: 1.02, yanchor: "bottom", x: 0, font: { size: 11 } }
        : { font: { size: 12 }, x: 1.02 },
    };
    const data = plot.data.map((trace) => ({
      ...trace,
      error_y: trace.error_y && { ...trace.error_y, color: trace.marker.color },
    }));
    return Plotly.react(place, data, layout, { displayModeBar: false, responsive: true });
  };
  const drawPlots = () => report.plots.forEach(drawPlot);
  drawPlots();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawPlots);
  matchMedia("(max-width: 40rem)").addEventListener("change", drawPlots);
  const paper = (printing) => {
    report.plots.forEach((_, i) => {
      find(`plot-${i}`).style.width = printing ? "680px" : "";
      Plotly.Plots.resize(find(`plot-${i}`));
    });
    drawPlots();
  };
  addEventListener("beforeprint", () => paper(true));
  addEventListener("afterprint", () => paper(false));

  // The overview is sorted by the heading that is clicked

  const sortBy = (heading) => {
    const body = heading.closest("table").tBodies[0];
    const index = [...heading.parentNode.children].indexOf(heading);
    const descending = heading.getAttribute("aria-sort") === "ascending";
    const value = (row) => {
      const { sort } = row.cells[index].dataset;
      return sort === undefined ? row.cells[index].textContent : Number(sort);
    };
    const rank = (a, b) =>
      typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
    const rows = [...body.rows].sort((a, b) => rank(value(a), value(b)) * (descending ? -1 : 1));
    for (const other of heading.parentNode.children) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
    body.append(...rows);
  };
  for (const heading of document.querySelectorAll("#overview th")) {
    heading.tabIndex = 0;
    heading.addEventListener("click", () => sortBy(heading));
    heading.addEventListener("keydown", (event) => event.key === "Enter" && sortBy(heading));
  }

  // The machine of the chosen run

  const showMachine = () => {
    const run = report.runs[find("machine-run").value];
    const drawing = report.drawings[run.drawing];
    const label = `${run.name}: utilisation of the resources`;
    const choose = (words) => (find("machine-chosen").textContent = words);
    const { picture, recolour, legend } = drawMachine(drawing, label, choose);
    recolour(run.shares, run.more, find("machine-scale").value === "busiest");
    find("machine").replaceChildren(picture, legend);
    find("machine-chosen").textContent = "Choose a resource to read its name and share.";
    find("machine-what").textContent = drawing.what;
    const busiest = drawing.boxes.map(([, , , , , name], i) => [name, run.shares[i], run.more[i]]);
    const rows = busiest.filter(([, share]) => typeof share === "number").sort((a, b) => b[1] - a[1]);
    const busy = ([name, share, more]) => [name, more ? `${percent(share)} (${more})` : percent(share)];
    const headings = ["busiest resources", "utilisation"];
    find("machine-busiest").replaceChildren(table(headings, rows.slice(0, 8).map(busy), "value"));
  };
  if (find("machine")) {
    find("machine-run").addEventListener("change", showMachine);
    find("machine-scale").addEventListener("change", showMachine);
    showMachine();
  }

  // What differs between two runs

  const MOST = 40; // parameters that are shown
  const config = (run) => ({ ...report.shared, ...run.own });
  const mean = ([value, half]) => (!half ? number(value) : `${number(value)} ± ${number(half, 2)}`);

  const showDifferences = () => {
    const [a, b] = ["difference-a", "difference-b"].map((id) => report.runs[find(id).value]);
    const [one, other] = [config(a), config(b)];
    const paths = [...new Set([...Object.keys(a.own), ...Object.keys(b.own)])].filter((p) => one[p] !== other[p]);
    const place = find("difference");
    place.replaceChildren();
    if (paths.length) {
      const rows = paths.map((path) => [path, shorten(one[path] ?? "-"), shorten(other[path] ?? "-")]);
      place.append(make("h3", "Parameters"), table(["parameter", a.name, b.name], rows.slice(0, MOST), "value"));
      if (rows.length > MOST) place.append(make("p", `and ${rows.length - MOST} more parameters`, "note"));
    } else {
      place.append(make("p", "The configurations are the same.", "note"));
    }
    const figures = Object.keys(a.figures).filter((name) => name in b.figures);
    const rows = [];
    for (const name of figures) {
      const [[x], [y]] = [a.figures[name], b.figures[name]];
      if (x === y) continue;
      const effect = Math.abs(y - x) / Math.max(Math.abs(x), Math.abs(y));
      const change = x ? `${y > x ? "+" : ""}${percent(y / x - 1)}` : "-";
      rows.push({ effect, cells: [name, mean(a.figures[name]), mean(b.figures[name]), change] });
    }
    rows.sort((p, q) => q.effect - p.effect);
    if (rows.length) {
      const headings = ["figure", a.name, b.name, "change"];
      place.append(make("h3", "Figures"), table(headings, rows.map((row) => row.cells)));
    } else {
      place.append(make("p", "No figure differs.", "note"));
    }
  };
  if (find("difference")) {
    find("difference-a").addEventListener("change", showDifferences);
    find("difference-b").addEventListener("change", showDifferences);
    showDifferences();
  }

  // A run's configuration is written when it is unfolded

  for (const fold of document.querySelectorAll("details[data-run]")) {
    fold.addEventListener("toggle", () => {
      if (!fold.open || fold.querySelector("table")) return;
      const rows = Object.entries(config(report.runs[fold.dataset.run]));
      rows.sort(([p], [q]) => (p < q ? -1 : 1));
      fold.append(table(["parameter", "value"], rows, "value"));
    });
  }
})();
