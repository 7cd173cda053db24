import { makeAttribute, readModel, writeModel } from '@brezel/onnx';
import { attempt } from '../models.js';

/** A locale that is installed on every Linux machine. It changes case as en_US.UTF-8 does. */
export const PLAIN_LOCALE = 'C.UTF-8';

/**
 * Returns whether onnxruntime rejected a model because its locale is missing. StringNormalizer
 * needs en_US.UTF-8 by default, and containers often lack it.
 */
export const isMissingLocale = (fault: unknown): boolean =>
  fault instanceof Error && /construct locale with name/i.test(fault.message);

/** Returns the model with `PLAIN_LOCALE` in its StringNormalizer nodes. */
export const withPlainLocale = (bytes: Uint8Array, path: string): Promise<Uint8Array> =>
  attempt(path, () => {
    const model = readModel(bytes);
    const graph = model.graph!;
    const node = graph.node.map((node) => {
      if (node.opType !== 'StringNormalizer') return node;
      const others = node.attribute.filter(({ name }) => name !== 'locale');
      return { ...node, attribute: [...others, makeAttribute('locale', { s: PLAIN_LOCALE })] };
    });
    return writeModel({ ...model, graph: { ...graph, node } });
  });
