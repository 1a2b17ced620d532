/** Words of operations, which name no object. */
const OPERATION_WORDS = new Set(
  'a address allow allowlist an and api audit change changes clear counters edit end entry expiry explain forgive from grant help history inspect key limit link lower make member more new of open operator override owner password plan quota raise refused remove rename renew replace requests reset revoke role rotate secret session sessions the tier to token usage user viewer why'.split(
    ' ',
  ),
);

/** Extracts the name of an object from a search: the longest word that no operation uses. */
export function extractName(search: string): string {
  const words = search.split(/\s+/).filter((word) => !OPERATION_WORDS.has(word.toLowerCase()));
  return words.sort((a, b) => b.length - a.length)[0] ?? '';
}
