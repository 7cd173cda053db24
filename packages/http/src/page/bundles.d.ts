/** The text of a file below `page/`. scripts/build-bundles.mjs bundles scripts and styles. */
declare module '*?bundle' {
  export const text: string;
}
