"use strict";
// Stepping through a replay keeps the scroll position and adds nothing to the browser's history.
document.addEventListener("click", (click) => {
  const link = click.target.closest(".positions a");
  if (!link) return;
  click.preventDefault();
  const [left, top, kind] = [scrollX, scrollY, link.rel];
  addEventListener("hashchange", () => {
    scrollTo(left, top);
    const next = kind && document.querySelector(`:target a[rel=${kind}]`);
    if (next) next.focus({ preventScroll: true });
  }, { once: true });
  location.replace(link.hash);
});
document.addEventListener("keydown", (key) => {
  const kind = { ArrowLeft: "prev", ArrowRight: "next" }[key.key];
  const link = kind && document.querySelector(`.positions :target a[rel=${kind}]`);
  if (!link || key.altKey || key.ctrlKey || key.metaKey) return;
  key.preventDefault();
  link.click();
});
