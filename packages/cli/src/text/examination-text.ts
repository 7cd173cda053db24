import type { BackendReport, ProviderReport } from '@brezel/core';
import type { Examination, PartReport } from 'brezel';
import pc from 'picocolors';
import { columns, printable } from './table.js';

const { bold, dim, green, yellow, red } = pc.createColors(pc.isColorSupported && process.stdout.isTTY === true);

type Row = readonly [mark: string, name: string, what: string];

/**
 * Formats the report of `brezel doctor` with one line for each part of Brezel, such as the addon or
 * a backend. Below a part that does not work, it prints the reason and what to do.
 */
export function examinationText(found: Examination): string {
  const { node, addon, wasm, core, workers, backends, lowering } = found;
  const rows = [
    ...partRows('Node.js', node, red('fails')),
    ...partRows('addon', { ...addon, what: addonText(addon) }, yellow('no')),
    ...partRows('wasm', wasm, yellow('no')),
    ...partRows('core', core, red('fails')),
    ...partRows('workers', workers, yellow('no')),
    ...backends.flatMap(backendRows),
    ...partRows('device', lowering, dim('no')),
  ];
  const heading = bold(`brezel ${found.version} on ${found.platform}`);
  const verdict = found.works ? 'Brezel works here.' : red('Brezel does not work here.');
  return `${heading}\n${columns(rows)}\n${verdict}\n`;
}

const addonText = ({ what, works, instructionSets }: Examination['addon']) =>
  works
    ? `kernels for ${what}${instructionSets.length > 1 ? ` (available: ${instructionSets.join(', ')})` : ''}`
    : what;

const partRows = (name: string, { works, what, why, remedy }: PartReport, not: string): Row[] => [
  [works ? green('ok') : not, name, printable(what)],
  ...reasons(why, remedy),
];

function backendRows({ name, package: from, version, available, why, remedy, providers }: BackendReport): Row[] {
  const what = [from, version].filter((part) => part !== undefined).join(' ') || 'not installed';
  return [
    [available ? green('ok') : dim('no'), name, printable(what)],
    ...reasons(why, remedy),
    ...providers.flatMap(providerRows),
  ];
}

const providerRows = ({ name, device, available, why, remedy }: ProviderReport): Row[] => [
  [available ? green('ok') : dim('no'), `  ${printable(name)}`, `on the ${device.toUpperCase()}`],
  ...reasons(why, remedy),
];

/**
 * Returns a line with the reason and a line with the remedy. Joins the lines of the reason, because
 * a message of another program may have several lines.
 */
const reasons = (why: string | undefined, remedy: string | undefined): Row[] => [
  ...(why === undefined ? [] : [['', '', printable(why.replace(/\s+/g, ' '))] as const]),
  ...(remedy === undefined ? [] : [['', '', `to do: ${printable(remedy)}`] as const]),
];
