// Find in the document: every place is marked where the browser can, the one at hand is selected and brought into view.

// The finder of a bar with a field, for the frame that is shown.
export function finderOf(bar, frame) {
  const wanted = bar.querySelector("input"), hits = bar.querySelector(".hits");
  const seen = () => (frame() || {}).contentWindow;
  const fold = (char) => char.normalize("NFD").replace(/\p{Mn}/gu, "").toLowerCase();
  let found = [], at = -1;

  function search() {
    const view = seen(), words = [...wanted.value].map(fold).join("");
    found = [];
    at = -1;
    for (const block of view && words ? view.document.querySelectorAll("h1, p") : []) {
      const walk = view.document.createTreeWalker(block, NodeFilter.SHOW_TEXT), places = [];
      let text = "";
      while (walk.nextNode()) {
        let offset = 0;
        for (const char of walk.currentNode.data) {
          for (const unit of fold(char)) {
            for (let i = 0; i < unit.length; i += 1) places.push([walk.currentNode, offset, offset + char.length]);
            text += unit;
          }
          offset += char.length;
        }
      }
      for (let from = text.indexOf(words); from >= 0; from = text.indexOf(words, from + words.length)) {
        const range = view.document.createRange(), end = places[from + words.length - 1];
        range.setStart(places[from][0], places[from][1]);
        range.setEnd(end[0], end[2]);
        found.push(range);
      }
    }
    paint(view, "found", found);
    step(1);
  }

  function paint(view, name, ranges) {
    if (!view || !view.CSS || !view.CSS.highlights) return;
    const marks = new view.Highlight();
    ranges.forEach((range) => marks.add(range));
    view.CSS.highlights.set(name, marks);
  }

  function step(by) {
    const view = seen();
    hits.textContent = !wanted.value ? "" : found.length ? "" : "not found";
    paint(view, "found-now", []);
    if (!found.length) return;
    at = (at + by + found.length) % found.length;
    hits.textContent = `${at + 1} of ${found.length}`;
    const range = found[at], chosen = view.getSelection();
    paint(view, "found-now", [range]);
    chosen.removeAllRanges();
    chosen.addRange(range);
    view.scrollTo({ top: view.scrollY + range.getBoundingClientRect().top - view.innerHeight / 3 });
  }

  function open() {
    bar.hidden = false;
    wanted.focus();
    wanted.select();
  }

  function close() {
    if (bar.hidden) return;
    bar.hidden = true;
    wanted.value = "";
    search();
  }

  wanted.addEventListener("input", search);
  bar.addEventListener("submit", (event) => { event.preventDefault(); step(1); });
  wanted.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.shiftKey) { event.preventDefault(); step(-1); }
  });
  return { open, close, back: () => step(-1), isOpen: () => !bar.hidden };
}
