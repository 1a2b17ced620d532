import { createContext, use, useCallback, useEffect, useRef, useState } from 'react';
import { type FieldPath, type FieldValues, set, type UseFormReturn } from 'react-hook-form';
import { changesBetween, type DraftChange, rebaseDraft, sameValue } from '@/components/form/changes-between';
import { dropDraft, keepDraft, readDraft } from '@/components/form/stored-drafts';
import { useMember } from '@/components/shell/member';

interface DraftOptions<Values> {
  /** Of the form, unique in the console, with what it edits: `policies`, `key 0198...`. Null: nothing is kept. */
  name: string | null;
  /** What is saved. When it changes, what was typed is put on top of it. */
  saved: Values;
  /** Restores a draft only on the very values that it was begun on. */
  strict?: boolean;
}

export interface Draft {
  /** When the restored draft was last typed in; null when the form did not start from one. */
  restoredAt: string | null;
  /** Values that someone else saved meanwhile, under a change of the person's own. */
  conflicts: readonly DraftChange[];
  /** Takes what someone else saved in place of the person's own value. */
  takeSaved: (path: string) => void;
  /** Back to what is saved. */
  discard: () => void;
  /** Forgets the draft, as it is saved or given up. The form keeps its values. */
  drop: () => void;
}

/**
 * Keeps what is typed in a form while its person is elsewhere in the console, and restores it. A `form.reset` to the
 * saved values drops it. Secrets are never kept: fields are left out by their name (`stored-drafts.ts`).
 */
export function useDraft<Values extends FieldValues, Context, Output>(
  form: UseFormReturn<Values, Context, Output>,
  { name, saved, strict = false }: DraftOptions<Values>,
): Draft {
  const { id } = useMember();
  const key = name === null ? null : `${id} ${name}`;
  const base = useRef<{ key: string | null; saved: Values } | null>(null);
  const [restoredAt, setRestoredAt] = useState<string | null>(null);
  const [conflicts, setConflicts] = useState<readonly DraftChange[]>([]);
  const { reset, setValue, getValues, subscribe } = form;

  /** The form with these changes of what is saved, and dirty by them. */
  const put = useCallback(
    (changes: readonly DraftChange[]) => {
      const values = structuredClone(base.current?.saved);
      for (const { path, to } of changes) set(values ?? {}, path, to);
      reset(base.current?.saved);
      if (changes.length > 0) reset(values, { keepDefaultValues: true });
    },
    [reset],
  );

  const text = JSON.stringify(saved);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `text` stands for `saved`, which may be a new object each time
  useEffect(() => {
    const begun = base.current;
    base.current = { key, saved };
    if (begun !== null && begun.key === key) {
      if (sameValue(begun.saved, saved)) return;
      const changes = rebaseDraft(begun.saved, getValues(), saved);
      put(changes);
      setConflicts(changes.filter(({ conflict }) => conflict));
      return;
    }
    const kept = key === null ? null : readDraft(key);
    if (kept === null || (strict && changesBetween(saved, kept.before).length > 0)) return;
    const changes = rebaseDraft(kept.before, kept.draft, saved);
    if (changes.length === 0) return;
    put(changes);
    setRestoredAt(kept.at);
    setConflicts(changes.filter(({ conflict }) => conflict));
  }, [key, text, strict, put, getValues]);

  useEffect(() => {
    if (key === null) return;
    return subscribe({
      formState: { values: true, isDirty: true },
      callback: ({ values, isDirty }) => {
        if (!isDirty) {
          setRestoredAt(null);
          return dropDraft(key);
        }
        const before = base.current?.saved;
        if (before === undefined || sameValue(readDraft(key)?.draft, values)) return;
        keepDraft(key, { at: new Date().toISOString(), before, draft: structuredClone(values) });
      },
    });
  }, [key, subscribe]);

  return {
    restoredAt,
    conflicts,
    takeSaved: (path) => {
      const conflict = conflicts.find((change) => change.path === path);
      if (conflict) setValue(path as FieldPath<Values>, conflict.from as never, { shouldDirty: true });
      setConflicts(conflicts.filter((change) => change !== conflict));
    },
    discard: () => {
      setConflicts([]);
      setRestoredAt(null);
      put([]);
    },
    drop: () => {
      if (key !== null) dropDraft(key);
    },
  };
}

const DraftContext = createContext<Draft | null>(null);
/** Gives the fields of a form its draft, so that they can show what someone else saved meanwhile. */
export const DraftProvider = DraftContext.Provider;

/** What someone else saved at `path` under the person's own change, and what takes it over. Null in most cases. */
export function useSavedMeanwhile(path: string): { saved: unknown; take: () => void } | null {
  const draft = use(DraftContext);
  const conflict = draft?.conflicts.find((change) => change.path === path);
  if (!draft || !conflict) return null;
  return { saved: conflict.from, take: () => draft.takeSaved(path) };
}
