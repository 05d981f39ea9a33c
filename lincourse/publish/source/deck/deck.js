// Fit every slide into its frame, then start reveal.js.
"use strict";

const [WIDE, HIGH] = [1280, 720];

// Before reveal.js starts, all slides lie in the page below each other and can be measured.
function fit() {
  document.body.classList.add("measuring");
  for (const box of document.querySelectorAll(".slides .fit")) {
    const inner = box.firstElementChild;
    for (let turn = 0; turn < 4; turn += 1) {
      const heading = box.parentElement.querySelector("h2").offsetHeight;
      const room = HIGH - 58 - heading;
      const scale = Number(inner.style.zoom || 1);
      const need = Math.max(inner.getBoundingClientRect().height / room, overflow(inner));
      if (need <= 1.001) break;
      inner.style.zoom = String(Math.floor((scale / need) * 1000) / 1000);
    }
  }
  document.body.classList.remove("measuring");
}

// How much wider than its frame the widest thing is.
function overflow(inner) {
  let most = 1;
  for (const thing of inner.querySelectorAll("pre, .table, .formula, p, li, img")) {
    most = Math.max(most, thing.scrollWidth / thing.clientWidth || 1);
  }
  return most;
}

addEventListener("DOMContentLoaded", async () => {
  await document.fonts.load("20px 'STIX Two Math'");
  await Promise.all([...document.images].map((image) => image.decode().catch(() => {})));
  fit();
  const printing = location.search.includes("print-pdf");
  Reveal.on(printing ? "pdf-ready" : "ready", () => { window.deckReady = true; });
  Reveal.initialize({
    width: WIDE, height: HIGH, margin: 0, center: false, hash: true, transition: "none", navigationMode: "linear",
    slideNumber: "c/t", pdfSeparateFragments: false, pdfMaxPagesPerSlide: 1, plugins: [RevealNotes],
  });
});
