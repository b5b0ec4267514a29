import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import subsetFont, { type SubsetOptions } from "subset-font";

const INTER = "@fontsource-variable/inter";
const MONO = "@fontsource/jetbrains-mono";
/** Features that place accents and choose letters of a language. */
const LETTERS = ["ccmp", "kern", "locl", "mark", "mkmk"];

interface LatinFont {
  readonly packageName: string;
  readonly file: string;
  readonly options: SubsetOptions;
}

/** The fonts that every page loads, with what `styles/base.css` uses of them. It turns ligatures off. */
const LATIN_FONTS: readonly LatinFont[] = [
  {
    packageName: INTER,
    file: "inter-latin-wght-normal.woff2",
    options: {
      keepFeatures: [...LETTERS, "cv05", "cv11", "ss03", "tnum"],
      variationAxes: { wght: { min: 400, max: 650 } },
    },
  },
  { packageName: MONO, file: "jetbrains-mono-latin-400-normal.woff2", options: { keepFeatures: LETTERS } },
  { packageName: MONO, file: "jetbrains-mono-latin-600-normal.woff2", options: { keepFeatures: LETTERS } },
];

/** Address of a Latin font in the style sheets of its package. */
export const LATIN_FONT_URL =
  /^\.\/files\/(inter-latin-wght-normal|jetbrains-mono-latin-[46]00-normal)\.woff2$/;

const require = createRequire(import.meta.url);

/**
 * Writes the Latin fonts without the glyphs, features and weights that no page uses, which is more than half of their
 * bytes. Returns the folder of the files. A second call finds them there.
 */
export async function subsetLatinFonts(): Promise<string> {
  const versions = [INTER, MONO, "subset-font"].map(versionOf);
  const state = createHash("sha256").update(JSON.stringify([LATIN_FONTS, versions]));
  const folder = join(
    import.meta.dirname,
    "../node_modules/.cache/latin-fonts",
    state.digest("hex").slice(0, 16),
  );
  await mkdir(folder, { recursive: true });
  await Promise.all(LATIN_FONTS.map((font) => subset(font, join(folder, font.file))));
  return folder;
}

async function subset({ packageName, file, options }: LatinFont, target: string): Promise<void> {
  if (existsSync(target)) return;
  const home = dirname(require.resolve(`${packageName}/package.json`));
  const ranges = JSON.parse(await readFile(join(home, "unicode.json"), "utf8")) as { readonly latin: string };
  const font = await readFile(join(home, "files", file));
  const written = `${target}.${process.pid}`;
  await writeFile(
    written,
    await subsetFont(font, charactersOf(ranges.latin), { targetFormat: "woff2", ...options }),
  );
  // A build and the tests may write the same file at the same time.
  await rename(written, target);
}

/** Returns all characters of a CSS `unicode-range`, such as `U+0000-00FF,U+0131`. */
function charactersOf(ranges: string): string {
  const codes = ranges.split(",").flatMap((range) => {
    const [from = 0, to = from] = range
      .replace("U+", "")
      .split("-")
      .map((code) => Number.parseInt(code, 16));
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
  return String.fromCodePoint(...codes);
}

function versionOf(packageName: string): string {
  return (require(`${packageName}/package.json`) as { readonly version: string }).version;
}
