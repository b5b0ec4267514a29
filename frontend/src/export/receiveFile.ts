import { ApiProblem, isAbort } from "../api/problem";
import { problemAtEnd } from "./fileEnd";

/** Number of received bytes after which they are passed to the browser, which may keep them on disk. */
const HAND_OVER = 8 * 2 ** 20;
/** Bytes from a file's end in which an error line is looked for: longer than any such line. */
const TAIL = 16 * 2 ** 10;

/**
 * Reads a file to its end, telling how many bytes have come. Rejects with an ApiProblem when the file ends with one
 * or breaks off, and with the abort of the request's signal.
 */
export async function receiveFile(
  body: ReadableStream<Uint8Array>,
  onBytes: (bytes: number) => void,
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
    onBytes(file.size + waiting);
    if (waiting >= HAND_OVER) handOver();
  }
  handOver();
  const problem = problemAtEnd(await file.slice(-TAIL).text());
  if (problem !== null) throw problem;
  return file;
}

function brokenOff(error: unknown): never {
  if (isAbort(error)) throw error;
  throw new ApiProblem(0, "broken_off", "the export broke off before its end, so nothing was saved");
}
