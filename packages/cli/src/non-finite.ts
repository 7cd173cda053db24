import { Option } from 'commander';

/** The flag, of commands that import models. */
export interface NonFiniteFlag {
  readonly allowNonFinite?: true;
}

export const nonFiniteOption = () =>
  new Option('--allow-non-finite', 'take weights, thresholds and leaves that are NaN as they are');

/** The flag as importers want it. */
export const nonFiniteOf = ({ allowNonFinite }: NonFiniteFlag) => (allowNonFinite ? 'allow' : 'refuse');
