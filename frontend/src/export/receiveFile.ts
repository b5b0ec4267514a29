import { ApiProblem, isAbort } from "../api/problem";
import { problemAtEnd } from "./fileEnd";

/** Number of received bytes that are collected before they become a Blob, which the browser may keep on disk. */
const HAND_OVER = 8 * 2 ** 20;
/** Number of bytes at a file's end that are searched for an error line. No error line is longer. */
const TAIL = 16 * 2 ** 10;

/**
 * Reads a file to its end. Passes each piece and the number of bytes received so far to `onPiece`. Rejects with an
 * ApiProblem if the file ends with an error line or breaks off, and with the abort of the request's signal.
 */
export async function receiveFile(
  body: ReadableStream<Uint8Array>,
  onPiece: (piece: Uint8Array, bytes: number) => void,
): Promise<Blob> {
  const reader = body.getReader();
  let file = new Blob([]);
  let pieces: BlobPart[] = [];
  let waiting = 0;
  const handOver = () => {
    file = new Blob([file, ...pieces]);
    pieces = [];
    waiting = 0;
  };
  for (;;) {
    const { done, value } = await reader.read().catch(brokenOff);
    if (done) break;
    pieces.push(value.slice());
    waiting += value.byteLength;
    onPiece(value, file.size + waiting);
    if (waiting >= HAND_OVER) handOver();
  }
  handOver();
  const problem = problemAtEnd(await file.slice(-TAIL).text());
  if (problem !== null) throw problem;
  return file;
}

function brokenOff(error: unknown): never {
  if (isAbort(error)) throw error;
  throw new ApiProblem(0, "broken_off", "the export ended early, so nothing was saved: export again");
}
