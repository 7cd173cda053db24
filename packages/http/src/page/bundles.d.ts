/**
 * A module with the text of a file from `page/`. scripts/build-bundles.mjs puts these texts into
 * the bundle.
 */
declare module '*?bundle' {
  export const text: string;
}
