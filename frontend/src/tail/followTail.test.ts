import { expect, it } from "vitest";
import { ApiProblem } from "../api/problem";
import { type ConnectTail, followTail, type TailListener } from "./followTail";

/** A server whose connections, one after the other, send these texts or are refused; the last one ends the test. */
async function follow(connections: readonly (string | ApiProblem)[]) {
  const sentIds: (string | null)[] = [];
  const seen: string[] = [];
  const reached: (string | null)[] = [];
  const listener: TailListener = {
    onLog: (log) => seen.push(log.body),
    onGap: (detail) => seen.push(`gap ${detail}`),
    onReached: (id) => reached.push(id),
    onStatus: (status) => seen.push("problem" in status ? `failed ${status.problem.code}` : status.kind),
  };
  const controller = new AbortController();
  const connect: ConnectTail = async (lastId) => {
    const next = connections[sentIds.length];
    sentIds.push(lastId);
    if (next instanceof ApiProblem) throw next;
    return new Blob([next ?? ""]).stream();
  };
  const waits: number[] = [];
  await followTail(connect, listener, controller.signal, null, async (milliseconds) => {
    waits.push(milliseconds);
    if (sentIds.length === connections.length) controller.abort();
  });
  return { sentIds, seen, waits, reached };
}

const log = (id: string) => `id: ${id}\nevent: log\ndata: {"body":"${id}"}\n\n`;
const end = (status: number, code: string) =>
  `event: end\ndata: {"status":${status},"code":"${code}","detail":"x","dropped":0}\n\n`;

it("goes on behind the last event it saw, heartbeats among them", async () => {
  const { sentIds, seen, reached } = await follow([`${log("a")}: heartbeat\nid: b\n\n`, log("c"), log("d")]);
  expect(sentIds).toEqual([null, "b", "c"]);
  expect(reached).toEqual(["b", "c", "d"]);
  expect(seen.filter((each) => each.length === 1)).toEqual(["a", "c", "d"]);
});

it("reports what happens on the way", async () => {
  const events = 'event: interrupted\ndata: {"detail":"x"}\n\nevent: restored\ndata: {}\n\n';
  const { seen } = await follow([`${events}event: gap\ndata: {"detail":"too old"}\n\n`]);
  expect(seen).toEqual(["live", "waiting", "live", "gap too old", "reconnecting"]);
});

it("connects again after an end that passes, and not after one that does not", async () => {
  const { sentIds, seen } = await follow([
    log("a") + end(503, "unavailable"),
    log("b") + end(429, "rate_limited"),
    end(401, "unauthenticated"),
    log("never"),
  ]);
  expect(sentIds).toEqual([null, "a", "b"]);
  expect(seen.at(-1)).toBe("failed unauthenticated");
});

it("stops at a refusal that would be the same again, and waits longer where nobody answers", async () => {
  const unreachable = new ApiProblem(0, "unreachable", "unreachable");
  const { seen, waits } = await follow([
    unreachable,
    unreachable,
    log("a"),
    new ApiProblem(400, "invalid_query", "no"),
  ]);
  expect(waits).toEqual([1_000, 2_000, 1_000]);
  expect(seen.at(-1)).toBe("failed invalid_query");
});
