// Two documents side by side: keys press the buttons, and the time on the page goes with the answer.
import { tellSeconds } from "./clock.js";

const use = document.querySelector("#use-keys");
if (use) {
  use.checked = localStorage.getItem("pair-keys") !== "off";
  use.addEventListener("change", () => localStorage.setItem("pair-keys", use.checked ? "on" : "off"));
}

function press(event) {
  const writes = event.target.closest("input:not([type=checkbox]), textarea, select, dialog");
  if (writes || event.ctrlKey || event.metaKey || event.altKey || event.repeat || (use && !use.checked)) return;
  const help = document.querySelector("#keys");
  if (event.key === "?" && help) {
    help.open = !help.open;
    if (help.open) help.querySelector("summary").focus();
    return;
  }
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const button = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (!button) return;
  event.preventDefault();
  button.click();
}
document.addEventListener("keydown", press);
// Keys that are pressed inside a document mean the same; no script runs in there.
for (const frame of document.querySelectorAll(".pair iframe")) {
  const hear = () => frame.contentDocument && frame.contentDocument.addEventListener("keydown", press);
  frame.addEventListener("load", hear);
  hear();
}

// What was pressed twice is sent once; a page that comes back from the browser's memory can be sent again.
let sent = false;
window.addEventListener("pageshow", () => { sent = false; });
document.addEventListener("submit", (event) => {
  if (sent) {
    event.preventDefault();
    return;
  }
  sent = true;
});
tellSeconds();
