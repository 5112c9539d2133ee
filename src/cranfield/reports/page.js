// Comfort alone: buttons that copy, and headers that sort. The page reads the same without.
for (const pre of document.querySelectorAll("pre")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    const range = document.createRange();
    range.selectNodeContents(pre);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    try {
      await navigator.clipboard.writeText(pre.textContent);
      button.textContent = "Copied";
    } catch {
      button.textContent = document.execCommand("copy") ? "Copied" : "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  pre.before(button);
}
const numberIn = (cell) => {
  const text = cell.textContent.trim().replace(/^< /, "");
  return text === "" ? Infinity : parseFloat(text);
};
for (const table of document.querySelectorAll(".sorts table")) {
  table.querySelectorAll("thead th").forEach((header, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener("click", () => {
      const down = header.getAttribute("aria-sort") === "ascending";
      const body = table.tBodies[0];
      const numeric = header.classList.contains("number");
      const order = (a, b) => numeric
        ? numberIn(a.cells[column]) - numberIn(b.cells[column]) || 0
        : a.cells[column].textContent.localeCompare(b.cells[column].textContent, "en", { numeric: true });
      const rows = [...body.rows].sort((a, b) => (down ? -1 : 1) * order(a, b));
      for (const other of table.querySelectorAll("thead th")) other.removeAttribute("aria-sort");
      header.setAttribute("aria-sort", down ? "descending" : "ascending");
      body.append(...rows);
    });
  });
}
