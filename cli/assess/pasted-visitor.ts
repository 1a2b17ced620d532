import type { Interface } from 'node:readline/promises';
import type { WantedVisit } from '@/lib/oauth/assessment/target';

/**
 * Visits of a browser that comes back somewhere else: the person pastes the address that it came back to.
 * @param tell writes a line for the person
 */
export function pastedVisitor(lines: AsyncIterator<string>, tell: (line: string) => void) {
  return async ({ url, redirectUri }: WantedVisit): Promise<string | null> => {
    tell(`Open this address, sign in and agree:\n\n  ${url}\n`);
    tell(`Paste the address that the browser came back to (${redirectUri}...), or an empty line to do without:`);
    const { value, done } = await lines.next();
    const pasted = done === true ? '' : value.trim();
    return pasted === '' ? null : pasted;
  };
}

/** The lines of a terminal or a pipe, one for each that is asked for. */
export function linesOf(reader: Interface): AsyncIterator<string> {
  return reader[Symbol.asyncIterator]();
}
