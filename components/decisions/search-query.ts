import { canonicalIdentifier } from '@/lib/contract/fields/identifier';

/** What the search means to the server: a path, an address, or a user. */
export function searchQuery(text: string): Record<string, string> {
  const search = text.trim();
  if (search === '') return {};
  if (search.startsWith('/')) return { path: search };
  const address = canonicalIdentifier('ip', search);
  return address === null ? { type: 'user_id', identifier: search } : { type: 'ip', identifier: address };
}
