import { z } from 'zod';
import { createStoredValue } from '@/components/ui/stored-value';
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

const keptByMember = new Map<string, ReturnType<typeof createKept>>();

function createKept(member: string) {
  return createStoredValue<Kept>(`sluice.first-steps.${member}`, (stored) => Kept.safeParse(stored).data, UNDECIDED);
}

/** Reads and stores a member's choices about the steps, in this browser. */
export function useKeptSteps(member: string): { kept: Kept; keep: (change: Partial<Kept>) => void } {
  const stored = keptByMember.get(member) ?? createKept(member);
  keptByMember.set(member, stored);
  return { kept: stored.use(), keep: (change) => stored.write({ ...stored.read(), ...change }) };
}
