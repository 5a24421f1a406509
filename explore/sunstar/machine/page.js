// What the page does by itself: the machine as a whole, or window by window.
(() => {
  const { name, drawing, shares, more, film } = JSON.parse(document.getElementById("machine-data").textContent);
  const find = (id) => document.getElementById(id);
  const chosen = { name: null };
  const { picture, recolour, legend } = drawMachine(drawing, name, (words) => {
    chosen.name = words.split(":")[0];
    find("chosen").textContent = words;
  });
  find("machine").replaceChildren(picture, legend);

  const time = (seconds) => (seconds < 1 ? `${(1000 * seconds).toFixed(2)} ms` : `${seconds.toFixed(3)} s`);
  const show = () => {
    const i = Number(find("window").value);
    const step = film ? (film.end_s - film.start_s) / film.shares.length : 0;
    const now = film ? film.shares[i] : shares;
    const words = recolour(now, film ? [] : more, find("relative").checked);
    if (film) find("when").textContent = `${time(film.start_s + i * step)} to ${time(film.start_s + (i + 1) * step)}`;
    const again = drawing.boxes.findIndex(([, , , , , box]) => box === chosen.name);
    if (again >= 0) find("chosen").textContent = words[again];
  };
  find("legend").hidden = !film && shares.every((share) => share === null);
  show();
  if (!film) return;

  find("player").hidden = false;
  find("window").max = film.shares.length - 1;
  let timer = null;
  const stop = () => {
    clearInterval(timer);
    timer = null;
    find("play").textContent = "Play";
  };
  const step = () => {
    const { value, max } = find("window");
    if (Number(value) >= Number(max)) return stop();
    find("window").value = Number(value) + 1;
    show();
  };
  const play = () => {
    const { value, max } = find("window");
    if (Number(value) >= Number(max)) find("window").value = 0;
    show();
    timer = setInterval(step, 1000 / Number(find("pace").value));
    find("play").textContent = "Pause";
  };
  find("play").addEventListener("click", () => (timer ? stop() : play()));
  find("window").addEventListener("input", show);
  find("relative").addEventListener("change", show);
  find("pace").addEventListener("change", () => timer && (stop(), play()));
})();
