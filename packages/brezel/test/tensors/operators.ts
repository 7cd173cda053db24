import type { NodeCall, NumericTensor, TensorResolver, TensorValue } from 'brezel';

// A few operators, written in JavaScript, for tests of graphs whose subject is not the operators.
// They are supplied by a resolver, as another runtime would supply its operators.

type Element = number | bigint;

const binary =
  (apply: (a: never, b: never) => Element) =>
  (call: NodeCall): readonly TensorValue[] => {
    const [a, b] = call.inputs as NumericTensor[];
    if (a?.data === undefined || a.element !== b?.element || a.element === ('string' as never))
      throw call.fault('operands that differ', 'operands of one type');
    const [long, short] = a.data.length >= b.data.length ? [a, b] : [b, a];
    if (short.data.length !== 1 && short.data.length !== long.data.length)
      throw call.fault('shapes that differ', 'operands of one size');
    call.budget.take(long.data.length);
    const at = (operand: NumericTensor, index: number) => operand.data[operand.data.length === 1 ? 0 : index]!;
    const data = long.data.slice();
    for (let index = 0; index < data.length; index++)
      data[index] = apply(at(a, index) as never, at(b, index) as never) as never;
    return [{ ...long, data } as TensorValue];
  };

const less = ({ inputs, fault }: NodeCall): readonly TensorValue[] => {
  const [a, b] = (inputs as (NumericTensor | undefined)[]).map((tensor) => tensor?.data?.[0]);
  if (a === undefined || b === undefined) throw fault('no operand', 'two operands');
  return [{ element: 'bool', shape: [], data: Uint8Array.of(a < b ? 1 : 0) }];
};

const operators: Readonly<Record<string, (call: NodeCall) => readonly TensorValue[]>> = {
  Add: binary((a: number, b: number) => a + b),
  Mul: binary((a: number, b: number) => a * b),
  Less: less,
};

/**
 * A resolver of Add, Mul and Less of the standard domain. The importer calls it for nodes that
 * Brezel's own resolvers do not support.
 */
export const resolvers: readonly TensorResolver[] = [
  ({ domain, operator }) => (domain === '' ? operators[operator] : undefined),
];
