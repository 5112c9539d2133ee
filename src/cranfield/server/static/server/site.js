// What pages do better with a script; each works without it.

// A form with data-confirm asks before it is sent: its words, and what its button says.
document.addEventListener("submit", (event) => {
  const form = event.target, button = event.submitter;
  const words = (button && button.dataset.confirm) || form.dataset.confirm;
  if (!words || form.dataset.sure || typeof HTMLDialogElement === "undefined") return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const dialog = document.createElement("dialog");
  const said = document.createElement("p");
  said.id = "sure";
  said.textContent = words;
  const choices = document.createElement("div");
  choices.className = "actions";
  const yes = document.createElement("button"), no = document.createElement("button");
  yes.className = "button danger";
  yes.textContent = (button && button.textContent.trim()) || "Yes";
  no.className = "button quiet";
  no.textContent = "Cancel";
  choices.append(yes, no);
  dialog.setAttribute("aria-labelledby", "sure");
  dialog.append(said, choices);
  document.body.append(dialog);
  no.addEventListener("click", () => dialog.close());
  yes.addEventListener("click", () => {
    form.dataset.sure = "yes";
    dialog.close();
    form.requestSubmit(button);
    delete form.dataset.sure;
  });
  dialog.addEventListener("close", () => dialog.remove());
  dialog.showModal();
  no.focus();
}, true);

// A button with data-copy="#id" copies what stands in that element.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button || !navigator.clipboard) return;
  const found = document.querySelector(button.dataset.copy);
  navigator.clipboard.writeText((found.value || found.textContent).trim()).then(() => {
    const before = button.textContent;
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = before; }, 1500);
  });
});
document.documentElement.classList.add("script");

// A menu closes when one looks elsewhere.
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

// A choice with data-send sends its form at once.
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-send]")) event.target.form.requestSubmit();
});

// A run that is chosen is looked at: its size here, everything else by the server, before it is handed in.
document.addEventListener("change", (event) => {
  const input = event.target;
  if (!input.matches("input[type=file][data-most]")) return;
  const file = input.files[0], place = document.querySelector(input.getAttribute("hx-target"));
  const large = file && file.size > Number(input.dataset.most);
  input.setCustomValidity(large ? input.dataset.mostSaid : "");
  place.replaceChildren();
  if (large) {
    const said = document.createElement("div");
    said.className = "errors";
    said.textContent = input.dataset.mostSaid;
    place.append(said);
  } else if (file && window.htmx) {
    window.htmx.trigger(input, "checkfile");
  }
});

// It may be dropped anywhere on its form.
for (const name of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(name, (event) => {
    const form = event.target.closest && event.target.closest("form:has(input[type=file][data-most])");
    if (!form || !event.dataTransfer.types.includes("Files")) return;
    const input = form.querySelector("input[type=file]");
    event.preventDefault();
    input.closest(".field").classList.toggle("drop", name === "dragover");
    if (name !== "drop" || !event.dataTransfer.files.length) return;
    input.files = event.dataTransfer.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
}
