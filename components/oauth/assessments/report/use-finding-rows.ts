import { useEffect, useEffectEvent, useState } from 'react';
import { buildFindingId, readControl } from '@/components/oauth/assessments/report/finding-link';
import { useOpenSet } from '@/components/ui/disclosure';
import type { VERDICTS } from '@/lib/contract/assessment-events';
import type { AssessmentReport } from '@/lib/contract/assessment-report';

/** Number of undecided findings above which they are collapsed. */
const FOLDED_FROM = 15;

type Verdict = (typeof VERDICTS)[number];

/**
 * Tracks which findings and sections are expanded. A link to a finding expands it and scrolls to it; `onLink` runs
 * first, to show its view.
 */
export function useFindingRows({ findings }: AssessmentReport, onLink: () => void) {
  const rows = useOpenSet();
  const [sections, setSections] = useState<ReadonlySet<Verdict>>(() =>
    findings.filter(({ verdict }) => verdict === 'inconclusive').length > FOLDED_FROM
      ? new Set(['failed'])
      : new Set(['failed', 'inconclusive']),
  );
  const [wanted, setWanted] = useState<{ control: string } | null>(null);
  const setSection = (verdict: Verdict, open: boolean) =>
    setSections((before) => new Set(open ? [...before, verdict] : [...before].filter((other) => other !== verdict)));
  const follow = useEffectEvent(() => {
    const control = readControl();
    const finding = findings.find((each) => each.control === control);
    if (control === null || finding === undefined) return;
    onLink();
    setSection(finding.verdict, true);
    rows.setOpen(control, true);
    setWanted({ control });
  });
  useEffect(() => {
    const listen = () => follow();
    listen();
    window.addEventListener('hashchange', listen);
    return () => window.removeEventListener('hashchange', listen);
  }, []);
  useEffect(() => {
    if (wanted) document.getElementById(buildFindingId(wanted.control))?.scrollIntoView();
  }, [wanted]);
  return { rows, sections, setSection };
}

export type FindingRows = ReturnType<typeof useFindingRows>;
