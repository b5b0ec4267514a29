"""JavaScript that measures within the page, where a frame's own time is known."""

from typing import Final

INTERACTIVE: Final = """() => {
  window.interactive = new Promise((resolve) => {
    const look = () => {
      if (document.querySelector('[data-testid="query-input"]') === null) return requestAnimationFrame(look);
      requestAnimationFrame(() => requestAnimationFrame((now) => resolve(now)));
    };
    requestAnimationFrame(look);
  });
}"""
"""Sets `interactive` to the milliseconds from the begin of the visit until the query takes text."""

ENTER: Final = """() => {
  const list = '[data-testid="results"][data-stale="false"] [data-testid="result-row"]';
  window.painted = new Promise((resolve) => {
    const began = ({ key, timeStamp }) => {
      if (key !== "Enter") return;
      removeEventListener("keydown", began, true);
      const drawn = () => performance.getEntriesByName("logsieve:rows").some((each) => each.startTime > timeStamp);
      const answered = (painted, until) => {
        const searches = performance.getEntriesByType("resource").filter(({ name }) => name.includes("/logs/search"));
        const search = searches.find(({ startTime }) => startTime > timeStamp);
        if (search) return resolve([painted, search.responseEnd - search.startTime]);
        if (performance.now() > until) return resolve([painted, null]);
        setTimeout(answered, 20, painted, until);
      };
      const look = () => {
        if (!drawn() || document.querySelector(list) === null) return requestAnimationFrame(look);
        requestAnimationFrame((now) => answered(now - timeStamp, now + 10_000));
      };
      requestAnimationFrame(look);
    };
    addEventListener("keydown", began, true);
  });
}"""
"""Sets `painted` to two times in milliseconds: from the next Enter to painted rows, and of the search's whole answer.

The browser reports an answer after its last byte, which may be after the rows are painted. The second time is null if
no answer is reported within 10 seconds after they are painted.
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
"""Scrolls the list through so many rows, and returns the rows it reached and its frames: drawn, dropped."""
