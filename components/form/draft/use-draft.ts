import { createContext, use, useCallback, useEffect, useRef, useState } from 'react';
import { type FieldPath, type FieldValues, set, type UseFormReturn } from 'react-hook-form';
import { type DraftChange, isSameValue, listValueChanges, rebaseDraft } from '@/components/form/draft/changes-between';
import { dropDraft, keepDraft, readDraft } from '@/components/form/draft/stored-drafts';
import { useMember } from '@/components/shell/member';

interface DraftOptions<Values> {
  /**
   * Draft name, unique in the console, including the edited object: `policies`, `key 0198...`. Null stores no draft.
   */
  name: string | null;
  /** Saved values. When they change, the typed changes are applied on top. */
  saved: Values;
  /** Restores a draft only if the saved values equal those it was begun on. */
  strict?: boolean;
  /** Field that decides which others are shown. A restored draft keeps its value. */
  discriminator?: string;
}

export interface Draft {
  /** Time of the restored draft's last edit. Null if the form did not start from a draft. */
  restoredAt: string | null;
  /** Fields that another member saved during editing and that the draft changes too. */
  conflicts: readonly DraftChange[];
  /** Replaces the draft's value with the saved one. */
  takeSaved: (path: string) => void;
  /** Restores the saved values. */
  discard: () => void;
  /** Deletes the draft after saving or discarding. The form keeps its values. */
  drop: () => void;
}

/**
 * Stores unsaved form values while the member visits other pages, and restores them. A `form.reset` to the saved values
 * drops the draft. Secrets are never stored: `stored-drafts.ts` excludes fields by name.
 */
export function useDraft<Values extends FieldValues, Context, Output>(
  form: UseFormReturn<Values, Context, Output>,
  { name, saved, strict = false, discriminator }: DraftOptions<Values>,
): Draft {
  const { id } = useMember();
  const key = name === null ? null : `${id} ${name}`;
  const base = useRef<{ key: string | null; saved: Values } | null>(null);
  const [restoredAt, setRestoredAt] = useState<string | null>(null);
  const [conflicts, setConflicts] = useState<readonly DraftChange[]>([]);
  const { reset, setValue, getValues, subscribe } = form;

  /** Applies these changes to the saved values, which marks the form as dirty. */
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
      if (isSameValue(begun.saved, saved)) return;
      const changes = rebaseDraft(begun.saved, getValues(), saved);
      put(changes);
      setConflicts(changes.filter(({ conflict }) => conflict));
      return;
    }
    const stored = key === null ? null : readDraft(key);
    if (stored === null || (strict && listValueChanges(saved, stored.before).length > 0)) return;
    const changes = rebaseDraft(stored.before, stored.draft, saved, discriminator);
    if (changes.length === 0) return;
    put(changes);
    setRestoredAt(stored.at);
    setConflicts(changes.filter(({ conflict }) => conflict));
  }, [key, text, strict, discriminator, put, getValues]);

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
        if (before === undefined || isSameValue(readDraft(key)?.draft, values)) return;
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
/** Provides the draft to the form's fields, so that they can show values that another member saved. */
export const DraftProvider = DraftContext.Provider;

/**
 * Returns the value at `path` that another member saved over the draft's change, and a function that takes it. Usually
 * null.
 */
export function useSavedConflict(path: string): { saved: unknown; take: () => void } | null {
  const draft = use(DraftContext);
  const conflict = draft?.conflicts.find((change) => change.path === path);
  if (!draft || !conflict) return null;
  return { saved: conflict.from, take: () => draft.takeSaved(path) };
}
