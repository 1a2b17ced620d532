'use client';

import { type InfiniteData, useQueryClient } from '@tanstack/react-query';
import { toast } from 'sonner';
import { addToAllowlist, allowlistKey, removeFromAllowlist } from '@/components/allowlist/allowlist-api';
import type { ApiAnswer } from '@/components/api-client';
import { explainError } from '@/components/explain-error';
import type { Listed } from '@/components/list/use-resource-list';
import type { AllowlistEntry } from '@/lib/contract/allowlist';

function sorry(error: unknown): void {
  const { title, text } = explainError(error);
  toast.error(title, { description: text });
}

/** The list as the cache holds it: whole, or page by page from the server. */
type Kept = Listed<AllowlistEntry> | InfiniteData<ApiAnswer<AllowlistEntry[]>>;

function without(kept: Kept, id: string): Kept {
  const others = (rows: AllowlistEntry[]) => rows.filter((each) => each.id !== id);
  if ('rows' in kept) return { ...kept, rows: others(kept.rows) };
  return { ...kept, pages: kept.pages.map((page) => ({ ...page, value: others(page.value) })) };
}

/** Removes an entry at once; the toast that says so can put it back as it was. */
export function useRemoveWithUndo(): (entry: AllowlistEntry) => Promise<void> {
  const queries = useQueryClient();
  const restore = async ({ type, identifier, reason, expires_at }: AllowlistEntry) => {
    try {
      await addToAllowlist({ type, identifier, reason, expires_at });
      toast.success(`${identifier} is back on the allowlist`);
    } catch (error) {
      sorry(error);
    }
    await queries.invalidateQueries({ queryKey: allowlistKey });
  };
  return async (entry) => {
    await queries.cancelQueries({ queryKey: allowlistKey });
    queries.setQueriesData<Kept>({ queryKey: allowlistKey }, (old) => old && without(old, entry.id));
    try {
      await removeFromAllowlist(entry);
      toast(`${entry.identifier} was removed`, {
        description: 'It is limited again from the next request on.',
        duration: 10_000,
        action: { label: 'Undo', onClick: () => void restore(entry) },
      });
    } catch (error) {
      sorry(error);
    }
    await queries.invalidateQueries({ queryKey: allowlistKey });
  };
}
