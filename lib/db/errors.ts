/**
 * Works like `instanceof`, but compares names. One bundle creates services and others use them, each with its own copy
 * of every class (`lib/process/bridge`). The plain operator would not recognise an error from another bundle.
 */
export function isFaultNamed(value: unknown, name: string): boolean {
  return value instanceof Error && value.name === name;
}

/** The database is down, locked for too long, or cannot write. The caller answers 503. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isFaultNamed(value, 'DatabaseUnavailable');
  }
}

/** A unique or primary key was violated, because another writer was first. */
export class ConstraintViolation extends Error {
  override readonly name = 'ConstraintViolation';

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isFaultNamed(value, 'ConstraintViolation');
  }
}

/** A stored row cannot be read, and nothing may be decided without it. The caller answers 503. */
export class UnreadableRow extends Error {
  override readonly name = 'UnreadableRow';

  /** @param row identifies the row */
  constructor(table: string, row: string, options?: ErrorOptions) {
    super(`The row "${row}" of the table ${table} in the database cannot be read.`, options);
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isFaultNamed(value, 'UnreadableRow');
  }
}

/** Faults of the medium or the connection, as opposed to faults of a statement. */
const UNAVAILABLE = /^SQLITE_(BUSY|LOCKED|FULL|READONLY|IOERR|CANTOPEN|CORRUPT|NOTADB|NOMEM|PROTOCOL)/;
/** Among them, a server blocks a database whose plan is used up, and ends transactions that take too long. */
const REMOTE_UNAVAILABLE =
  /^(HRANA_|SERVER_ERROR|BLOCKED|PROXY_ERROR|TRANSACTION_|ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|UND_ERR|STREAM_|CLIENT_CLOSED)/;

function listCodes(error: unknown): string[] {
  const codes: string[] = [];
  for (let current = error, depth = 0; current instanceof Error && depth < 6; current = current.cause, depth += 1) {
    const { code, rawCode } = current as Error & { code?: unknown; rawCode?: unknown };
    if (typeof code === 'string') codes.push(code);
    if (rawCode === 5 || rawCode === 261 || rawCode === 517) codes.push('SQLITE_BUSY');
    if (current.message.includes('SQLITE_CONSTRAINT') || /UNIQUE constraint failed/.test(current.message))
      codes.push('SQLITE_CONSTRAINT');
    if (current instanceof TypeError && current.message === 'fetch failed') codes.push('UND_ERR_FETCH');
  }
  return codes;
}

/** Faults of a statement that was rolled back, or was never sent. */
const NOTHING_WRITTEN = /^(SQLITE_|BLOCKED|TRANSACTION_|ECONNREFUSED|ENOTFOUND|EAI_AGAIN)/;

/** Returns whether a write may have been made although it failed with this fault, because its answer was lost. */
export function mayBeWritten(error: unknown): boolean {
  return !listCodes(error).some((code) => NOTHING_WRITTEN.test(code));
}

/** Returns whether another process holds the write lock. */
export function isBusy(error: unknown): boolean {
  return listCodes(error).some((code) => code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'));
}

/** Returns the typed error for a driver's error. Any other error is returned unchanged. */
export function convertDatabaseError(error: unknown): unknown {
  if (error instanceof DatabaseUnavailable || error instanceof ConstraintViolation) return error;
  const codes = listCodes(error);
  if (codes.some((code) => code.startsWith('SQLITE_CONSTRAINT'))) {
    return new ConstraintViolation('A unique key is taken.', { cause: error });
  }
  if (codes.some((code) => UNAVAILABLE.test(code) || REMOTE_UNAVAILABLE.test(code))) {
    return new DatabaseUnavailable('The database is down.', { cause: error });
  }
  return error;
}
