/** A part of Brezel on this machine: whether it works, and what to do if not. */
export interface PartReport {
  readonly works: boolean;
  readonly what: string;
  readonly why?: string;
  readonly remedy?: string;
}
