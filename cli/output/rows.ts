export type Row = Readonly<Record<string, unknown>>;

/** Chooses columns for rows without a form: those short enough for a table. */
export function chooseColumns(rows: readonly Row[]): string[] {
  const names = new Set(rows.slice(0, 50).flatMap((row) => Object.keys(row)));
  return [...names].filter((name) => !rows.some((row) => isRow(row[name]) || hasRows(row[name])));
}

function hasRows(value: unknown): boolean {
  return Array.isArray(value) && value.some((member) => typeof member === 'object');
}

export function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the member at a dotted path. Undefined if there is none. */
export function findMember(body: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, name) => (isRow(inner) ? inner[name] : undefined), body);
}
