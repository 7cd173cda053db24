import { ObjectStore } from '@brezel/object-store';
import { makeNode } from '@brezel/onnx';
import { InferenceSession } from 'brezel/inference-session';
import { expect, test, vi } from 'vitest';
import { file, float, graph } from '../tensors/models.js';

// this file has one test, because the first session of a thread opens the store
test('a store that does not open fails one session only', async () => {
  const model = file(graph([makeNode('Neg', ['x'], ['y'])], [float('x', ['N'])], [float('y', ['N'])]));
  const failure = new Error('no memory');
  const open = vi.spyOn(ObjectStore, 'open').mockRejectedValueOnce(failure as never);
  await expect(InferenceSession.create(model)).rejects.toBe(failure);
  await (await InferenceSession.create(model)).release();
  expect(open).toHaveBeenCalledTimes(2);
  open.mockRestore();
});
