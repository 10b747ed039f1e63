"use strict";
(() => {
  const bar = document.querySelector(".filters");
  if (!bar) return;
  const cards = [...document.querySelectorAll("article")];
  const rows = [...document.querySelectorAll("tr[data-card]")];
  const chosen = (name) =>
    new Set([...bar.querySelectorAll(`input[name="${name}"]:checked`)].map((box) => box.value));
  const apply = () => {
    const severity = chosen("severity");
    const verdict = chosen("verdict");
    const lane = chosen("lane");
    let shown = 0;
    for (const card of cards) {
      const lanes = (card.dataset.lanes || "").split(" ");
      const fits = severity.has(card.dataset.severity) && verdict.has(card.dataset.verdict)
        && lanes.some((one) => lane.has(one));
      card.hidden = !fits;
      shown += fits ? 1 : 0;
    }
    for (const row of rows) {
      const card = document.getElementById(row.dataset.card);
      row.hidden = Boolean(card && card.hidden);
    }
    bar.querySelector("output").textContent = `${shown} of ${cards.length} shown`;
  };
  bar.addEventListener("change", apply);
  bar.hidden = false;
  apply();
})();
