import { BUSY_PROCESSES, type Cause, type SlowCall, type TailReport, type Tails } from '../bench/tails/tail-report.js';
import { micros } from './bench-text.js';
import { columns, printable } from './table.js';

/** Formats the report of `bench --tails` for people. */
export function tailsText({ models }: TailReport): string {
  const beside = `beside ${BUSY_PROCESSES} processes`;
  const rows = models.flatMap(({ model, idle, busy }) => [
    [printable(model), 'alone', ...quantiles(idle)],
    ['', beside, ...quantiles(busy)],
  ]);
  const table = columns(
    [['model', 'load', 'p50', 'p99', 'p99.9', 'p99.99', 'worst'], ...rows],
    ['left', 'left', 'right', 'right', 'right', 'right', 'right'],
  );
  const calls = models[0]?.idle.calls ?? 0;
  const causes = models.flatMap(({ model, idle, busy }) => [
    causeLine(`${printable(model)}, alone`, idle),
    causeLine(`${printable(model)}, ${beside}`, busy),
  ]);
  return `single rows, ${calls.toLocaleString('en-US')} calls each:\n${table}\n\nthe ${models[0]?.idle.worst.length ?? 0} slowest calls:\n${causes.join('\n')}\n`;
}

const quantiles = ({ p50, p99, p999, p9999, worst }: Tails): string[] =>
  [p50, p99, p999, p9999, worst[0]!.micros].map(micros);

/**
 * Formats a line with the causes of the slowest calls: for each cause, the number of calls and the
 * range of their times.
 */
function causeLine(title: string, { worst }: Tails): string {
  const byCause = new Map<Cause, SlowCall[]>();
  for (const call of worst) byCause.set(call.cause, [...(byCause.get(call.cause) ?? []), call]);
  const parts = [...byCause].map(([cause, calls]) => {
    const [slowest, fastest] = [calls[0]!.micros, calls.at(-1)!.micros];
    const range = calls.length === 1 ? micros(slowest) : `${micros(fastest)} to ${micros(slowest)}`;
    return `${calls.length} ${cause} (${range})`;
  });
  return `  ${title}: ${parts.join(', ')}`;
}
