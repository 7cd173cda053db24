import { type BackendOptions, type BackendReport, backendError } from '@brezel/core';

/**
 * The providers to try, in order. All but the CPU's are tried in a process of their own first: a driver that crashes takes its process with it.
 *
 * @throws ERR_BACKEND_PROVIDER when none that was asked for works here, with the reasons; ERR_BACKEND_OPTION.
 */
export async function providersFor(
  { device = 'cpu', providers }: BackendOptions,
  probe: () => Promise<BackendReport>,
): Promise<readonly string[]> {
  if (!['cpu', 'gpu', 'auto'].includes(device))
    throw backendError('ERR_BACKEND_OPTION', { expected: 'device cpu, gpu or auto', received: String(device) });
  if (providers !== undefined && !areNames(providers))
    throw backendError('ERR_BACKEND_OPTION', {
      expected: 'providers, a list of one name or more',
      received: JSON.stringify(providers) ?? typeof providers,
    });
  if (providers === undefined && device === 'cpu') return ['cpu'];
  if (providers?.length === 1 && providers[0] === 'cpu') return ['cpu'];
  const report = await probe();
  const wanted = providers ?? wantedFor(device, report);
  const working = wanted.filter((name) => report.providers.some((one) => one.name === name && one.available));
  if (working.length > 0) return working;
  throw noneOf(wanted, report, providers?.join(', ') ?? `a provider for device ${device}`);
}

const areNames = (names: unknown): boolean =>
  Array.isArray(names) && names.length > 0 && names.every((name) => typeof name === 'string');

/** Why none of them works, and what to do about each. */
function noneOf(wanted: readonly string[], { why, remedy, providers }: BackendReport, expected: string): Error {
  const known = providers.map(({ name }) => name).join(', ');
  const found = wanted.map((name) => ({ name, ...providers.find((one) => one.name === name) }));
  const remedies = found.map(({ name, remedy }) => `${name}: ${remedy ?? `there are ${known || 'none'}`}`);
  return backendError('ERR_BACKEND_PROVIDER', {
    expected,
    received: found.map(({ name, why }) => `${name}: ${why ?? 'no such provider'}`).join('; ') || why || 'none',
    hint: `${remedies.join('; ') || remedy || 'install a backend'} (\`brezel doctor\` tells what works here)`,
  });
}

function wantedFor(device: string, { providers }: BackendReport): string[] {
  const onGpu = providers.filter((one) => one.device === 'gpu').map(({ name }) => name);
  return device === 'gpu' ? onGpu : [...onGpu, 'cpu'];
}
