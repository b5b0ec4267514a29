import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { LATIN_FONT_URL, subsetLatinFonts } from "./build/fonts";
import { precompressed } from "./build/precompressed";

const apiUrl = process.env.LOGSIEVE_API_URL ?? "http://127.0.0.1:8080";

/** Test files that replace modules of the page, or load them a second time. */
const ISOLATED = "src/**/*.isolated.test.tsx";
/** Runs before each test file of components. */
const SETUP = "./src/testing/setup.ts";

export default defineConfig(async () => ({
  plugins: [react(), precompressed()],
  resolve: { alias: [{ find: LATIN_FONT_URL, replacement: `${await subsetLatinFonts()}/$1.woff2` }] },
  server: { proxy: { "/api": apiUrl } },
  preview: { proxy: { "/api": apiUrl } },
  build: {
    target: "es2022",
    // Fonts stay files: a data: URL would need a wider Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // Libraries change less often than the page: browsers keep them over a release.
        codeSplitting: {
          groups: [
            { name: "editor", test: /node_modules\/(@codemirror|@lezer|style-mod|crelt|w3c-keyname)/ },
            { name: "react", test: /node_modules\/(react|react-dom|scheduler)\// },
            // The packages that are left out are loaded with the first record that is opened, or with other pages.
            {
              name: "libraries",
              test: /node_modules\/(?!(jsonc-parser|p-limit|yocto-queue|eventsource-parser|@radix-ui\/react-(tabs|alert-dialog))\/)/,
            },
            // One file. Otherwise each set of pages and dialogs that share a module would get a file of its own, and each
            // file costs half a kilobyte of headers in a first visit. Modules that are left out are loaded with the pages
            // and dialogs that use them. For a first visit, these are focusResults, adminKey and the texts of values.
            {
              name: "shared",
              test: /src\/(api|format|language|preferences|session|text|time|ui|url)\/(?!admin|SignIn|statsPieces|linked|Linked|Breakable|focus|dialog\/|section\/|shownTime|Form|CodeBlock|selectedCode|revision|wordTerm)/,
            },
          ],
        },
      },
    },
  },
  test: {
    restoreMocks: true,
    pool: "threads",
    // By default one core less than there are, which is one of two.
    maxWorkers: "100%",
    testTimeout: 120_000,
    projects: [
      // Tests of functions share modules. To load them for each file would take four times as long.
      { extends: true as const, test: { name: "functions", include: ["src/**/*.test.ts"], isolate: false } },
      // Tests of components share modules and the document too. SETUP resets both before each test.
      {
        extends: true as const,
        test: {
          name: "components",
          include: ["src/**/*.test.tsx"],
          exclude: [ISOLATED],
          setupFiles: [SETUP],
          isolate: false,
        },
      },
      // Modules that another test file has loaded would keep what they import, and a mock would have no effect.
      { extends: true as const, test: { name: "isolated", include: [ISOLATED], setupFiles: [SETUP] } },
    ],
  },
}));
