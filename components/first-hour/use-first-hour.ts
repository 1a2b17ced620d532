import { isNew, type StepId, settledSteps, useKeptSteps } from '@/components/first-hour/step-state';
import { useNow } from '@/components/format/use-now';
import { useMember } from '@/components/shell/member';
import { useCall } from '@/components/use-call';
import { readFirstSteps } from '@/lib/contract/first-hour';

/** How often what is done is looked at while the steps are shown, in milliseconds. */
const EVERY = 2_000;

/** The first steps of this installation, and whether they are shown. */
export function useFirstHour() {
  const { kept, keep } = useKeptSteps(useMember().id);
  const now = useNow();
  const { data } = useCall(
    ['first-steps'],
    readFirstSteps,
    {},
    { refetchInterval: kept.shown === false ? 0 : EVERY, staleTime: 0 },
  );
  const steps = data?.value;
  const fresh = steps !== undefined && now !== null && isNew(steps, now);
  const settled = steps === undefined ? [] : settledSteps(steps, kept.skipped);
  return {
    steps,
    settled,
    skipped: kept.skipped,
    isShown: steps !== undefined && (kept.shown ?? fresh),
    show: () => keep({ shown: true }),
    hide: () => keep({ shown: false }),
    skip: (step: StepId) => keep({ shown: true, skipped: [...kept.skipped, step] }),
    takeUp: (step: StepId) => keep({ skipped: kept.skipped.filter((other) => other !== step) }),
    /** Once something is done here, the steps stay until they are hidden. */
    begin: () => keep({ shown: true }),
  };
}
export type FirstHourState = ReturnType<typeof useFirstHour>;
