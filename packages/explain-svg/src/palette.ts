/**
 * Tints and dark lines that color-blind readers can distinguish (after Okabe and Ito). Each color
 * is paired with a word or a shape.
 */
export const colours = {
  paper: '#ffffff',
  ink: '#1b2330',
  faint: '#5a6573',
  hair: '#d5dae1',
  edge: '#69747f',
  featurizer: { line: '#0072b2', band: '#d6e8f5', paper: '#f7fbfe' },
  model: { line: '#b8670a', band: '#fbe6c8', paper: '#fffaf2' },
  shared: '#007d5b',
  sharedBand: '#e0f3ec',
  javascript: '#a8336f',
  chip: '#eef1f5',
  heat: '#3b4a8c',
  heatBed: '#e3e6f2',
} as const;

export const fonts = {
  sans: "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif",
  mono: "Menlo, Consolas, 'Liberation Mono', 'DejaVu Sans Mono', monospace",
} as const;

/**
 * The dark color that replaces each light color if the viewer prefers a dark scheme. Color-blind
 * readers can distinguish the dark colors too.
 */
const dark: Readonly<Record<string, string>> = {
  [colours.paper]: '#12161d',
  [colours.ink]: '#e6eaf0',
  [colours.faint]: '#a3adba',
  [colours.hair]: '#39424e',
  [colours.edge]: '#8b96a3',
  [colours.featurizer.line]: '#4fa8e0',
  [colours.featurizer.band]: '#173a52',
  [colours.featurizer.paper]: '#141f29',
  [colours.model.line]: '#e0983c',
  [colours.model.band]: '#4a3213',
  [colours.model.paper]: '#241c12',
  [colours.shared]: '#3fc79e',
  [colours.sharedBand]: '#123a2e',
  [colours.javascript]: '#ec7fb2',
  [colours.chip]: '#262d38',
  [colours.heat]: '#93a3f0',
  [colours.heatBed]: '#2a3150',
};

/**
 * Returns the CSS for viewers with a dark color scheme. It overrides the attributes `fill` and
 * `stroke`, so that viewers without CSS show the light colors. Its selectors match only pictures of
 * Brezel, not other parts of a page.
 */
export function darkStyle(): string {
  const rules = Object.entries(dark).flatMap(([light, color]) =>
    ['fill', 'stroke'].map((property) => `.bz-plan [${property}="${light}"]{${property}:${color}}`),
  );
  return `@media (prefers-color-scheme:dark){${rules.join('')}}`;
}
