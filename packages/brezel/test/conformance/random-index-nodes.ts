import { type ElementType, elementCount } from '@brezel/core';
import fc from 'fast-check';
import {
  axisOf,
  each,
  elements,
  type Family,
  filled,
  front,
  indexOf,
  int64,
  listOf,
  nodeOf,
  shapes,
  shapesWithZero,
} from './random-tensor-node.js';

const gather: Family = [
  'Gather',
  // No strings: from a block of several strings, onnxruntime 1.30 returns only the first.
  fc
    .tuple(shapes(1), shapesWithZero(0, 2), fc.constantFrom<ElementType>('float32', 'int64', 'int32'))
    .chain(([shape, tuple, element]) =>
      axisOf(shape.length).chain((axis) =>
        listOf(indexOf(shape[front(axis, shape.length)]!), elementCount(tuple)).map((indices) =>
          nodeOf('Gather', [filled(shape, element), int64(indices, tuple)], { axis: { i: axis } }),
        ),
      ),
    ),
];

/**
 * Draws a shape, an axis, and indices along this axis. No axis of the indices is longer than the
 * same axis of the data.
 */
const alongAxis = shapes(1, 3).chain((shape) =>
  axisOf(shape.length).chain((axis) =>
    each(shape, (size) => fc.integer({ min: 1, max: size })).chain((sizes) =>
      listOf(indexOf(shape[front(axis, shape.length)]!), elementCount(sizes)).map((indices) => ({
        shape,
        axis: { axis: { i: axis } },
        sizes,
        indices: int64(indices, sizes),
      })),
    ),
  ),
);

const gatherElements: Family = [
  'GatherElements',
  alongAxis.map(({ shape, axis, indices }) => nodeOf('GatherElements', [filled(shape), indices], axis)),
];

const reductions = fc.constantFrom('none', 'add', 'mul', 'max', 'min');

const scatterElements: Family = [
  'ScatterElements',
  fc
    .tuple(alongAxis, reductions, fc.constantFrom<ElementType>('float32', 'int64', 'int32'))
    .map(([{ shape, axis, sizes, indices }, reduction, element]) =>
      nodeOf('ScatterElements', [filled(shape, element), indices, filled(sizes, element)], {
        ...axis,
        reduction: { s: reduction },
      }),
    ),
];

/** Draws tuples of indices into the first axes of a shape, and the shape of the selected blocks. */
const tuplesInto = (shape: readonly number[]) =>
  fc.tuple(fc.integer({ min: 1, max: shape.length }), fc.integer({ min: 1, max: 3 })).chain(([width, count]) =>
    listOf(each(shape.slice(0, width), indexOf), count).map((tuples) => ({
      indices: int64(tuples.flat(), [count, width]),
      block: [count, ...shape.slice(width)],
    })),
  );

const gatherBlocks: Family = [
  'GatherND',
  shapes(1).chain((shape) => tuplesInto(shape).map(({ indices }) => nodeOf('GatherND', [filled(shape), indices]))),
];

const scatterBlocks: Family = [
  'ScatterND',
  fc
    .tuple(shapes(1), fc.constantFrom('add', 'mul', 'max', 'min'))
    .chain(([shape, reduction]) =>
      tuplesInto(shape).map(({ indices, block }) =>
        nodeOf('ScatterND', [filled(shape), indices, filled(block)], { reduction: { s: reduction } }),
      ),
    ),
];

const topK: Family = [
  'TopK',
  fc
    .tuple(shapes(1), fc.boolean(), fc.constantFrom<ElementType>('float32', 'int64'))
    .chain(([shape, isLargest, element]) =>
      axisOf(shape.length).chain((axis) =>
        fc
          .integer({ min: 0, max: shape[front(axis, shape.length)]! })
          .map((k) =>
            nodeOf(
              'TopK',
              [filled(shape, element), int64([k])],
              { axis: { i: axis }, largest: { i: isLargest ? 1 : 0 } },
              ['y', 'z'],
            ),
          ),
      ),
    ),
];

const unique: Family = [
  'Unique',
  fc
    .tuple(
      shapes(1, 3),
      fc.boolean(),
      elements.filter((one) => one !== 'int32'),
    )
    .chain(([shape, isSorted, element]) =>
      fc.option(axisOf(shape.length)).map((axis) => {
        const attributes = { sorted: { i: isSorted ? 1 : 0 }, ...(axis !== null && { axis: { i: axis } }) };
        return nodeOf('Unique', [filled(shape, element)], attributes, ['y', 'first', 'inverse', 'counts']);
      }),
    ),
];

const oneHot: Family = [
  'OneHot',
  shapes(1, 3).chain((shape) =>
    fc
      .tuple(listOf(fc.integer({ min: -5, max: 5 }), elementCount(shape)), axisOf(shape.length + 1))
      .map(([indices, axis]) =>
        nodeOf('OneHot', [int64(indices, shape), int64([3], []), filled([2])], { axis: { i: axis } }),
      ),
  ),
];

const nonZero: Family = ['NonZero', shapesWithZero(1).map((shape) => nodeOf('NonZero', [filled(shape, 'bool')]))];

/** Random nodes that move elements by index or by value. */
export const indexNodes: readonly Family[] = [
  gather,
  gatherElements,
  scatterElements,
  gatherBlocks,
  scatterBlocks,
  topK,
  unique,
  oneHot,
  nonZero,
];
