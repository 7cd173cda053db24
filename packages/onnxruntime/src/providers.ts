import { type BackendOptions, type BackendReport, backendError } from '@brezel/core';

/**
 * Returns the providers to try, in order. Each provider except the CPU is first tested in a
 * separate process, because a driver that crashes would end this process.
 *
 * @throws ERR_BACKEND_PROVIDER with the reasons when none of the requested providers works;
 * ERR_BACKEND_OPTION for an invalid device or list of providers.
 */
export async function providersFor(
  { device = 'cpu', providers }: BackendOptions,
  probe: () => Promise<BackendReport>,
): Promise<readonly string[]> {
  if (!['cpu', 'gpu', 'auto'].includes(device))
    throw backendError('ERR_BACKEND_OPTION', { expected: 'device cpu, gpu or auto', received: String(device) });
  if (providers !== undefined && !areNames(providers))
    throw backendError('ERR_BACKEND_OPTION', {
      expected: 'a list of at least one provider name',
      received: JSON.stringify(providers) ?? typeof providers,
    });
  if (providers === undefined && device === 'cpu') return ['cpu'];
  if (providers?.length === 1 && providers[0] === 'cpu') return ['cpu'];
  const report = await probe();
  const wanted = providers ?? wantedFor(device, report);
  const working = wanted.filter((name) =>
    report.providers.some((provider) => provider.name === name && provider.available),
  );
  if (working.length > 0) return working;
  throw noneOf(wanted, report, providers?.join(', ') ?? `a provider for device ${device}`);
}

const areNames = (names: unknown): boolean =>
  Array.isArray(names) && names.length > 0 && names.every((name) => typeof name === 'string');

/** Returns the error that lists the reason and the remedy for each provider. */
function noneOf(wanted: readonly string[], { why, remedy, providers }: BackendReport, expected: string): Error {
  const known = providers.map(({ name }) => name).join(', ');
  const found = wanted.map((name) => ({ name, ...providers.find((provider) => provider.name === name) }));
  const remedies = found.map(({ name, remedy }) => `${name}: ${remedy ?? `known providers are ${known || 'none'}`}`);
  return backendError('ERR_BACKEND_PROVIDER', {
    expected,
    received: found.map(({ name, why }) => `${name}: ${why ?? 'no such provider'}`).join('; ') || why || 'none',
    hint: `${remedies.join('; ') || remedy || 'install a backend'} (run \`brezel doctor\` to see what works on this machine)`,
  });
}

function wantedFor(device: string, { providers }: BackendReport): string[] {
  const onGpu = providers.filter((provider) => provider.device === 'gpu').map(({ name }) => name);
  return device === 'gpu' ? onGpu : [...onGpu, 'cpu'];
}
