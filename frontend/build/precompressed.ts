import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "vite";

/** Files worth compressing. Fonts are compressed already. */
const TEXT = /\.(css|html|js|json|svg|txt)$/;

/**
 * Writes `FILE.br` and `FILE.gz` beside each text file of the build. The API sends these files, because it would take
 * most of a first visit to compress the text when a browser asks for it.
 */
export function precompressed(): Plugin {
  return {
    name: "precompressed",
    apply: "build",
    writeBundle: async ({ dir = "dist" }) => {
      const files = await readdir(dir, { recursive: true });
      await Promise.all(files.filter((file) => TEXT.test(file)).map((file) => compress(join(dir, file))));
    },
  };
}

async function compress(file: string): Promise<void> {
  const text = await readFile(file);
  const parameters = { [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
  const [brotli, gzipped] = await Promise.all([
    promisify(brotliCompress)(text, { params: parameters }),
    promisify(gzip)(text, { level: 9 }),
  ]);
  await Promise.all([writeFile(`${file}.br`, brotli), writeFile(`${file}.gz`, gzipped)]);
}
