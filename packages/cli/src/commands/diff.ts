import { createFlour } from 'brezel';
import type { Command } from 'commander';
import { writeStandardOutput } from '../files.js';
import { choicesOf, type ImportFlags, withImportFlags } from '../import-flags.js';
import { diffPlans, type Part, type PlanDiff, type StageFacts } from '../plan-diff.js';
import { compiledPlan } from '../sources.js';
import { columns, count, printable, printBytes } from '../text/table.js';

interface DiffFlags extends ImportFlags {
  readonly json?: true;
}

/** Adds `brezel diff A B`, which shows what two plans share. */
export function addDiff(program: Command): void {
  const command = program
    .command('diff')
    .summary('compare two models: shared and separate bytes')
    .description('Compares the plans of two models: shared parameters and stages, and those of one model only.')
    .argument('<a>', 'model file (ONNX, LightGBM, XGBoost, ML.NET, PMML), or a plan of a fleet file: fleet.brezel#plan')
    .argument('<b>', 'the other model');
  withImportFlags(command, 'rows').option('--json', 'print JSON, for tools').action(run);
}

async function run(a: string, b: string, flags: DiffFlags): Promise<void> {
  const choices = choicesOf(flags);
  using flour = await createFlour();
  const plans = [await compiledPlan(a, flour, choices), await compiledPlan(b, flour, choices)] as const;
  const diff = diffPlans(plans[0], plans[1], (id) => flour.store.info(id).bytes);
  for (const plan of plans) plan.release();
  await writeStandardOutput(flags.json ? `${JSON.stringify({ a, b, ...diff }, null, 2)}\n` : diffText(a, b, diff));
}

function diffText(a: string, b: string, { parameters, stages }: PlanDiff): string {
  const part = (what: string, { objects, bytes }: Part, list: readonly StageFacts[]) => [
    what,
    printBytes(bytes),
    `in ${count(objects, 'parameter')}`,
    count(list.length, 'stage'),
  ];
  const summary = columns(
    [
      part('shared', parameters.shared, stages.shared),
      part('only A', parameters.onlyA, stages.onlyA),
      part('only B', parameters.onlyB, stages.onlyB),
    ],
    ['left', 'right'],
  );
  const rows = (what: string, list: readonly StageFacts[]) =>
    list.map(({ key, role, operators, parameterBytes }) => [
      what,
      key,
      role,
      printBytes(parameterBytes),
      operators.join(', '),
    ]);
  const details = columns(
    [...rows('shared', stages.shared), ...rows('only A', stages.onlyA), ...rows('only B', stages.onlyB)],
    ['left', 'left', 'left', 'right'],
  );
  return `A  ${printable(a)}\nB  ${printable(b)}\n${summary}\n\nStages\n${details}\n`;
}
