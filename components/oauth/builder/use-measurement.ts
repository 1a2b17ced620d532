import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type LabProgress, NO_PROGRESS } from '@/components/oauth/builder/lab-progress';
import type { Finding } from '@/lib/oauth/assessment/run';
import { compareOutcomes, type Effect, type Outcomes } from '@/lib/oauth/builder/effect';
import { type ControlSwitch, type Controls, listDisabledControls } from '@/lib/oauth/lab/controls';
import type { ReplayReport } from '@/lib/oauth/replays/replay';

/** Delay in milliseconds, because several switches are often changed together. */
const DEBOUNCE_MS = 250;
const SETTINGS = {
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
  networkMode: 'always',
} as const;

interface Measured {
  off: readonly ControlSwitch[];
  progress: LabProgress;
}

/** Effect of the last change of switches, as measured so far. */
export interface ShownEffect extends Effect {
  /** The switches that were changed. */
  changed: readonly ControlSwitch[];
  complete: boolean;
}

type Attacks = ReadonlyMap<string, ReplayReport>;
const NO_ATTACKS: Attacks = new Map();

/**
 * Assesses the lab and runs every attack against it whenever the controls change. Outdated measurements are aborted.
 * Findings stay until newer ones arrive.
 */
export function useMeasurement(controls: Controls, replays: readonly { id: string }[]) {
  const off = listDisabledControls(controls);
  const key = off.join(' ');
  const client = useQueryClient();
  const [running, setRunning] = useState<Measured>({ off: [], progress: NO_PROGRESS });
  const [settled, setSettled] = useState<{ before: Measured | null; last: Measured | null }>({
    before: null,
    last: null,
  });
  const assessment = useQuery({
    queryKey: ['lab-measurement', key],
    queryFn: async ({ signal }) => {
      await pause(signal);
      const watch = (progress: LabProgress) => setRunning({ off, progress });
      const { assessLab } = await import('@/components/oauth/builder/measure-lab');
      const progress = await assessLab(off, watch, signal);
      return { off, progress };
    },
    // Only one result is cached, because it holds the evidence of the whole catalogue.
    gcTime: 0,
    ...SETTINGS,
  });
  const attacks = useQuery({
    queryKey: buildAttacksKey(key),
    queryFn: async ({ signal }) => {
      await pause(signal);
      const { playAttacks } = await import('@/components/oauth/builder/measure-lab');
      return playAttacks(replays, off, signal);
    },
    ...SETTINGS,
  });
  const { data } = assessment;
  useEffect(() => {
    if (data === undefined) return;
    setSettled(({ before, last }) => ({
      before: last !== null && buildKey(last) !== buildKey(data) ? last : before,
      last: data,
    }));
  }, [data]);

  const { before, last } = settled;
  const baseline = last !== null && buildKey(last) === key ? before : last;
  const current = data?.progress ?? (buildKey(running) === key ? running.progress : NO_PROGRESS);
  const readAttacks = (measured: Measured) =>
    client.getQueryData<Attacks>(buildAttacksKey(buildKey(measured))) ?? NO_ATTACKS;
  const played = attacks.data ?? NO_ATTACKS;
  const findings = overlayFindings(last?.progress.findings ?? [], current.findings);
  return {
    progress: current,
    findings,
    attacks: played,
    effect:
      baseline === null ? null : computeEffect(baseline, readAttacks(baseline), { off, progress: current }, played),
    running: assessment.isFetching,
    error: assessment.error ?? attacks.error,
    again: () => {
      void assessment.refetch();
      void attacks.refetch();
    },
  };
}

const buildKey = ({ off }: Measured) => off.join(' ');
const buildAttacksKey = (key: string) => ['lab-attacks', key];

async function pause(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, DEBOUNCE_MS));
  signal.throwIfAborted();
}

function overlayFindings(old: readonly Finding[], fresh: readonly Finding[]): readonly Finding[] {
  const replaced = new Set(fresh.map(({ control }) => control));
  return [...fresh, ...old.filter(({ control }) => !replaced.has(control))];
}

function computeEffect(before: Measured, beforeAttacks: Attacks, now: Measured, attacks: Attacks): ShownEffect {
  const differ = (left: Measured, right: Measured) => left.off.filter((id) => !right.off.includes(id));
  return {
    ...compareOutcomes(collectOutcomes(before.progress, beforeAttacks), collectOutcomes(now.progress, attacks)),
    changed: [...differ(before, now), ...differ(now, before)],
    complete: now.progress.summary !== null && attacks !== NO_ATTACKS,
  };
}

function collectOutcomes({ findings }: LabProgress, attacks: Attacks): Outcomes {
  return {
    verdicts: new Map(findings.map(({ control, verdict }) => [control, verdict.kind])),
    attacks: new Map([...attacks].map(([id, { result }]) => [id, result.kind])),
  };
}
