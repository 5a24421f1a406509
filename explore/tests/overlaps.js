// What is wrong with the text of a page, in sentences: texts that overlap, that a drawing covers, or that leave their
// drawing or the page. What a scrolling part hides is not there; a text is as high as its letters, and may be turned.
(() => {
  const width = document.documentElement.clientWidth;
  const SLACK = 1; // pixels

  const corners = (box, matrix) =>
    [[0, 0], [1, 0], [1, 1], [0, 1]].map(([i, j]) => {
      const at = new DOMPoint(box.x + i * box.width, box.y + j * box.height);
      return matrix ? at.matrixTransform(matrix) : at;
    });
  // Letters do not fill the height of their font.
  const ofLetters = ({ x, y, width, height }) => ({ x, y: y + 0.14 * height, width, height: 0.72 * height });
  const spans = (shape, x, y) => {
    const along = shape.map((at) => at.x * x + at.y * y);
    return [Math.min(...along), Math.max(...along)];
  };
  // Convex shapes are apart if they are so along the normal of one of their sides.
  const apart = (a, b) =>
    [a, b].some((shape) =>
      shape.slice(0, 2).some((from, i) => {
        const [x, y] = [shape[i + 1].y - from.y, from.x - shape[i + 1].x];
        const length = Math.hypot(x, y) || 1;
        const [[low, high], [least, most]] = [a, b].map((each) => spans(each, x / length, y / length));
        return high <= least + SLACK || most <= low + SLACK;
      }),
    );

  // The part of the page in which an element can be seen
  const windowOf = (element) => {
    const seen = { left: -Infinity, right: Infinity, top: -Infinity, bottom: Infinity };
    for (let at = element; at && at !== document.body; at = at.parentElement) {
      if (at instanceof SVGElement || getComputedStyle(at).overflow === "visible") continue;
      const { left, right, top, bottom } = at.getBoundingClientRect();
      seen.left = Math.max(seen.left, left);
      seen.right = Math.min(seen.right, right);
      seen.top = Math.max(seen.top, top);
      seen.bottom = Math.min(seen.bottom, bottom);
    }
    return seen;
  };
  const clipped = (box, seen) => {
    const [x, y] = [Math.max(box.left, seen.left), Math.max(box.top, seen.top)];
    const [right, bottom] = [Math.min(box.right, seen.right), Math.min(box.bottom, seen.bottom)];
    return right - x > SLACK && bottom - y > SLACK ? { x, y, width: right - x, height: bottom - y } : null;
  };

  const shown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const texts = []; // text, shape, and the drawing that holds it
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const of = node.parentElement;
    const text = node.data.trim().replace(/\s+/g, " ").slice(0, 80);
    if (!text || of.closest("script, style, title, option, #js-plotly-tester") || !shown(of)) continue;
    const seen = windowOf(of);
    if (of instanceof SVGGraphicsElement) {
      const shape = corners(ofLetters(of.getBBox()), of.getScreenCTM());
      const svg = of.farthestViewportElement;
      if (clipped(of.getBoundingClientRect(), seen)) texts.push({ text, shape, seen, svg });
      continue;
    }
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      const part = clipped(box, seen);
      if (part) texts.push({ text, shape: corners(ofLetters(part)), seen, svg: null });
    }
  }

  const wrong = [];
  const drawings = [...document.querySelectorAll("svg")].filter((each) => !each.ownerSVGElement && shown(each));
  const frames = new Map(drawings.map((each) => [each, each.getBoundingClientRect()]));
  texts.sort((a, b) => spans(a.shape, 0, 1)[0] - spans(b.shape, 0, 1)[0]);
  texts.forEach((one, i) => {
    const [[left, right], [top, bottom]] = [spans(one.shape, 1, 0), spans(one.shape, 0, 1)];
    if (Math.min(right, one.seen.right) > width + SLACK) wrong.push(`"${one.text}" leaves the page on the right`);
    if (Math.max(left, one.seen.left) < -SLACK) wrong.push(`"${one.text}" leaves the page on the left`);
    const frame = one.svg ? frames.get(one.svg) : { left, right, top, bottom };
    const out = Math.max(frame.left - left, right - frame.right, frame.top - top, bottom - frame.bottom);
    if (out > SLACK) wrong.push(`"${one.text}" leaves its drawing`);
    for (let j = i + 1; j < texts.length && spans(texts[j].shape, 0, 1)[0] < bottom; j++)
      if (!apart(one.shape, texts[j].shape)) wrong.push(`"${one.text}" and "${texts[j].text}" overlap`);
    const under = [...frames.values()].some((box) => !one.svg && !apart(one.shape, corners(box)));
    if (under) wrong.push(`a drawing lies on "${one.text}"`);
  });
  return { texts: texts.length, wrong };
})();
