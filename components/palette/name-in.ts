/** Words of operations, which name no object. */
const OPERATION_WORDS = new Set(
  'a address allow allowlist an api change clear counters edit expiry explain forgive grant help inspect key limit lower member more new of open override plan quota raise refused rename renew replace requests reset revoke rotate secret tier to token usage user why'.split(
    ' ',
  ),
);

/** What is left of a search to name an object by: the longest word that is not of an operation. */
export function nameIn(search: string): string {
  const words = search.split(/\s+/).filter((word) => !OPERATION_WORDS.has(word.toLowerCase()));
  return words.sort((a, b) => b.length - a.length)[0] ?? '';
}
