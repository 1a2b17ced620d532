import { type InfiniteData, useQueryClient } from '@tanstack/react-query';
import { toast } from 'sonner';
import { type CallAnswer, call } from '@/components/call';
import { toastError } from '@/components/explain-error';
import { type AllowlistEntry, addAllowlistEntry, removeAllowlistEntry } from '@/lib/contract/allowlist';

type Pages = InfiniteData<CallAnswer<AllowlistEntry[]>>;

const without = (list: Pages, id: string): Pages => ({
  ...list,
  pages: list.pages.map((page) => ({ ...page, value: page.value.filter((entry) => entry.id !== id) })),
});

/** Removes an entry at once; the toast offers to restore it. */
export function useRemoveWithUndo(): (entry: AllowlistEntry) => Promise<void> {
  const queries = useQueryClient();
  const queryKey = ['allowlist'];
  const restore = async ({ type, identifier, reason, expires_at }: AllowlistEntry) => {
    try {
      await call(addAllowlistEntry, { body: { type, identifier, reason, expires_at } });
      toast.success(`${identifier} is back on the allowlist`);
    } catch (error) {
      toastError(error);
    }
    await queries.invalidateQueries({ queryKey });
  };
  return async (entry) => {
    const { id, type, identifier } = entry;
    await queries.cancelQueries({ queryKey });
    queries.setQueriesData<Pages>({ queryKey }, (list) => list && without(list, id));
    try {
      await call(removeAllowlistEntry, { body: { type, identifier } });
      toast(`${identifier} was removed`, {
        description: 'Its limits apply again from the next request.',
        duration: 10_000,
        action: { label: 'Undo', onClick: () => void restore(entry) },
      });
    } catch (error) {
      toastError(error);
    }
    await queries.invalidateQueries({ queryKey });
  };
}
