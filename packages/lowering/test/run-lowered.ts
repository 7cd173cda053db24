import { type Block, type CompiledPlan, type DenseBlock, dense, type PhysicalStage } from '@brezel/core';
import { type FlourContext, referenceKernel } from '@brezel/flour';
import { type LoweredStage, type LowerOptions, lowerStage } from '@brezel/lowering';
import * as ort from 'onnxruntime-node';
import { expect } from 'vitest';

type Store = FlourContext['store'];

/**
 * Runs a stage with reference kernels, step by step. The lowered form must return the same values.
 */
export function byReference(stage: PhysicalStage, inputs: readonly Block[], store: Store): Block[] {
  const slots = [...inputs];
  const types = [...stage.inputs, ...stage.steps.map(({ type }) => type)];
  for (const { operator, version, attributes, parameters, inputs: sources, type } of stage.steps) {
    const values = Object.fromEntries(Object.entries(parameters).map(([name, id]) => [name, store.get(id)]));
    const inputTypes = sources.map((slot) => types[slot]!);
    const blocks = sources.map((slot) => slots[slot]!);
    const call = { rows: inputs[0]!.rows, inputs: blocks, inputTypes, type, attributes, parameters: values };
    slots.push(referenceKernel(operator, version)!(call));
  }
  return stage.outputs.map((slot) => slots[slot]!);
}

/** Runs a lowered stage on onnxruntime's CPU provider. */
export async function byOnnxruntime(lowered: LoweredStage, inputs: readonly DenseBlock[]): Promise<DenseBlock[]> {
  const session = await ort.InferenceSession.create(lowered.bytes, { intraOpNumThreads: 1, logSeverityLevel: 3 });
  try {
    const feeds = inputs.map(({ values, rows, size }, at) => {
      return [`in_${at}`, new ort.Tensor('float32', values as Float32Array, [rows, size])] as const;
    });
    const answers = await session.run(Object.fromEntries(feeds));
    return lowered.outputs.map(({ name, element, size }) => {
      const { dims, data } = answers[name]!;
      const rows = inputs[0]!.rows;
      expect(dims).toEqual([rows, size]);
      return dense(element, rows, size, data as never);
    });
  } finally {
    await session.release();
  }
}

/**
 * Runs every stage of a plan in lowered and in normal form on the same rows, and compares the
 * results. Returns the lowered stages.
 */
export async function compareStages(
  plan: CompiledPlan,
  rows: readonly (readonly number[])[],
  store: Store,
  options: LowerOptions = {},
): Promise<LoweredStage[]> {
  const width = rows[0]!.length;
  const slots: Block[] = [dense('float32', rows.length, width, Float32Array.from(rows.flat()))];
  const lowered: LoweredStage[] = [];
  for (const { stage, inputs } of plan.stages) {
    const blocks = inputs.map((slot) => slots[slot]!) as DenseBlock[];
    const form = lowerStage(stage, (id) => store.get(id), options);
    const wanted = byReference(stage, blocks, store);
    const received = await byOnnxruntime(form, blocks);
    for (const [at, block] of received.entries()) expectNear(block, wanted[at] as DenseBlock, form);
    slots.push(...wanted);
    lowered.push(form);
  }
  return lowered;
}

function expectNear(received: DenseBlock, wanted: DenseBlock, { tolerance }: LoweredStage): void {
  expect(received.values.length).toBe(wanted.values.length);
  for (let at = 0; at < wanted.values.length; at++) {
    const [mine, theirs] = [Number(received.values[at]), Number(wanted.values[at])];
    if (Object.is(mine, theirs) || mine === theirs || (Number.isNaN(mine) && Number.isNaN(theirs))) continue;
    const allowed = tolerance.absolute + tolerance.relative * Math.abs(theirs);
    if (Math.abs(mine - theirs) <= allowed) continue;
    expect.fail(`element ${at}: ${mine} instead of ${theirs}, more than ${allowed} apart`);
  }
}
