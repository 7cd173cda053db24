/** Describes one part of Brezel: whether it works on this machine, why not, and what to do. */
export interface PartReport {
  readonly works: boolean;
  readonly what: string;
  readonly why?: string;
  readonly remedy?: string;
}
