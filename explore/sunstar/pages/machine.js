"use strict";
// The drawing of a machine: an SVG whose boxes are coloured by their share of time. A box without a share is only
// outlined. legend says what outlines stand for. recolour() shows other shares, choose() is called with a box's words
// when it is clicked.
const drawMachine = (drawing, label, choose) => {
  const percent = (share) => `${(100 * share).toFixed(1)} %`;
  const svg = (tag, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  };
  const picture = svg("svg", { viewBox: `0 0 ${drawing.width} ${drawing.height}`, role: "img", "aria-label": label });
  if (drawing.width > 60) picture.classList.add("many");
  picture.style.maxWidth = `${Math.max(drawing.width * 16, 300)}px`;
  let words = [];
  const texts = [];
  const parts = drawing.boxes.map(([shape, x, y, width, height, name, called, has], i) => {
    const box = svg("rect", { x, y, width, height, rx: 0.2, class: shape, stroke: drawing.outlines[shape] });
    picture.append(box);
    if (shape === "frame") {
      const text = svg("text", { x: x + 0.4, y: y + 1.2 });
      text.textContent = called;
      texts.push(text);
      return null;
    }
    const title = svg("title", {});
    box.append(title);
    box.addEventListener("click", () => {
      for (const other of picture.querySelectorAll(".chosen")) other.classList.remove("chosen");
      box.classList.add("chosen");
      choose(words[i]);
    });
    const middle = { x: x + width / 2, "text-anchor": "middle" };
    const two = height >= 1.9; // room for two lines, as in Box.words
    const line = (y) => svg("text", { ...middle, y });
    const own = (two && width >= 2 ? [-0.1, 0.85] : [0.32]).map((below) => line(y + height / 2 + below));
    texts.push(...own);
    return { box, title, own, called, has };
  });
  picture.append(...texts);
  // `relative`: colours go up to the busiest of a shape
  const recolour = (shares, more = [], relative = false) => {
    const most = {};
    drawing.boxes.forEach(([shape], i) => (most[shape] = Math.max(most[shape] || 0, shares[i] ?? 0)));
    words = drawing.boxes.map(([, , , , , name], i) => {
      const known = typeof shares[i] === "number";
      return known ? `${name}: ${percent(shares[i])}${more[i] ? ` (${more[i]})` : ""}` : name;
    });
    drawing.boxes.forEach(([shape, , , width], i) => {
      if (!parts[i]) return;
      const share = shares[i];
      const known = typeof share === "number";
      const heat = known ? Math.min(1, relative ? share / (most[shape] || 1) : share) : 0;
      const { box, title, own, called, has } = parts[i];
      box.style.fill = known ? `color-mix(in oklab, var(--hot) ${100 * heat}%, var(--cold))` : "none";
      title.textContent = words[i];
      for (const text of own) text.classList.toggle("on-hot", heat > 0.55);
      const short = !known ? has : width >= 2 ? `${Math.round(100 * share)} %` : "";
      own[0].textContent = own.length > 1 ? called : `${called} ${short}`.trim();
      if (own.length > 1) own[1].textContent = short;
    });
    return words;
  };
  // Ctrl and the wheel, or a pinch, zoom at the pointer; dragging moves; a double click shows everything again.
  const whole = [0, 0, drawing.width, drawing.height];
  let view = whole;
  const look = (next) => picture.setAttribute("viewBox", (view = next).join(" "));
  picture.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      const by = Math.min(1.003 ** event.deltaY, whole[2] / view[2]);
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse());
      look([at.x - by * (at.x - view[0]), at.y - by * (at.y - view[1]), by * view[2], by * view[3]]);
    },
    { passive: false },
  );
  picture.addEventListener("pointermove", (event) => {
    const { a } = picture.getScreenCTM(); // pixels a unit
    if (event.buttons === 1) look([view[0] - event.movementX / a, view[1] - event.movementY / a, view[2], view[3]]);
  });
  picture.addEventListener("dblclick", () => look(whole));
  // What outlines stand for, below the picture
  const legend = document.createElement("ul");
  legend.className = "parts";
  for (const [, colour, text] of drawing.legend) {
    const entry = document.createElement("li");
    const swatch = document.createElement("i");
    swatch.style.borderColor = colour;
    entry.append(swatch, text);
    legend.append(entry);
  }
  return { picture, recolour, legend };
};
