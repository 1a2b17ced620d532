import { History } from 'lucide-react';
import { type Draft, useSavedConflict } from '@/components/form/draft/use-draft';
import { RelativeTime } from '@/components/format/relative-time';
import { Button } from '@/components/ui/button';

/** Notes that a form started from a draft, and offers to discard it. Renders nothing otherwise. */
export function DraftNote({ draft }: { draft: Draft }) {
  if (draft.restoredAt === null) return null;
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-x-2 rounded-md bg-primary-soft py-1 pr-1 pl-3 text-sm text-foreground"
    >
      <History aria-hidden className="size-4 shrink-0 text-primary" />
      <span className="mr-auto py-1">
        Draft from <RelativeTime at={draft.restoredAt} />
        {draft.conflicts.length > 0 ? '. Someone else saved in the meantime: compare the marked fields.' : ''}
      </span>
      <Button variant="ghost" size="sm" onClick={draft.discard}>
        Discard draft
      </Button>
    </div>
  );
}

/** Shows, at a field, the value that another member saved during editing, and offers to take it. */
export function SavedConflict({ path, words = String }: { path: string; words?: (saved: unknown) => string }) {
  const conflict = useSavedConflict(path);
  if (conflict === null) return null;
  return (
    <span role="status" className="flex flex-wrap items-center gap-x-2 text-xs text-warning-text">
      Saved by someone else in the meantime: {words(conflict.saved) || 'empty'}
      <Button variant="ghost" size="inline" className="underline" onClick={conflict.take}>
        Take this value
      </Button>
    </span>
  );
}
