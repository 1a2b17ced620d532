'use client';

import { useEffect, useState } from 'react';
import { type AssessmentProgress, requestAssessment } from '@/components/oauth/assessment-progress';
import { auditLab } from '@/lib/contract/lab';
import { type Controls, switchedOff } from '@/lib/oauth/lab/controls';

/** What was measured at the lab with some controls. */
export interface Measurement {
  progress: AssessmentProgress;
  running: boolean;
  error: unknown;
  /** Measures again. */
  again: () => void;
}

const NOTHING: AssessmentProgress = { done: 0, total: 0, findings: [], durationMs: null };
/** Several switches are often changed at once. Milliseconds. */
const PATIENCE = 500;

/** Measures the lab with the given controls, and again whenever they change. */
export function useMeasurement(controls: Controls): Measurement {
  const off = switchedOff(controls).join(' ');
  const [round, setRound] = useState(0);
  const [progress, setProgress] = useState(NOTHING);
  const [running, setRunning] = useState(true);
  const [error, setError] = useState<unknown>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round measures the same controls again
  useEffect(() => {
    const stop = new AbortController();
    setRunning(true);
    setError(null);
    const timer = setTimeout(async () => {
      try {
        await requestAssessment({ contract: auditLab, body: { off: switchedOff(controls) } }, setProgress, stop.signal);
      } catch (fault) {
        if (!stop.signal.aborted) setError(fault);
      } finally {
        if (!stop.signal.aborted) setRunning(false);
      }
    }, PATIENCE);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [off, round]);
  return { progress, running, error, again: () => setRound((one) => one + 1) };
}
