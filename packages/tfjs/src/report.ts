import type { BackendReport, ProviderReport } from '@brezel/core';
import type { Finding, Libraries } from './libraries.js';
import { packageOf, tfjsProviders } from './providers.js';

/**
 * Tests every package and returns the report. Each installed package is tested in a separate
 * worker.
 */
export async function reportOf(libraries: Libraries): Promise<BackendReport> {
  const findings = await Promise.all(tfjsProviders.map((provider) => libraries.find(provider)));
  const providers = findings.map(providerReport);
  const best = findings.find((finding) => 'library' in finding);
  if (best === undefined) {
    const why = findings.map((finding) => `${finding.provider}: ${'why' in finding ? finding.why : ''}`).join('; ');
    const remedy = `npm install ${packageOf('tfjs-node')}`;
    return { name: 'tfjs', available: false, why, remedy, formats: [], providers };
  }
  const hasSaved = findings.some((finding) => 'library' in finding && finding.library.facts.savedModels);
  return {
    name: 'tfjs',
    package: packageOf(best.provider),
    version: best.library.facts.version,
    available: true,
    formats: ['tfjs-layers', 'tfjs-graph', ...(hasSaved ? (['saved-model'] as const) : [])],
    providers,
  };
}

function providerReport(finding: Finding): ProviderReport {
  const { provider: name } = finding;
  const wanted = name === 'tfjs-node-gpu' ? 'gpu' : 'cpu';
  if ('why' in finding) return { name, device: wanted, available: false, why: finding.why, remedy: finding.remedy };
  const { device } = finding.library.facts;
  if (device === wanted) return { name, device, available: true };
  const why = 'TensorFlow found no GPU and runs on the CPU';
  return { name, device, available: true, why, remedy: 'install the CUDA and cuDNN versions that TensorFlow requires' };
}
