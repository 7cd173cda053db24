import { Option } from 'commander';
import type { ModelChoices } from './models.js';
import { type NonFiniteFlag, nonFiniteOf } from './non-finite.js';

type Choice = 'forbid' | 'allow' | 'prefer';

/** The flag `--black-box` of commands that import models. */
export interface BlackBoxFlag {
  /** Undefined if the command has no default and the flag is not used. */
  readonly blackBox?: Choice;
}

const choices: readonly Choice[] = ['forbid', 'allow', 'prefer'];

/** Converts the flags to options of importers. */
export const choicesOf = ({ blackBox, ...flags }: NonFiniteFlag & BlackBoxFlag): ModelChoices => ({
  nonFinite: nonFiniteOf(flags),
  blackBox,
});

/** Returns the flag for models that run row by row. */
export const rowBoxOption = () =>
  new Option(
    '--black-box <choice>',
    'run unsupported operators in onnxruntime (allow), or all that it can run (prefer); you guarantee that they treat rows independently',
  ).choices(choices);

/** Returns the flag for models that may run over whole tensors. */
export const tensorBoxOption = () =>
  new Option(
    '--black-box <choice>',
    'run unsupported operators in onnxruntime (allow), or all that it can run (prefer)',
  )
    .choices(choices)
    .default('allow');
