import {
  chooseDevice,
  crossoverRows,
  type DeviceProfile,
  defaultGpu,
  placePlan,
  printPlacement,
} from '@brezel/lowering';
import { createFlour } from 'brezel';
import { describe, expect, it } from 'vitest';
import { features, numbers } from './random.js';

// A GPU with round numbers: 100 µs per call, 1000 operations and 100 bytes per microsecond.
const gpu: DeviceProfile = { callMicros: 100, flopsPerMicro: 1000, transferBytesPerMicro: 100 };
const cost = { cpuNanosPerRow: 10_000, flopsPerRow: 2000, bytesPerRow: 100 };

describe('the choice of a device', () => {
  it('compares the cost of a call with the cost of each row', () => {
    expect(chooseDevice(cost, 10, 'auto', gpu)).toEqual({
      device: 'cpu',
      cpuMicros: 100,
      gpuMicros: 120,
      transferBytes: 0,
      why: '100 µs on the CPU, 120 µs on the GPU',
    });
    expect(chooseDevice(cost, 100, 'auto', gpu)).toMatchObject({
      device: 'gpu',
      gpuMicros: 300,
      transferBytes: 10_000,
    });
  });

  it('changes only at the crossover', () => {
    const rows = crossoverRows(cost, gpu);
    expect(rows).toBe(13); // 100 / (10 - 2) = 12.5
    for (let count = 1; count < 40; count++)
      expect(chooseDevice(cost, count, 'auto', gpu).device).toBe(count < rows ? 'cpu' : 'gpu');
  });

  it('never selects the GPU if transfers cost more than the arithmetic', () => {
    const wide = { ...cost, bytesPerRow: 2000 };
    expect(crossoverRows(wide, gpu)).toBe(Number.POSITIVE_INFINITY);
    expect(chooseDevice(wide, 1e9, 'auto', gpu).device).toBe('cpu');
  });

  it('uses the requested device, and reports the reason', () => {
    expect(chooseDevice(cost, 1, 'gpu', gpu)).toMatchObject({ device: 'gpu', why: 'requested', transferBytes: 100 });
    expect(chooseDevice(cost, 1e6, 'cpu', gpu)).toMatchObject({ device: 'cpu', why: 'requested', transferBytes: 0 });
    expect(chooseDevice(cost, 1e6, 'auto', undefined)).toMatchObject({ device: 'cpu', why: 'no GPU' });
  });

  it('rejects options out of range', () => {
    const code = expect.objectContaining({ code: 'ERR_LOWERING_OPTION' });
    for (const rows of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => chooseDevice(cost, rows, 'auto', gpu)).toThrow(code);
    expect(() => chooseDevice(cost, 1, 'tpu' as 'gpu', gpu)).toThrow(code);
    expect(() => chooseDevice(cost, 1, 'gpu', undefined)).toThrow(code);
  });
});

describe('the placement of a plan', async () => {
  const flour = await createFlour();
  const layer = (from: number, to: number) => ({
    weights: numbers(from * to),
    bias: numbers(to),
    activation: 'relu' as const,
  });
  const plan = features(flour, 512).normalize('l2').dense(layer(512, 1024)).dense(layer(1024, 2)).plan();
  const place = (rows: number, more = {}) =>
    placePlan(plan, (id) => flour.store.get(id), { rows, gpu: defaultGpu, ...more });
  const devices = (rows: number, more = {}) => place(rows, more).map(({ device }) => device);

  it('places only the large product of many rows on the device', () => {
    const large = plan.stages.findIndex(({ stage }) => stage.steps.some(({ operator }) => operator === 'dense'));
    expect(devices(1)).not.toContain('gpu');
    expect(devices(256)[large]).toBe('gpu');
    expect(devices(256, { gpu: undefined })).not.toContain('gpu');
    expect(devices(256, { device: 'cpu' })).not.toContain('gpu');
    const placed = place(256)[large]!;
    expect(placed.lowered!.bytes.length).toBeGreaterThan(512 * 1024 * 4);
    expect(placed.transferBytes).toBe(256 * placed.lowered!.bytesPerRow);
  });

  it('places operators without a tensor form on the CPU, for any request', () => {
    const [first] = place(256, { device: 'gpu' });
    expect(first).toMatchObject({ device: 'cpu', transferBytes: 0, why: expect.stringMatching(/^operator /) });
  });

  it('is printed with devices, transfers and reasons', () => {
    const lines = printPlacement(place(256)).split('\n');
    expect(lines[0]).toMatch(/^stage +device +operators +transfers +why$/);
    expect(lines.length).toBe(plan.stages.length + 1);
    expect(lines.some((line) => /gpu +dense.* \d+ bytes +\d+ µs on the CPU, \d+ µs on the GPU$/.test(line))).toBe(true);
  });
});
