/** A stream whose lines the test writes one by one. */
export function openStream() {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array>;
  const state = { isCancelled: false };
  const lines = new ReadableStream<Uint8Array>({
    start(started) {
      controller = started;
    },
    cancel() {
      state.isCancelled = true;
    },
  });
  const write = (...written: object[]) => {
    for (const line of written) controller.enqueue(encoder.encode(`${JSON.stringify(line)}\n`));
  };
  return { lines, write, state, close: () => controller.close() };
}
