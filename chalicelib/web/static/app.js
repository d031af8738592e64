// Additions to the app's HTML, which works without them: running work is refreshed, texts are copied, a chart shows the
// value under the pointer, all boxes of a list are ticked at once, widths are measured, and a form is sent only once.
"use strict";
(() => {
  const EVERY = 3000;

  // Elements with an id and data-live are refreshed while the page is visible, until no element has data-live any more.
  // Then the whole page is replaced, unless the person is editing a form. The parameter `live` marks these requests, so
  // that a screen may leave out parts that do not change while something runs.
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

  // <button type="button" data-copy="text"> copies this text.
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

  // <button value="all" or "none" data-all="name"> ticks or unticks all boxes of that name in its form. With data-filled,
  // it ticks only boxes of rows in which a field is filled. Enter in a row presses no button.
  // <button data-count="name" data-verb="Undo"> shows how many boxes are ticked. The width of a typed text is measured
  // next to its field.
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
      const all = button.value === "all";
      box.checked = all && (!("filled" in button.dataset) || fields(box.closest("tr")).some(filled));
      delete box.dataset.typed;
    }
    count(button.form);
  });
  document.addEventListener("change", (event) => { count(event.target.form); });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches("form:has([data-all]) tr input")) event.preventDefault();
  });

  // A row is ticked when something is typed or chosen in it. It is unticked when that is undone, unless the person
  // ticked the row.
  const fields = (row) => [...row.querySelectorAll("input:not([name=tick], [type=hidden]), select, textarea")];
  const filled = (field) => (field.type === "checkbox" ? field.checked : field.value.trim());
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
    if (fields(row).some(differs)) {
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

  // Show the value under the pointer below the chart.
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

  // A second click does not send a form again. The buttons work again when the person returns to the page.
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
