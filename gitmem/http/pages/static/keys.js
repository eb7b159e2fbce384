// Keys, and editing in place. All pages work without.
"use strict";
(() => {
  const box = document.getElementById("q");
  const keys = document.getElementById("keys");
  const opener = document.querySelector("[data-keys]");
  const rows = () => [...document.querySelectorAll("[data-row]")];
  const current = () => document.activeElement.closest("[data-row]");

  function step(by) {
    const all = rows();
    if (!all.length) return;
    const at = all.indexOf(current());
    const next = at < 0 ? all[by > 0 ? 0 : all.length - 1] : all[at + by];
    const link = next && next.querySelector("a");
    if (link) {
      link.focus();
      next.scrollIntoView({ block: "nearest" });
    }
  }

  // The form of a page with an edit form, put in the place of a row.
  async function edit(link) {
    const row = link.closest("[data-row]");
    if (!row) {
      location.href = link.href;
      return;
    }
    const answer = await fetch(link.href, { headers: { Accept: "text/html" } });
    const text = await answer.text();
    const form = new DOMParser().parseFromString(text, "text/html").querySelector("form.edit");
    if (!form) {
      location.href = link.href;
      return;
    }
    const next = form.querySelector("[name=next]");
    if (next) next.value = location.pathname + location.search;
    row.hidden = true;
    row.after(form);
    form.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        form.remove();
        row.hidden = false;
        row.querySelector("a").focus();
      }
    });
    form.querySelector("textarea, input:not([type=hidden])").focus();
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input:not([type=checkbox]), textarea, select, dialog")) return;
    const row = current();
    const actions = {
      "/": () => { box.focus(); box.select(); },
      j: () => step(1),
      k: () => step(-1),
      x: () => { const tick = row && row.querySelector("input[type=checkbox]"); if (tick) tick.click(); },
      e: () => { const link = (row || document).querySelector("[data-edit]"); if (link) edit(link); },
      "?": () => keys.showModal(),
    };
    if (!(event.key in actions)) return;
    event.preventDefault();
    actions[event.key]();
  });

  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-row] [data-edit]");
    if (link && event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      edit(link);
    }
    const all = event.target.closest("[data-all]");
    if (all) all.form.querySelectorAll("input[name=id]").forEach((tick) => { tick.checked = all.checked; });
  });

  if (opener) {
    opener.hidden = false;
    opener.addEventListener("click", () => keys.showModal());
  }
})();
