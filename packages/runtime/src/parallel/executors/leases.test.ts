import { systemClock } from '@brezel/core';
import { expect, it } from 'vitest';
import { Leases } from './leases.js';

it('warns once if no thread can run a lease, and starts no more threads for a while', async () => {
  const target = {
    addon: '/no/such/addon.cjs',
    clock: systemClock,
    scheduler: 0,
    group: 0,
    nice: 0,
    cpus: undefined,
    leaseEnded: () => leases.need(1),
  };
  const leases: Leases = new Leases(target, 1, false);
  const warned = new Promise<Error>((resolve) =>
    process.on('warning', function listener(warning: Error & { code?: string }) {
      if (warning.code !== 'BREZEL_THREADS') return;
      process.off('warning', listener);
      resolve(warning);
    }),
  );
  leases.need(1);
  const warning = await warned;
  expect(warning.name).toBe('BrezelWarning');
  expect(warning.message).toMatch(
    /^worker threads cannot run, so batches run on the calling thread: Cannot find module/,
  );
  expect(leases.stats().lost).toBe(8);
  await leases.close();
});
