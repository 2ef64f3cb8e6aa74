// What makes the pages livelier. Everything works without it.

// --- moments: "3 min ago" goes on counting -------------------------------------------------------------------------

const UNITS = [[86400, "d"], [3600, "h"], [60, "min"]];

function lasting(seconds) {
  if (seconds < 60) return `${Math.max(0, Math.floor(seconds))} s`;
  const index = UNITS.findIndex(([size]) => seconds >= size);
  const [size, name] = UNITS[index];
  const whole = Math.floor(seconds / size);
  const finer = UNITS[index + 1];
  const rest = finer && whole < 10 ? Math.floor((seconds % size) / finer[0]) : 0;
  return rest ? `${whole} ${name} ${rest} ${finer[1]}` : `${whole} ${name}`;
}

function count(root) {
  for (const time of root.querySelectorAll("time[data-ago]")) {
    const passed = (Date.now() - Date.parse(time.dateTime)) / 1000;
    const text = Math.abs(passed) < 1 ? "now" : passed > 0 ? `${lasting(passed)} ago` : `in ${lasting(-passed)}`;
    if (time.textContent !== text) time.textContent = text;
  }
}

// --- live parts: replaced when the server has something new --------------------------------------------------------

// what somebody has the keyboard in, or has marked, is not taken away under their hands
function inUse(region) {
  const marked = document.getSelection();
  return region.contains(document.activeElement) || (marked && !marked.isCollapsed && region.contains(marked.anchorNode));
}

let held = null;

function replace(region, html) {
  held = inUse(region) ? () => replace(region, html) : null;
  if (held) return;
  const fresh = new DOMParser().parseFromString(html, "text/html");
  carry(region, fresh);
  region.replaceChildren(...fresh.body.childNodes);
  count(region);
}

// what somebody has opened stays open, and what they have filled in stays filled in
function carry(region, fresh) {
  for (const opened of region.querySelectorAll("details[open][id]")) {
    const same = fresh.getElementById(opened.id);
    if (same) same.open = true;
  }
  for (const form of region.querySelectorAll("form")) {
    const same = [...fresh.forms].find((other) => other.getAttribute("action") === form.getAttribute("action"));
    for (const field of same ? form.querySelectorAll("input:not([type=hidden]), textarea") : []) {
      const other = same.elements.namedItem(field.name);
      if (other && "value" in other && field.value !== field.defaultValue) other.value = field.value;
    }
  }
}

async function fetched(address, headers = {}) {
  const answer = await fetch(address, { headers: { accept: "text/html", ...headers }, credentials: "same-origin" });
  if (!answer.ok || answer.redirected) throw new Error(`answered ${answer.status}`);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  return page.querySelector("#live");
}

let source = null;
let asking = null;

function follow() {
  const region = document.querySelector("#live[data-live]");
  leave();
  if (!region || document.hidden) return;
  source = new EventSource(region.dataset.live);
  source.addEventListener("part", (event) => replace(region, JSON.parse(event.data)));
  source.addEventListener("error", () => {
    // a stream that is closed for good was refused: ask for the whole page now and then
    if (source && source.readyState === EventSource.CLOSED && asking === null) {
      asking = setInterval(() => again(region).catch(() => {}), 30000);
    }
  });
}

// nobody asked for this: it keeps nobody logged in
async function again(region) {
  const fresh = await fetched(location.href, { "x-renewal": "1" });
  if (fresh) replace(region, fresh.innerHTML);
}

function leave() {
  if (source) source.close();
  if (asking !== null) clearInterval(asking);
  source = asking = null;
}

// --- search as you type --------------------------------------------------------------------------------------------

function seek() {
  const field = document.querySelector("[data-seek]");
  const region = document.querySelector("#live[data-results]");
  if (!field || !region || location.pathname !== new URL(field.form.action).pathname) return;
  let waiting = null;
  let asked = 0;
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(async () => {
      const address = new URL(location.href);
      address.searchParams.delete("after");
      if (field.value) address.searchParams.set("q", field.value);
      else address.searchParams.delete("q");
      const number = ++asked;
      try {
        const fresh = await fetched(address);
        if (number !== asked || !fresh) return; // an answer that was overtaken
        history.replaceState(null, "", address);
        held = null;
        if (fresh.dataset.live) region.dataset.live = fresh.dataset.live;
        else delete region.dataset.live;
        region.replaceChildren(...fresh.childNodes);
        count(region);
        const rows = region.querySelectorAll("tbody tr, [data-hit]").length;
        document.querySelector("#told").textContent = rows ? `${rows} shown` : "none matches";
        follow();
      } catch {
        // the form itself still works
      }
    }, 180);
  });
}

// --- what cannot be taken back is asked once -----------------------------------------------------------------------

function confirming() {
  const dialog = document.querySelector("#confirm");
  if (!dialog || !dialog.showModal) return;
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.dataset.confirm || form.dataset.confirmed) return;
    event.preventDefault();
    dialog.querySelector("#confirm-words").textContent = form.dataset.confirm;
    dialog.returnValue = "no";
    dialog.addEventListener("close", () => {
      if (dialog.returnValue !== "yes") return;
      form.dataset.confirmed = "yes";
      form.requestSubmit(event.submitter);
    }, { once: true });
    dialog.showModal();
  });
}

// --- what takes long says so ---------------------------------------------------------------------------------------

function waiting() {
  document.addEventListener("submit", (event) => {
    const button = event.submitter;
    if (event.defaultPrevented || !button || !button.dataset.wait) return;
    const told = event.target.querySelector("[data-waiting]");
    if (told) told.textContent = button.dataset.wait;
    button.setAttribute("aria-busy", "true");
    // once the browser has taken what it sends: a button that is off is not sent
    setTimeout(() => event.target.querySelectorAll("button").forEach((one) => { one.disabled = true; }));
  });
  // a page that is come back to has nothing under way
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    for (const told of document.querySelectorAll("[data-waiting]")) told.textContent = "";
    for (const button of document.querySelectorAll("button:disabled, button[aria-busy]")) {
      button.disabled = false;
      button.removeAttribute("aria-busy");
    }
  });
}

// --- keys ----------------------------------------------------------------------------------------------------------

function keys() {
  let went = 0;
  document.addEventListener("keydown", (event) => {
    const target = event.target;
    const typing = target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (typing) {
      if (event.key === "Escape") target.blur();
      return;
    }
    if (event.key === "/") {
      const field = document.querySelector("[data-seek]");
      if (field) {
        event.preventDefault();
        field.focus();
        field.select();
      }
    } else if (event.key === "g") {
      went = Date.now();
    } else if (Date.now() - went < 1500) {
      went = 0;
      const link = document.querySelector(`[data-keys="${CSS.escape(event.key)}"]`);
      if (link) link.click();
    }
  });
}

// what was done is said once, not again at every reload
const asked = new URL(location.href);
if (asked.searchParams.has("did")) {
  asked.searchParams.delete("did");
  history.replaceState(null, "", asked);
}

// where the ways stand side by side, on a phone, the one that was taken may be out of sight
document.querySelector(".side [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });

count(document);
setInterval(() => {
  count(document);
  if (held) held();
}, 1000);
document.addEventListener("visibilitychange", () => (document.hidden ? leave() : follow()));
addEventListener("pagehide", leave);
addEventListener("pageshow", () => { if (!source) follow(); });
seek();
confirming();
waiting();
keys();
follow();
