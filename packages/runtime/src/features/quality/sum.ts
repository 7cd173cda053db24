import type { InputQuality, QualityStatistics } from '@brezel/core';

/**
 * Adds the data quality counters of two registrations of one model. The result has the options of
 * the later registration.
 */
export function addQuality(
  earlier: QualityStatistics | undefined,
  later: QualityStatistics | undefined,
): QualityStatistics | undefined {
  if (earlier === undefined || later === undefined) return later ?? earlier;
  const names = new Set([...Object.keys(earlier.inputs), ...Object.keys(later.inputs)]);
  const inputs = Array.from(names, (name) => [name, sum(earlier.inputs[name], later.inputs[name])] as const);
  return { ...later, rows: earlier.rows + later.rows, inputs: Object.fromEntries(inputs) };
}

function sum(one: InputQuality | undefined, other: InputQuality | undefined): InputQuality {
  const total: Record<string, number> = { ...one };
  for (const [count, value] of Object.entries(other ?? {})) total[count] = (total[count] ?? 0) + value;
  return total as unknown as InputQuality;
}
