/** A piece of a template: text that all messages share, or a wildcard. */
export interface TemplatePart {
  readonly text: string;
  readonly isWildcard: boolean;
  /** Offset of the piece in the template, in UTF-16 units. */
  readonly from: number;
}

/** Splits a template at its wildcards, which are written `<*>`. */
export function templateParts(template: string): TemplatePart[] {
  let from = 0;
  return template.split(/(<\*>)/).flatMap((text): TemplatePart[] => {
    const part = { text, isWildcard: text === "<*>", from };
    from += text.length;
    return text === "" ? [] : [part];
  });
}
