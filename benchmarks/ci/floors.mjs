/**
 * What onnxruntime-node runs too, and the least that we must be better: far below what is usual on any instruction set, so that only a broken build is
 * below. A machine cannot fake it: both take turns in one process.
 */
export const floors = /** @type {const} */ ({ 'SA single': 5, 'forest single': 2, 'forest batch': 2 });
