'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { NO_PROGRESS, requestAssessment } from '@/components/oauth/assessment-progress';
import { auditLab } from '@/lib/contract/lab';
import { type Controls, switchedOff } from '@/lib/oauth/lab/controls';

/** Several switches are often changed at once. Milliseconds. */
const DELAY_MS = 500;

/** Measures the lab with the given controls, again whenever they change, and on `again`. */
export function useMeasurement(controls: Controls) {
  const off = switchedOff(controls);
  const [progress, setProgress] = useState(NO_PROGRESS);
  const query = useQuery({
    queryKey: ['lab-measurement', off],
    queryFn: async ({ signal }) => {
      await new Promise((resolve) => setTimeout(resolve, DELAY_MS));
      signal.throwIfAborted();
      return requestAssessment({ contract: auditLab, body: { off } }, setProgress, signal);
    },
    // Only one measurement is kept: switching back measures again.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    networkMode: 'always',
  });
  return { progress, running: query.isFetching, error: query.error, again: () => void query.refetch() };
}
