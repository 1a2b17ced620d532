import type { Target } from '@/components/links/target';
import { extractName } from '@/components/palette/extract-name';
import { parseIdentifier } from '@/lib/contract/fields/identifier';

/** Returns the subject that a text could name: an address if it has that form, else a user. */
export function searchTarget(text: string): Target | null {
  const trimmed = text.trim();
  if (trimmed.length < 2) return null;
  const address = parseIdentifier('ip', trimmed);
  if (address !== null && /[.:]/.test(trimmed)) return { type: 'ip', identifier: address };
  return parseIdentifier('user_id', trimmed) === null ? null : { type: 'user_id', identifier: trimmed };
}

/** Finds the address or user among the words of an operation: `reset 203.0.113.7`, `help alice`. */
export function findTarget(search: string): { target: Target; word: string } | null {
  const words = search.trim().split(/\s+/);
  const word =
    words.find((each) => searchTarget(each)?.type === 'ip') ??
    (words.length === 1 ? search.trim() : extractName(search));
  const target = searchTarget(word);
  return target && { target, word };
}
