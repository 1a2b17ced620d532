/** Quotes a text as one word of a POSIX shell, so that the shell executes none of it. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
