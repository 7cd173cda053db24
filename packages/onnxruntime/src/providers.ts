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
  if (providers === undefined && device === 'cpu') return ['cpu'];
  if (providers?.length === 1 && providers[0] === 'cpu') return ['cpu'];
  const report = await probe();
  const wanted = providers ?? wantedFor(device, report);
  const working = wanted.filter((name) => report.providers.some((one) => one.name === name && one.available));
  if (working.length > 0) return working;
  const why = wanted.map((name) => {
    const found = report.providers.find((one) => one.name === name);
    return `${name}: ${found?.why ?? 'no such provider'}`;
  });
  throw backendError('ERR_BACKEND_PROVIDER', {
    expected: providers?.join(', ') ?? `a provider for device ${device}`,
    received: why.join('; ') || report.why || 'none',
  });
}

function wantedFor(device: string, { providers }: BackendReport): string[] {
  const onGpu = providers.filter((one) => one.device === 'gpu').map(({ name }) => name);
  return device === 'gpu' ? onGpu : [...onGpu, 'cpu'];
}
