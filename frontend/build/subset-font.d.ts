/** The part of subset-font that the build uses. The package has no types of its own. */
declare module "subset-font" {
  export interface SubsetOptions {
    readonly targetFormat?: "sfnt" | "woff" | "woff2";
    /** OpenType features that stay. */
    readonly keepFeatures?: readonly string[];
    /** Bounds of the axes of a variable font. */
    readonly variationAxes?: Readonly<Record<string, { readonly min: number; readonly max: number }>>;
  }
  /** Returns a font with the glyphs that these characters need. */
  export default function subsetFont(
    font: Uint8Array,
    characters: string,
    options: SubsetOptions,
  ): Promise<Uint8Array>;
}
