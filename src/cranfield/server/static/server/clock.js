// Time on task: it counts while the page can be seen and, where a page says when, while that holds.
export function clockOf(counts = () => true) {
  let spent = 0, since = null;
  const tick = () => {
    const now = performance.now();
    if (since !== null) spent += now - since;
    since = document.visibilityState === "visible" && counts() ? now : null;
  };
  document.addEventListener("visibilitychange", tick);
  return {
    tick,
    begin() { spent = 0; since = null; tick(); },
    seconds() { tick(); return (spent / 1000).toFixed(1); },
  };
}

// Each form of a page that asks for it tells how long the page was looked at.
export function tellSeconds() {
  const clock = clockOf();
  clock.begin();
  document.addEventListener("submit", ({ target }) => {
    const field = target.querySelector("[name=seconds]");
    if (field) field.value = clock.seconds();
  });
}
