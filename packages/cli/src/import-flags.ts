import { type Precision, precisions } from '@brezel/core';
import type { InputShapes } from '@brezel/onnx';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ModelChoices } from './models.js';

type BlackBoxChoice = 'forbid' | 'allow' | 'prefer';

/** Flags of commands that import models. */
export interface ImportFlags {
  /**
   * How to handle unsupported operators. Undefined if the user does not pass the flag and the
   * command has no default.
   */
  readonly blackBox?: BlackBoxChoice;
  readonly allowNonFinite?: true;
  readonly limit?: Readonly<Record<string, number>>;
  readonly shape?: InputShapes;
  readonly repairNgrams?: true;
  readonly precision?: Precision;
}

/** Converts the flags to options of importers. */
export const choicesOf = ({
  blackBox,
  allowNonFinite,
  limit,
  shape,
  repairNgrams,
  precision,
}: ImportFlags): ModelChoices => ({
  nonFinite: allowNonFinite ? 'allow' : 'refuse',
  blackBox,
  limits: limit,
  shapes: shape,
  precision,
  ...(repairNgrams && { repairNgrams }),
});

const blackBoxChoices: readonly BlackBoxChoice[] = ['forbid', 'allow', 'prefer'];

const rowBoxOption = () =>
  new Option(
    '--black-box <choice>',
    'run unsupported operators in onnxruntime (allow), or all operators that onnxruntime supports (prefer); you guarantee that they treat rows independently',
  ).choices(blackBoxChoices);

const tensorBoxOption = () =>
  new Option(
    '--black-box <choice>',
    'run unsupported operators in onnxruntime (allow), or all operators that onnxruntime supports (prefer)',
  )
    .choices(blackBoxChoices)
    .default('allow');

/** Returns the flag `--limit`, which sets limits of imports. */
export const limitOption = () =>
  new Option(
    '--limit <name=number>',
    'change a limit on the work of an import, such as nodes=20000; repeatable',
  ).argParser(addLimit);

/** The flag `--repair-ngrams` and its description. */
export const REPAIR_NGRAMS = [
  '--repair-ngrams',
  'split n-grams that skl2onnx wrote as one string; inspect warns about them',
] as const;

/** Returns the flag `--precision`. */
export const precisionOption = () =>
  new Option(
    '--precision <type>',
    'the type in which the program of a scikit-learn file computes: float64 (the default), or float32, which is faster for texts',
  ).choices(precisions);

const boxOptions = { none: [], rows: [rowBoxOption], any: [tensorBoxOption] } as const;

/**
 * Adds the flags of commands that import models.
 *
 * @param boxes which models the command allows to have black boxes: `rows` (models that run row by
 * row), `any` (also tensor programs) or `none`.
 */
export function withImportFlags(command: Command, boxes: keyof typeof boxOptions): Command {
  for (const option of boxOptions[boxes]) command.addOption(option());
  return command
    .option('--allow-non-finite', 'accept NaN in weights, thresholds and leaves')
    .option(...REPAIR_NGRAMS)
    .addOption(precisionOption())
    .addOption(limitOption())
    .addOption(
      new Option(
        '--shape <input=sizes>',
        'sizes that an ONNX file leaves open, such as x=N,3 for rows of three columns; repeatable',
      ).argParser(addShape),
    );
}

function addLimit(text: string, earlier: Readonly<Record<string, number>> = {}): Readonly<Record<string, number>> {
  const [, name, digits] = /^([A-Za-z]+)=([0-9]{1,15})$/.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError('expected NAME=NUMBER, such as nodes=20000.');
  return { ...earlier, [name]: Number(digits) };
}

/** Parses `x=N,3`. A word such as N means that the axis may have any size. */
function addShape(text: string, earlier: InputShapes = {}): InputShapes {
  const [, name, sizes] = /^(.+)=((?:[A-Za-z]+|[1-9][0-9]{0,8})(?:,(?:[A-Za-z]+|[1-9][0-9]{0,8}))*)$/.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError('expected INPUT=SIZES, such as x=N,3.');
  const shape = sizes!.split(',').map((size) => (/^[0-9]/.test(size) ? Number(size) : null));
  return { ...earlier, [name]: shape };
}
