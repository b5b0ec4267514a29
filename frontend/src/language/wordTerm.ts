import { writeField } from "./editQuery";
import { WORDS } from "./matchRanges";

/** Largest number of words in a term. A query may have more, but nobody would read it. */
const MAX_WORDS = 16;
/** Largest number of characters of all words in a term together. */
const MAX_CHARACTERS = 1_000;

/**
 * Returns a term that finds the words of a text next to each other: in the message, or in the value of a field. Of a long
 * text, the first words are taken. Null for a text without words, and for one whose first word is too long.
 */
export function wordTerm(text: string, field: string | null): string | null {
  const words: string[] = [];
  let characters = 0;
  for (const [word] of text.matchAll(WORDS)) {
    characters += word.length + 1;
    if (words.length === MAX_WORDS || characters > MAX_CHARACTERS) break;
    words.push(word);
  }
  if (words.length === 0) return null;
  const phrase = `"${words.join(" ")}"`;
  return field === null ? phrase : `${writeField(field)}:~${phrase}`;
}
