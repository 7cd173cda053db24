// Counts the branches of a JavaScript module, so that libFuzzer detects inputs that reach new code.
import { parse } from 'acorn';
import { full } from 'acorn-walk';

/**
 * Inserts a counter at the start of each function, branch, loop and case, and before the operands
 * of `&&`, `||`, `??` and `?:`.
 *
 * @returns {{ code: string, counters: number }} code that counts in the global Uint8Array
 * `__branches`
 */
export function instrument(source) {
  const inserts = [];
  let counters = 0;
  const put = (at, text) => inserts.push({ at, text });
  const statement = (node) => {
    if (node === null || node === undefined) return;
    const count = `__branches[${counters++}]++;`;
    if (node.type === 'BlockStatement') return put(node.start + 1, count);
    put(node.start, `{${count}`);
    put(node.end, '}');
  };
  const expression = (node) => {
    put(node.start, `(__branches[${counters++}]++,`);
    put(node.end, ')');
  };
  full(parse(source, { ecmaVersion: 'latest', sourceType: 'module' }), (node) => {
    if (node.type === 'IfStatement') [node.consequent, node.alternate].forEach(statement);
    else if (/^(For|While|DoWhile)/.test(node.type)) statement(node.body);
    else if (node.type === 'ConditionalExpression') [node.consequent, node.alternate].forEach(expression);
    else if (node.type === 'LogicalExpression') expression(node.right);
    else if (node.type === 'SwitchCase' && node.consequent.length > 0)
      put(node.consequent[0].start, `__branches[${counters++}]++;`);
    else if (/Function/.test(node.type)) (node.body.type === 'BlockStatement' ? statement : expression)(node.body);
  });
  // at one position, the ends of inner nodes come before the ends of outer nodes, and starts come
  // after all ends
  inserts.sort((a, b) => a.at - b.at || rank(a.text) - rank(b.text));
  let code = '';
  let from = 0;
  for (const { at, text } of inserts) {
    code += source.slice(from, at) + text;
    from = at;
  }
  return { code: code + source.slice(from), counters };
}

const rank = (text) => (text === ')' || text === '}' ? 0 : 1);
