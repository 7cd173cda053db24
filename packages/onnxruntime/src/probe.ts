import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import type { BackendReport, ProviderReport } from '@brezel/core';
import { installRemedy, isNotInstalled } from './missing-package.js';
import type { ProbeReply } from './probe-child.js';

const require = createRequire(import.meta.url);
const run = promisify(execFile);

/** The longest time of a test in milliseconds, because a driver may hang. */
const TIMEOUT_MS = 30_000;

/**
 * Tests each provider with a tiny model in a separate process, because drivers may crash, hang or
 * write to standard error. Never throws.
 */
export async function probe(module: string): Promise<BackendReport> {
  const about = { name: 'onnxruntime', package: module, formats: ['onnx'] } as const;
  const cpu = await tried(module, 'cpu');
  if (cpu.package !== undefined) {
    const why = isNotInstalled(cpu.package, module) ? `${module} is not installed` : cpu.package;
    const remedy = installRemedy(module, cpu.package);
    return { ...about, formats: [], available: false, why, remedy, providers: [] };
  }
  const listed = [...new Set([...(cpu.listed ?? []), ...usual])].filter((name) => name !== 'cpu');
  const others = await Promise.all(listed.map(async (name) => reportOf(name, await tried(module, name))));
  const providers = [reportOf('cpu', cpu), ...others];
  const available = providers.some((provider) => provider.available);
  return {
    ...about,
    ...(cpu.version !== undefined && { version: cpu.version }),
    available,
    ...(!available && { why: cpu.problem ?? 'no provider works', remedy: installRemedy(module, '') }),
    providers,
  };
}

/**
 * Providers that the report contains even if the package does not list them, so that users learn
 * why they are unavailable.
 */
const usual = ['webgpu', 'cuda', 'tensorrt'];

async function tried(module: string, provider: string): Promise<ProbeReply> {
  try {
    const script = require.resolve('@brezel/onnxruntime/probe-child');
    const { stdout } = await run(process.execPath, [script, module, provider], { timeout: TIMEOUT_MS });
    return JSON.parse(stdout.slice(stdout.lastIndexOf('\n{') + 1)) as ProbeReply;
  } catch (error) {
    const { signal, killed, message } = error as { signal?: string; killed?: boolean; message: string };
    if (killed) return { problem: `no answer within ${TIMEOUT_MS / 1000} s` };
    return { problem: signal ? `its process crashed (${signal})` : firstLine(message) };
  }
}

function reportOf(name: string, { problem }: ProbeReply): ProviderReport {
  const device = name === 'cpu' || name === 'xnnpack' ? 'cpu' : 'gpu';
  if (problem === undefined) return { name, device, available: true };
  return { name, device, available: false, why: firstLine(problem), remedy: remedies[name] ?? 'use another provider' };
}

/**
 * Returns the line of a native error message that helps the user. Native messages start with a
 * source location and can have many lines.
 */
const firstLine = (message: string): string =>
  message
    .replace(/^\S+\.(?:cc|h):\d+ .*? (?=Failed|Could)/s, '')
    .split('\n')[0]!
    .trim();

const remedies: Readonly<Record<string, string>> = {
  cpu: 'reinstall onnxruntime-node: npm rebuild onnxruntime-node',
  webgpu:
    'install a GPU driver: on Linux Vulkan (libvulkan1 and the driver’s ICD), on macOS Metal, on Windows Direct3D 12',
  cuda: 'install an NVIDIA driver, CUDA 12, cuDNN 9, and the CUDA files of onnxruntime-node: npm rebuild onnxruntime-node with onnxruntime-node-install=cuda12 in .npmrc',
  tensorrt: 'install everything that cuda needs, and TensorRT 10',
  dml: 'available on Windows only',
  coreml: 'available on macOS only',
};
