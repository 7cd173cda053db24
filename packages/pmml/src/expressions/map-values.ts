import { flowOf } from '../context.js';
import { damaged, unsupported } from '../errors.js';
import { Graph, type GraphNode } from '../graph.js';
import { constantOf, MISSING, type Value } from '../value.js';
import type { Element } from '../xml/element.js';
import { resultType, textsOf } from './discretize.js';
import type { ExpressionUse } from './expression-use.js';

/** A row of the table: the value of each input column, and the text of the result. */
interface TableRow {
  readonly keys: readonly number[];
  readonly result: string;
  readonly at: string;
}

/** Converts `MapValues`: looks up the values of fields in a table. */
export function mapValues(use: ExpressionUse, element: Element): Value {
  const { context, scope } = use;
  const result = resultType(use, element);
  const pairs = element.all('FieldColumnPair');
  if (pairs.length === 0) throw damaged(element.at, 'a FieldColumnPair', 'none');
  const fields = pairs.map((pair) => scope.field(pair.required('field'), pair.at));
  const columns = pairs.map((pair) => pair.required('column'));
  const rows = tableRows(element, columns, element.required('outputColumn')).map(({ cells, result: text, at }) => ({
    keys: cells.map((cell, column) => constantOf(fields[column]!, cell, context.names, at)),
    result: text,
    at,
  }));
  const graph = new Graph(context.budget);
  const leafOf = (text: string | undefined, at: string) =>
    graph.leaf([[0, text === undefined ? MISSING : constantOf(result, text, context.names, at)]]);
  const missing = leafOf(element.get('mapMissingTo'), element.at);
  const other = leafOf(element.get('defaultValue'), element.at);
  const flows = fields.map(({ operand }) => flowOf(context, operand));
  const write = (chosen: readonly TableRow[], column: number): GraphNode => {
    // Of equal rows, the first one counts.
    if (column === flows.length) return leafOf(chosen[0]!.result, chosen[0]!.at);
    const cases = new Map<number, TableRow[]>();
    for (const row of chosen) {
      const same = cases.get(row.keys[column]!);
      if (same === undefined) cases.set(row.keys[column]!, [row]);
      else same.push(row);
    }
    const nodes = [...cases].map(([key, list]) => [key, write(list, column + 1)] as const);
    return graph.select(flows[column]!, new Map(nodes), missing, other);
  };
  const found = rows.length === 0 ? other : context.budget.nested(element.at, () => write(rows, 0));
  // A missing value in any column gives the same result.
  const root = flows.reduceRight((next, flow) => graph.isMissing(flow, missing, next), found);
  const texts = textsOf(
    element,
    rows.map((row) => row.result),
  );
  return { ...result, texts, operand: graph.run([root], [0], context.any) };
}

function tableRows(element: Element, columns: readonly string[], output: string) {
  const table = element.find('InlineTable');
  if (table === undefined) throw unsupported(element.at, 'a TableLocator instead of an InlineTable');
  return table.all('row').map((row) => {
    const cells = new Map(row.children.map((cell) => [cell.name, cell.text]));
    const of = (column: string): string => {
      const cell = cells.get(column.slice(column.indexOf(':') + 1));
      if (cell === undefined) throw damaged(row.at, `a cell ${column}`, 'none');
      return cell;
    };
    return { cells: columns.map(of), result: of(output), at: row.at };
  });
}
