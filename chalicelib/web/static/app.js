// What the app does beyond its HTML, all of which works without: what runs is followed live, long texts are copied,
// a chart says the value under the pointer, lists are ticked at once, widths are measured, and a form is sent once.
"use strict";
(() => {
  const EVERY = 3000;

  // Elements with an id and data-live are read again while the page is visible, until none is live any more. When the
  // last has ended, everything on the page is new, unless somebody is in the middle of a form. `live` says who asks: while
  // something runs, a screen may leave out what does not change meanwhile.
  let asking = null;
  const live = () => document.querySelectorAll("[data-live][id]");
  const follow = () => {
    clearTimeout(asking);
    if (live().length) asking = setTimeout(ask, EVERY);
  };
  const ask = () => {
    if (document.hidden) return;
    const request = new XMLHttpRequest();
    const address = new URL(location.href);
    address.searchParams.set("live", "1");
    request.open("GET", address);
    request.responseType = "document";
    request.timeout = 25000;
    request.onload = () => {
      if (request.status === 200 && request.response) renew(request.response);
      follow();
    };
    request.onerror = request.ontimeout = follow;
    request.send();
  };
  const renew = (fresh) => {
    const shown = [...live()];
    for (const old of shown) {
      const now = fresh.getElementById(old.id);
      if (now) old.replaceWith(document.importNode(now, true));
    }
    const main = document.getElementById("main");
    const next = fresh.getElementById("main");
    const editing = main.contains(document.activeElement) && document.activeElement.matches("input, textarea, select");
    if (shown.length && !live().length && next && !editing && !main.querySelector("[data-changed]")) {
      main.replaceWith(document.importNode(next, true));
    }
  };
  document.addEventListener("visibilitychange", () => { if (!document.hidden && live().length) ask(); });
  document.addEventListener("input", (event) => { event.target.closest("form")?.setAttribute("data-changed", ""); });
  follow();

  // <button type="button" data-copy="text">
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    const label = button.textContent;
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not copied";
    }
    setTimeout(() => { button.textContent = label; }, 2000);
  });

  // <button value="all" or "none" data-all="name"> ticks every box of that name in its form, or none. What is typed is
  // measured beside its field, and <button data-count="name" data-verb="Undo"> says how many are ticked.
  const brush = document.createElement("canvas").getContext("2d");
  const count = (form) => {
    const button = form?.querySelector("[data-count]");
    if (!button) return;
    const many = form.querySelectorAll(`input[name="${button.dataset.count}"]:checked`).length;
    button.textContent = `${button.dataset.verb} ${many} ${many === 1 ? "change" : "changes"}`;
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-all]");
    if (!button) return;
    event.preventDefault();
    for (const box of button.form.querySelectorAll(`input[name="${button.dataset.all}"]`)) {
      box.checked = button.value === "all";
      delete box.dataset.typed;
    }
    count(button.form);
  });
  document.addEventListener("change", (event) => { count(event.target.form); });

  // What is typed or chosen in a row ticks the row. Taking that back unticks it, unless a person ticked it.
  const differs = (field) => {
    if (field.type === "checkbox") return field.checked && !field.defaultChecked;
    if (field.options) return !field.selectedOptions[0]?.defaultSelected;
    return field.value.trim() && field.value !== field.defaultValue;
  };
  document.addEventListener("input", ({ target }) => {
    const row = target.closest("tr");
    const box = row?.querySelector("input[name=tick]");
    if (!box) return;
    if (target === box) {
      delete box.dataset.typed;
      return;
    }
    if ([...row.querySelectorAll("input:not([name=tick]), select, textarea")].some(differs)) {
      if (!box.checked) box.checked = box.dataset.typed = true;
    } else if (box.dataset.typed) {
      box.checked = false;
      delete box.dataset.typed;
    }
    count(box.form);
  });
  document.addEventListener("input", (event) => {
    const { px, limit } = event.target.dataset;
    const said = limit && event.target.parentElement.querySelector(".fit");
    if (!said) return;
    brush.font = `${px}px Arial, "Liberation Sans", sans-serif`;
    brush.fontKerning = "none";
    const wide = Math.round(brush.measureText(event.target.value.trim()).width);
    said.classList.toggle("over", wide > limit);
    said.classList.toggle("empty", !wide);
    said.textContent = `${wide.toLocaleString("en")} of ${limit} px${wide > limit ? ", cut in results" : ""}`;
  });

  // The value under the pointer, beside the chart.
  document.addEventListener("pointerover", (event) => {
    const hit = event.target.closest?.(".chart .hit");
    if (!hit) return;
    const chart = hit.closest(".chart");
    let said = chart.nextElementSibling;
    if (!said?.matches(".readout")) {
      said = document.createElement("div");
      said.className = "readout faint num";
      chart.after(said);
    }
    said.textContent = hit.querySelector("title").textContent;
  });

  // A form that was sent is not sent again by a second click. Coming back to the page makes it whole again.
  document.addEventListener("submit", (event) => {
    if (event.target.method !== "post") return;
    for (const field of event.target.querySelectorAll("[name^=offered-]")) field.disabled = true;
    setTimeout(() => {
      for (const button of event.target.querySelectorAll("button")) button.disabled = true;
    });
  });
  addEventListener("pageshow", (event) => {
    if (event.persisted) for (const button of document.querySelectorAll("form button")) button.disabled = false;
  });
})();
