'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import {
  type AssessmentCall,
  type AssessmentProgress,
  NO_PROGRESS,
  requestAssessment,
} from '@/components/oauth/assessment-progress';
import type { AssessmentReport } from '@/components/oauth/assessments/report';
import { keepReport, listReports, removeReport } from '@/components/oauth/assessments/report-store';

/** A target with its name, and the call that assesses it. */
export interface AssessmentOrder {
  name: string;
  issuer: string;
  call: AssessmentCall;
}

const KEY = ['oauth-audits'];

/** Runs assessments, and keeps their reports in this browser. */
export function useAssessments() {
  const client = useQueryClient();
  const reports = useQuery({ queryKey: KEY, queryFn: listReports });
  const [running, setRunning] = useState<{ order: AssessmentOrder; progress: AssessmentProgress } | null>(null);
  const [error, setError] = useState<unknown>(null);
  const stop = useRef<AbortController>(null);

  /** Returns the report, or null when the assessment was stopped or failed. */
  const run = async (order: AssessmentOrder): Promise<AssessmentReport | null> => {
    const controller = new AbortController();
    stop.current = controller;
    setError(null);
    setRunning({ order, progress: NO_PROGRESS });
    try {
      const watch = (progress: AssessmentProgress) => setRunning({ order, progress });
      const { findings, durationMs } = await requestAssessment(order.call, watch, controller.signal);
      const { name, issuer } = order;
      const id = crypto.getRandomValues(new Uint32Array(3)).join('');
      const report = { id, name, issuer, at: new Date().toISOString(), durationMs: durationMs ?? 0, findings };
      await keepReport(report);
      await client.invalidateQueries({ queryKey: KEY });
      return report;
    } catch (fault) {
      if (!controller.signal.aborted) setError(fault);
      return null;
    } finally {
      setRunning(null);
    }
  };
  const remove = async (id: string) => {
    await removeReport(id);
    await client.invalidateQueries({ queryKey: KEY });
  };
  return { reports, running, error, run, remove, cancel: () => stop.current?.abort() };
}
