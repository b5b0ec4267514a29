/** A part of a text, in UTF-16 offsets; the end is exclusive. `href` is the part's web address, or null. */
export interface Run {
  readonly from: number;
  readonly to: number;
  readonly href: string | null;
}

/** Printable ASCII only, because addresses that imitate others are written with other characters. */
const ADDRESS = /\bhttps?:\/\/[a-z0-9[](?:(?!["'<>\\^`{|}])[!-~])*/gi;
/** Matches text that begins with a non-ASCII character which continues a word. */
const CONTINUED = /^[^\s!-~]/u;

/** Largest number of parts of a text. Each is an element of the page; further addresses stay text. */
const MAX_RUNS = 1_000;

/** Splits a text into web addresses and the text between them. */
export function linkRuns(text: string): Run[] {
  const runs: Run[] = [];
  let done = 0;
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    const to = index + withoutPunctuation(found).length;
    const href = text.slice(index, to);
    if (!URL.canParse(href) || CONTINUED.test(text.slice(index + found.length, index + found.length + 2)))
      continue;
    if (runs.length >= MAX_RUNS) break;
    if (index > done) runs.push({ from: done, to: index, href: null });
    runs.push({ from: index, to, href });
    done = to;
  }
  if (done < text.length || runs.length === 0) runs.push({ from: done, to: text.length, href: null });
  return runs;
}

/** Returns the address without the punctuation around it: `(see https://host/a).` has `https://host/a`. */
function withoutPunctuation(address: string): string {
  const closing = new Map([
    [")", count(address, ")") - count(address, "(")],
    ["]", count(address, "]") - count(address, "[")],
  ]);
  let end = address.length;
  for (; end > 0; end -= 1) {
    const last = address.charAt(end - 1);
    const unopened = closing.get(last) ?? 0;
    if (unopened <= 0 && !".,;:!?*".includes(last)) break;
    closing.set(last, unopened - 1);
  }
  return address.slice(0, end);
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}
