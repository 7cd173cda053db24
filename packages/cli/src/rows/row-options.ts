import type { CompiledPlan } from '@brezel/core';
import type { FlourContext } from '@brezel/flour';
import type { RowOptions } from '@brezel/runtime';
import { createRuntime, ownBackends } from 'brezel';
import { Option } from 'commander';

/**
 * The flags that set which rows a model accepts. All commands that read or describe rows have them.
 */
export interface RowFlags {
  readonly missing: 'accept' | 'refuse';
  readonly extraFields: 'refuse' | 'ignore';
}

/** `--missing`: whether null, "NaN" and an absent field are missing numbers. */
export const missingOption = (value: RowFlags['missing']): Option =>
  new Option(
    '--missing <choice>',
    'whether null, "NaN" and absent fields are missing numbers, if the model handles missing numbers',
  )
    .choices(['accept', 'refuse'])
    .default(value);

/** `--extra-fields`: what to do with fields that are not inputs. */
export const extraFieldsOption = (): Option =>
  new Option('--extra-fields <choice>', 'what to do with fields that the model does not have')
    .choices(['refuse', 'ignore'])
    .default('refuse');

export const rowOptions = ({ missing, extraFields }: RowFlags): RowOptions => ({ missing, extraFields });

/**
 * A plan as `planWith` returns it: its inputs depend on the flags `--missing` and `--extra-fields`.
 */
export type PlanView = Pick<CompiledPlan, 'name' | 'inputs' | 'outputs'> & { readonly ignoresExtraFields: boolean };

/** Registers a plan with the given flags, and returns its name, its inputs and its outputs. */
export async function planWith(compiled: CompiledPlan, flour: FlourContext, flags: RowFlags): Promise<PlanView> {
  await using runtime = createRuntime({ store: flour.store, backends: ownBackends(), isolated: true, executors: 0 });
  const { inputs, outputs } = runtime.register(compiled, rowOptions(flags));
  return { name: compiled.name, inputs, outputs, ignoresExtraFields: flags.extraFields === 'ignore' };
}
