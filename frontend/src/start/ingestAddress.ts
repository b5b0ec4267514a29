import { lastingStorage } from "../preferences/browserStorage";

const STORAGE_KEY = "logsieve.ingest-address";

/** Ports of the page and of OTLP over HTTP in a stack without a port offset. */
const PAGE_PORT = 8080;
const OTLP_PORT = 4318;

/**
 * Returns a guess of the address for OTLP over HTTP: the page's own host, with the port of a one-machine stack of the
 * same port offset. It is used until the API has named the address.
 */
export function likelyIngestAddress(page: Pick<Location, "protocol" | "hostname" | "port">): string {
  const port = Number(page.port);
  const offset = port >= PAGE_PORT ? port - PAGE_PORT : 0;
  return `${page.protocol}//${page.hostname}:${OTLP_PORT + offset}`;
}

/** Returns the address without a trailing slash and without OTLP's path; null for text that is not an HTTP address. */
export function readIngestAddress(typed: string): string | null {
  const trimmed = typed.trim().replace(/\/+(v1\/logs\/*)?$/, "");
  // Shell commands contain the address unchanged, so characters that a URL may not contain must not reach a snippet.
  if (!/^https?:\/\/[^\s'"$`\\<>]+$/.test(trimmed) || !URL.canParse(trimmed)) return null;
  return trimmed;
}

export const ingestAddressStorage = {
  read(): string | null {
    return lastingStorage.get(STORAGE_KEY);
  },
  keep(address: string): void {
    lastingStorage.set(STORAGE_KEY, address);
  },
};
