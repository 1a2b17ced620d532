import type { Interface } from 'node:readline/promises';
import type { WantedVisit } from '@/lib/oauth/assessment/target';

/**
 * Handles visits whose redirect URI is elsewhere: the person pastes the address that the browser came back to.
 * @param tell writes a line to the person
 */
export function createPasteVisitor(lines: AsyncIterator<string>, tell: (line: string) => void) {
  return async ({ url, redirectUri }: WantedVisit): Promise<string | null> => {
    tell(`Open this address, sign in and agree:\n\n  ${url}\n`);
    tell(`Paste the address that the browser came back to (${redirectUri}...), or an empty line to do without:`);
    const { value, done } = await lines.next();
    const pasted = done === true ? '' : value.trim();
    return pasted === '' ? null : pasted;
  };
}

/** Reads the lines of a terminal or a pipe on demand. */
export function iterateLines(reader: Interface): AsyncIterator<string> {
  return reader[Symbol.asyncIterator]();
}
