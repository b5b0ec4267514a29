const PLAIN_NAME = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;

/** Returns a path such as `user.roles[0]`. Names that are not identifiers are quoted: `["odd name"].id`. */
export function pathText(path: readonly (string | number)[]): string {
  return path
    .map((part, index) => {
      if (typeof part === "number") return `[${part}]`;
      if (!PLAIN_NAME.test(part)) return `[${JSON.stringify(part)}]`;
      return index === 0 ? part : `.${part}`;
    })
    .join("");
}
