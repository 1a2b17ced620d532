import { useSyncExternalStore } from 'react';
import { z } from 'zod';
import type { FirstSteps } from '@/lib/contract/first-hour';
import { DAY } from '@/lib/units';

export const STEP_IDS = ['connect', 'request', 'key', 'limit', 'invite'] as const;
export type StepId = (typeof STEP_IDS)[number];

const Kept = z.object({
  /** The member's choice. Null if there is none; the installation then decides whether the steps are shown. */
  shown: z.boolean().nullable(),
  skipped: z.array(z.enum(STEP_IDS)),
});
type Kept = z.infer<typeof Kept>;

const UNDECIDED: Kept = { shown: null, skipped: [] };

/** Time for which an installation counts as new, in milliseconds. */
const NEW_FOR = 7 * DAY;

/** Lists the steps that are done or skipped. */
export function listSettled(steps: FirstSteps, skipped: readonly StepId[]): StepId[] {
  return STEP_IDS.filter((id) => steps[id].done || skipped.includes(id));
}

/** True if the steps are shown by default: before the first decision, or while most are open in a new installation. */
export function isNew(steps: FirstSteps, now: number): boolean {
  if (!steps.request.done) return true;
  return listSettled(steps, []).length < 3 && now - Date.parse(steps.since) < NEW_FOR;
}

const KEY = 'sluice.first-steps.';
const listeners = new Set<() => void>();
const read = new Map<string, { text: string | null; kept: Kept }>();

function readKept(member: string): Kept {
  let text: string | null = null;
  try {
    text = localStorage.getItem(KEY + member);
  } catch {
    return read.get(member)?.kept ?? UNDECIDED;
  }
  const cached = read.get(member);
  if (cached?.text === text) return cached.kept;
  const kept = parseSteps(text);
  read.set(member, { text, kept });
  return kept;
}

function parseSteps(text: string | null): Kept {
  try {
    return Kept.parse(JSON.parse(text ?? 'null'));
  } catch {
    return UNDECIDED;
  }
}

/** Reads and stores a member's choices about the steps, in this browser. */
export function useKeptSteps(member: string): { kept: Kept; keep: (change: Partial<Kept>) => void } {
  const kept = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => readKept(member),
    () => UNDECIDED,
  );
  const keep = (change: Partial<Kept>) => {
    const next = { ...readKept(member), ...change };
    const text = JSON.stringify(next);
    try {
      localStorage.setItem(KEY + member, text);
      read.set(member, { text, kept: next });
    } catch {
      read.set(member, { text: null, kept: next });
    }
    for (const listener of listeners) listener();
  };
  return { kept, keep };
}
