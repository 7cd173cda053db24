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
