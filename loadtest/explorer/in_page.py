"""JavaScript that measures within the page, where a frame's own time is known."""

from typing import Final

INTERACTIVE: Final = """() => {
  window.interactive = new Promise((resolve) => {
    const poll = () => {
      if (document.querySelector('[data-testid="query-input"]') === null) return requestAnimationFrame(poll);
      requestAnimationFrame(() => requestAnimationFrame((now) => resolve(now)));
    };
    requestAnimationFrame(poll);
  });
}"""
"""Sets `interactive` to the milliseconds from the start of the visit until the query takes text."""

ENTER: Final = """() => {
  const list = '[data-testid="results"][data-stale="false"] [data-testid="result-row"]';
  window.painted = new Promise((resolve, reject) => {
    let frames = 0;
    const started = ({ key, timeStamp }) => {
      if (key !== "Enter") return;
      removeEventListener("keydown", started, true);
      setTimeout(() => {
        const shown = `${document.querySelectorAll(list).length} rows, marked as drawn: ${drawn()}, ${frames} frames`;
        reject(new Error(`no painted rows are seen within 60 s (${shown})`));
      }, 60_000);
      const drawn = () => performance.getEntriesByName("logsieve:rows").some((each) => each.startTime > timeStamp);
      const answered = (painted, until) => {
        const searches = performance.getEntriesByType("resource").filter(({ name }) => name.includes("/logs/search"));
        const search = searches.find(({ startTime }) => startTime > timeStamp);
        if (search) return resolve([painted, search.responseEnd - search.startTime]);
        if (performance.now() > until) return resolve([painted, null]);
        setTimeout(answered, 20, painted, until);
      };
      const poll = () => {
        frames += 1;
        if (!drawn() || document.querySelector(list) === null) return requestAnimationFrame(poll);
        requestAnimationFrame((now) => answered(now - timeStamp, now + 10_000));
      };
      requestAnimationFrame(poll);
    };
    addEventListener("keydown", started, true);
  });
}"""
"""Sets `painted` to two times in milliseconds: the time from the next Enter to painted rows, and the time of the search
request from its start to the last byte of its answer.

The browser reports an answer after its last byte, which may be after the rows are painted. The second time is null if
the browser reports no answer within 10 seconds after the rows are painted. Fails if no rows are painted within 60
seconds.
"""

SCROLL: Final = """async ([rows, perFrame]) => {
  const list = document.querySelector('[data-testid="results"]');
  const height = list.querySelector('[data-testid="result-row"]').getBoundingClientRect().height;
  const frame = 1000 / 60;
  let [frames, dropped] = [0, 0];
  let last = await new Promise(requestAnimationFrame);
  while (list.scrollTop < (rows - 60) * height && frames < 5 * rows / perFrame) {
    list.scrollTop += perFrame * height;
    const now = await new Promise(requestAnimationFrame);
    dropped += Math.max(0, Math.round((now - last) / frame) - 1);
    last = now;
    frames += 1;
  }
  return [Math.round(list.scrollTop / height), frames, dropped];
}"""
"""Scrolls the list through `rows` rows, `perFrame` rows in each frame. Returns the number of the row that it reached,
and the numbers of frames that were drawn and dropped."""

PLAIN: Final = """([rows, rowHeight]) => {
  const text = "A plain row of one line, as long as its list is wide. ".repeat(4);
  const list = document.body.appendChild(document.createElement("div"));
  list.dataset.testid = "results";
  list.style.cssText = "position: fixed; inset: 300px 0 0 250px; overflow: auto; font: 12.5px monospace";
  const all = list.appendChild(document.createElement("div"));
  all.style.cssText = `position: relative; height: ${rows * rowHeight}px`;
  const drawn = new Map();
  const draw = () => {
    const first = Math.max(0, Math.floor(list.scrollTop / rowHeight) - 10);
    const end = Math.min(rows, first + Math.ceil(list.clientHeight / rowHeight) + 20);
    for (const [index, row] of drawn) {
      if (index >= first && index < end) continue;
      row.remove();
      drawn.delete(index);
    }
    for (let index = first; index < end; index += 1) {
      if (drawn.has(index)) continue;
      const row = all.appendChild(document.createElement("div"));
      row.dataset.testid = "result-row";
      row.textContent = `${index} ${text}`;
      row.style.cssText = `position: absolute; top: ${index * rowHeight}px; height: ${rowHeight}px; contain: strict;`;
      row.style.cssText += "width: 100%; overflow: hidden; white-space: nowrap";
      drawn.set(index, row);
    }
  };
  list.addEventListener("scroll", draw);
  draw();
}"""
"""Fills an empty page with a list of plain rows, which are in the page only while they are in view, and near it.

SCROLL on this page measures the machine and the browser without the web UI.
"""
