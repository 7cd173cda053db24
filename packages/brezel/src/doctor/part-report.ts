/** Reports whether a part of Brezel works on this machine, and what to do if it does not. */
export interface PartReport {
  readonly works: boolean;
  readonly what: string;
  readonly why?: string;
  readonly remedy?: string;
}
