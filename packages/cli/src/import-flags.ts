import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ModelChoices } from './models.js';

type BlackBoxChoice = 'forbid' | 'allow' | 'prefer';

/** Flags of commands that import models. */
export interface ImportFlags {
  /** Undefined if the command has no default and the flag is not used. */
  readonly blackBox?: BlackBoxChoice;
  readonly allowNonFinite?: true;
  readonly limit?: Readonly<Record<string, number>>;
}

/** Converts the flags to options of importers. */
export const choicesOf = ({ blackBox, allowNonFinite, limit }: ImportFlags): ModelChoices => ({
  nonFinite: allowNonFinite ? 'allow' : 'refuse',
  blackBox,
  limits: limit,
});

const blackBoxChoices: readonly BlackBoxChoice[] = ['forbid', 'allow', 'prefer'];

const rowBoxOption = () =>
  new Option(
    '--black-box <choice>',
    'run unsupported operators in onnxruntime (allow), or all that it can run (prefer); you guarantee that they treat rows independently',
  ).choices(blackBoxChoices);

const tensorBoxOption = () =>
  new Option(
    '--black-box <choice>',
    'run unsupported operators in onnxruntime (allow), or all that it can run (prefer)',
  )
    .choices(blackBoxChoices)
    .default('allow');

/**
 * Adds the flags of commands that import models.
 *
 * @param models `rows` if the models run row by row, `any` if they may also run over whole tensors.
 */
export function withImportFlags(command: Command, models: 'rows' | 'any'): Command {
  return command
    .addOption(models === 'rows' ? rowBoxOption() : tensorBoxOption())
    .option('--allow-non-finite', 'accept NaN in weights, thresholds and leaves')
    .addOption(
      new Option(
        '--limit <name=number>',
        'change a limit on the work of an import, such as nodes=20000; repeatable',
      ).argParser(addLimit),
    );
}

function addLimit(text: string, earlier: Readonly<Record<string, number>> = {}): Readonly<Record<string, number>> {
  const [, name, digits] = /^([A-Za-z]+)=([0-9]{1,15})$/.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError('expected NAME=NUMBER, such as nodes=20000.');
  return { ...earlier, [name]: Number(digits) };
}
