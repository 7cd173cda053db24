import { Option } from 'commander';
import type { ModelChoices } from './models.js';
import { type NonFiniteFlag, nonFiniteOf } from './non-finite.js';

type Choice = 'forbid' | 'allow' | 'prefer';

/** The flag, of commands that import models. */
export interface BlackBoxFlag {
  /** Undefined where the flag may be left out, and was. */
  readonly blackBox?: Choice;
}

const choices: readonly Choice[] = ['forbid', 'allow', 'prefer'];

/** The flags as importers want them. */
export const choicesOf = ({ blackBox, ...flags }: NonFiniteFlag & BlackBoxFlag): ModelChoices => ({
  nonFinite: nonFiniteOf(flags),
  blackBox,
});

/** May onnxruntime run a part of a model over rows? */
export const rowBoxOption = () =>
  new Option(
    '--black-box <choice>',
    'may onnxruntime run, over blocks of rows, the operators that Brezel does not have, or prefer it; say allow of operators that keep rows apart',
  ).choices(choices);

/** May onnxruntime run a part of a model, over whole tensors where it must? */
export const tensorBoxOption = () =>
  new Option('--black-box <choice>', 'may onnxruntime run the operators that Brezel does not have, or prefer it')
    .choices(choices)
    .default('allow');
