import type { ReferenceKernel } from '@brezel/core';

export const reference: ReferenceKernel = ({ inputs }) => inputs[0]!;
