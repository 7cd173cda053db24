import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { parse } from 'csv-parse';

/** A row of the model, and the id of its customer. */
export interface Customer {
  readonly id: string;
  readonly row: { readonly months: number; readonly monthlyFee: number; readonly contract: string };
}

/** Reads customers one by one, so that the file may be larger than the memory. */
export async function* readCustomers(file: string): AsyncGenerator<Customer> {
  for await (const { id, months, monthlyFee, contract } of createReadStream(file).pipe(parse({ columns: true })))
    yield { id, row: { months: Number(months), monthlyFee: Number(monthlyFee), contract } };
}

/** Writes a table of invented customers. */
export async function writeCustomers(file: string, count: number): Promise<void> {
  const out = createWriteStream(file);
  out.write('id,months,monthlyFee,contract\n');
  for (let id = 0; id < count; id++) {
    const line = `c${id},${id % 72},${20 + ((id * 7) % 90)},${id % 3 === 0 ? 'yearly' : 'monthly'}\n`;
    if (!out.write(line)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
}
