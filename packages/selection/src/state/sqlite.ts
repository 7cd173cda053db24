import { selectionError } from '../errors.js';
import type { Json } from '../json.js';
import type { SelectionStore } from './store.js';

/** A prepared statement of `node:sqlite` or better-sqlite3. */
interface Statement {
  get(...values: string[]): unknown;
  run(...values: string[]): unknown;
}

/** An open database of `node:sqlite` (`DatabaseSync`) or better-sqlite3. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): Statement;
}

/** Options of `sqliteState`. */
export interface SqliteStateOptions {
  /** The table, which is created if it does not exist. Default `brezel_selection`. */
  readonly table?: string;
}

/**
 * Creates a store that holds the states in a table of an open SQLite database. The states survive a
 * restart, and several processes can share them. The caller opens and closes the database.
 *
 * Cost: a read of one row per prediction, and one transaction per feedback, on the calling thread.
 * With the pragmas `journal_mode = WAL` and `synchronous = NORMAL`, a transaction does not wait for
 * the disk, except at a checkpoint.
 *
 * @throws ERR_SELECTION_OPTION, ERR_SELECTION_STATE
 * @example
 * // const database = new DatabaseSync('selection.db', { timeout: 1000 }); // of node:sqlite
 * database.exec('PRAGMA journal_mode = WAL');
 * createSelection({ candidates, loss, state: sqliteState(database) });
 */
export function sqliteState(database: SqliteDatabase, options: SqliteStateOptions = {}): SelectionStore {
  const { table = 'brezel_selection' } = options;
  if (!/^[A-Za-z_]\w{0,62}$/.test(table)) {
    const expected = 'table: a name of letters, digits and underscores';
    throw selectionError('ERR_SELECTION_OPTION', { expected, received: JSON.stringify(table), at: 'sqliteState' });
  }
  guarded(() => database.exec(`CREATE TABLE IF NOT EXISTS ${table} (key TEXT PRIMARY KEY, state TEXT NOT NULL)`));
  const select = guarded(() => database.prepare(`SELECT state FROM ${table} WHERE key = ?`));
  const upsert = guarded(() =>
    database.prepare(`INSERT INTO ${table} VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET state = excluded.state`),
  );
  const read = (key: string): Json | undefined => {
    const row = select.get(key) as { readonly state: string } | undefined;
    return row === undefined ? undefined : JSON.parse(row.state);
  };
  return {
    read: (key) => guarded(() => read(key)),
    update: (keys, change) =>
      guarded(() => {
        // IMMEDIATE takes the lock before the read, so that no other process writes between the
        // read and the write.
        database.exec('BEGIN IMMEDIATE');
        try {
          const next = change(keys.map(read));
          keys.forEach((key, at) => {
            upsert.run(key, JSON.stringify(next[at]));
          });
          database.exec('COMMIT');
        } catch (error) {
          database.exec('ROLLBACK');
          throw error;
        }
      }),
  };
}

/**
 * Calls a function that uses the database.
 * @throws ERR_SELECTION_STATE with the error of the database as its cause.
 */
function guarded<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    const hint =
      'if the database is locked, open it with a timeout; do not call predict or feedback inside an open transaction';
    throw selectionError('ERR_SELECTION_STATE', { received: String((cause as Error)?.message), cause, hint });
  }
}
