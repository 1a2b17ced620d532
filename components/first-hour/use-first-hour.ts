import { useQuery } from '@tanstack/react-query';
import { call } from '@/components/api/call';
import { isNew, listSettled, type StepId, useKeptSteps } from '@/components/first-hour/step-state';
import { useMinute } from '@/components/format/use-now';
import { useMember } from '@/components/shell/member';
import { readFirstSteps } from '@/lib/contract/first-hour';

/** Refresh interval while the steps are shown, in milliseconds. */
const EVERY = 2_000;

/** Reads the first steps of this installation and whether to show them. */
export function useFirstHour() {
  const { kept, keep } = useKeptSteps(useMember().id);
  const now = useMinute();
  const { data, isError } = useQuery({
    queryKey: ['first-steps'],
    queryFn: ({ signal }) => call(readFirstSteps, { signal }),
    staleTime: 0,
    refetchInterval: ({ state }) => {
      const latest = state.data?.value;
      return latest && (kept.shown ?? isNew(latest, Date.now())) ? EVERY : false;
    },
  });
  const steps = data?.value;
  const fresh = steps !== undefined && now !== null && isNew(steps, now);
  const settled = steps === undefined ? [] : listSettled(steps, kept.skipped);
  return {
    steps,
    settled,
    skipped: kept.skipped,
    /** True once it is settled whether to show the steps. If reading fails, none are shown. */
    isSettled: steps !== undefined || isError || kept.shown === false,
    isShown: steps !== undefined && (kept.shown ?? fresh),
    show: () => keep({ shown: true }),
    hide: () => keep({ shown: false }),
    skip: (step: StepId) => keep({ shown: true, skipped: [...kept.skipped, step] }),
    takeUp: (step: StepId) => keep({ skipped: kept.skipped.filter((other) => other !== step) }),
  };
}
export type FirstHourState = ReturnType<typeof useFirstHour>;
