import { useId } from 'react';
import { useCall } from '@/components/api/use-call';
import { formatAbsoluteTime } from '@/components/format/time';
import { useTimeZone } from '@/components/format/time-zone';
import { Label } from '@/components/ui/label';
import { NativeSelect } from '@/components/ui/native-select';
import type { AssessmentReport, StoredAssessment } from '@/lib/contract/assessment-report';
import { listAssessments } from '@/lib/contract/assessments';

type Candidate = Pick<StoredAssessment, 'id' | 'name' | 'started_at' | 'target'>;

/** Chooses the assessment to compare with. Those of the same target come first, newest first. */
export function BaselineChooser(props: { report: AssessmentReport; onChange: (id: string | null) => void }) {
  const { report, onChange } = props;
  const { id: own, target, baseline } = report;
  const field = useId();
  const { zone } = useTimeZone();
  const { data } = useCall(['assessments', 'candidates'], listAssessments, { query: { limit: '200' } });
  const listed: readonly Candidate[] = data?.value.filter(({ id, state }) => id !== own && state !== 'running') ?? [];
  const candidates =
    baseline === undefined || listed.some(({ id }) => id === baseline.id) ? listed : [baseline, ...listed];
  const isSame = (other: Candidate) => other.target === target;
  const ordered = [...candidates.filter(isSame), ...candidates.filter((other) => !isSame(other))];
  const formatLabel = (other: Candidate) =>
    `${other.name}, ${formatAbsoluteTime(other.started_at, zone)}${isSame(other) ? '' : ' (another target)'}`;
  return (
    <div className="flex min-w-0 flex-col gap-1.5 max-sm:w-full print:hidden">
      <Label htmlFor={field}>Compare with</Label>
      <NativeSelect
        id={field}
        className="h-8 w-64 max-sm:w-full"
        value={baseline?.id ?? ''}
        disabled={ordered.length === 0}
        onChange={(event) => onChange(event.target.value || null)}
        options={[
          { value: '', label: ordered.length === 0 ? 'No other assessment' : 'No baseline' },
          ...ordered.map((other) => ({ value: other.id, label: formatLabel(other) })),
        ]}
      />
    </div>
  );
}
