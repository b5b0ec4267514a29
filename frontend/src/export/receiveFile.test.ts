import { expect, it, vi } from "vitest";
import { receiveFile } from "./receiveFile";

function streamOf(pieces: readonly string[], failure?: Error): ReadableStream<Uint8Array> {
  const left = [...pieces];
  return new ReadableStream({
    pull(controller) {
      const piece = left.shift();
      if (piece !== undefined) controller.enqueue(new TextEncoder().encode(piece));
      else if (failure === undefined) controller.close();
      else controller.error(failure);
    },
  });
}

it("puts the pieces together and says how far it is", async () => {
  const onPiece = vi.fn();
  const file = await receiveFile(streamOf(['{"id":"01"}\n', '{"id":"02"}\n']), onPiece);
  expect(await file.text()).toBe('{"id":"01"}\n{"id":"02"}\n');
  expect(onPiece.mock.calls.map(([, bytes]) => bytes)).toEqual([12, 24]);
});

it("gives no file where the server could not finish it", async () => {
  const last = '{"error":{"status":503,"code":"unavailable","detail":"unreachable"}}\n';
  await expect(receiveFile(streamOf(['{"id":"01"}\n', last]), vi.fn())).rejects.toMatchObject({
    code: "unavailable",
  });
  await expect(
    receiveFile(streamOf(["id,x\r\n"], new TypeError("network error")), vi.fn()),
  ).rejects.toMatchObject({
    code: "broken_off",
  });
});

it("passes an abort on as it is", async () => {
  const abort = new DOMException("cancelled", "AbortError");
  await expect(receiveFile(streamOf(["id,x\r\n"], abort), vi.fn())).rejects.toBe(abort);
});
