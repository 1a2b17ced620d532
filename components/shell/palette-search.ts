import type { Target } from '@/components/identifier/target';
import { canonicalIdentifier } from '@/lib/contract/fields/identifier';
import type { ApiKeyWithUsage } from '@/lib/contract/keys';

/** What a search text could name: an address when it has the form of one, else a user. */
export function targetOf(text: string): Target | null {
  const trimmed = text.trim();
  if (trimmed.length < 2) return null;
  const address = canonicalIdentifier('ip', trimmed);
  if (address !== null && /[.:]/.test(trimmed)) return { type: 'ip', identifier: address };
  return canonicalIdentifier('user_id', trimmed) === null ? null : { type: 'user_id', identifier: trimmed };
}

/** Words of the command itself, which name no key. */
const COMMAND_WORDS = new Set(['change', 'tier', 'of']);
const MOST_NAMED = 20;

/** Keys whose name holds every other word that was typed. */
export function namedBy(search: string, keys: readonly ApiKeyWithUsage[]): readonly ApiKeyWithUsage[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '' && !COMMAND_WORDS.has(word));
  return keys.filter((key) => words.every((word) => key.name.toLowerCase().includes(word))).slice(0, MOST_NAMED);
}
