import type { DeviceStatistics } from '../../features/devices/statistics.js';
import type { Reading, RuntimeMetric } from './metric.js';

/**
 * The labels of metrics contain only this many characters of a stage's key, which are enough to
 * identify the stage.
 */
const SHOWN_KEY = 8;

type Numbers = 'calls' | 'rows' | 'transferBytes' | 'cpuRows' | 'failures' | 'waitingRows';

/**
 * Returns a metric with one reading for each stage key on each device. If plans with different
 * options have separate stages with the same key, the reading is the sum over these stages.
 */
const stageMetric = (name: string, kind: RuntimeMetric['kind'], help: string, of: Numbers): RuntimeMetric => ({
  name: `device.${name}`,
  kind,
  help,
  labels: ['backend', 'stage'],
  read: ({ devices }) => devices.flatMap((device) => readingsOf(device, of)),
});

const nameOf = ({ backend, providers }: DeviceStatistics) =>
  providers === undefined ? backend : `${backend} ${providers.join()}`;

function readingsOf(device: DeviceStatistics, of: Numbers): Reading[] {
  const sums = new Map<string, number>();
  for (const stage of device.stages) sums.set(stage.key, (sums.get(stage.key) ?? 0) + stage[of]);
  return [...sums].map(([key, value]) => ({
    labels: { backend: nameOf(device), stage: key.slice(0, SHOWN_KEY) },
    value,
  }));
}

/** Metrics of stages on devices. */
export const deviceMetrics: readonly RuntimeMetric[] = [
  stageMetric('calls', 'counter', 'Device calls that were answered', 'calls'),
  stageMetric('rows', 'counter', 'Rows in answered device calls', 'rows'),
  stageMetric('transfer.bytes', 'counter', 'Bytes that were copied to and from the device', 'transferBytes'),
  stageMetric('cpu.rows', 'counter', 'Rows of device stages that ran on the CPU', 'cpuRows'),
  stageMetric('failures', 'counter', 'Device calls and attempts to open a stage that failed', 'failures'),
  stageMetric('waiting.rows', 'gauge', 'Rows that wait for a device call', 'waitingRows'),
  {
    name: 'device.resting',
    kind: 'gauge',
    help: 'Stages that failed on the device and rest',
    labels: ['backend'],
    read: ({ devices }) =>
      devices.map((device) => ({
        labels: { backend: nameOf(device) },
        value: device.stages.filter(({ state }) => state === 'resting').length,
      })),
  },
];
