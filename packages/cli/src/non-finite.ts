import { Option } from 'commander';

/** The flag `--allow-non-finite` of commands that import models. */
export interface NonFiniteFlag {
  readonly allowNonFinite?: true;
}

export const nonFiniteOption = () => new Option('--allow-non-finite', 'accept NaN in weights, thresholds and leaves');

/** Converts the flag to an option of importers. */
export const nonFiniteOf = ({ allowNonFinite }: NonFiniteFlag) => (allowNonFinite ? 'allow' : 'refuse');
