/** What a cell may hold. */
export type CsvValue = string | number | boolean | null | undefined;

/** Characters that make a spreadsheet read a cell as a formula (OWASP ASVS 5, 1.2.10), with their full-width forms. */
const FORMULA = /^[=+\-@\t\r\n\0＝＋－＠]/u;
const QUOTED = /[",\r\n]/;

/**
 * One cell by RFC 4180. Text that a spreadsheet would run as a formula gets an apostrophe before it; numbers stay
 * numbers.
 */
function csvCell(value: CsvValue): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return QUOTED.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** One line with its CRLF. */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvCell).join(',')}\r\n`;
}
