import { ArrowRight, FileDown, Printer, RotateCw, Trash2 } from 'lucide-react';
import { addQuery, call } from '@/components/api/call';
import { useConfirm } from '@/components/form/confirm-dialog';
import { useHasLab } from '@/components/shell/member';
import { RoleMenuItem } from '@/components/shell/role-menu-item';
import { DropdownMenuItem, DropdownMenuLabel, DropdownMenuSeparator } from '@/components/ui/dropdown-menu';
import { Link } from '@/components/ui/link';
import type { StoredAssessment } from '@/lib/contract/assessment-report';
import { removeAssessment } from '@/lib/contract/assessments';

const FORMATS = [
  { format: 'json', label: 'JSON' },
  { format: 'markdown', label: 'Markdown' },
  { format: 'html', label: 'HTML' },
  { format: 'sarif', label: 'SARIF 2.1.0' },
  { format: 'junit', label: 'JUnit' },
] as const;

type Format = (typeof FORMATS)[number]['format'];

const buildReportHref = (id: string, format: Format, baseline?: string | null) =>
  addQuery(`/v1/oauth/assessments/${id}`, { format, baseline });

/** Menu items for the formats of a report, compared with `baseline` if one is chosen. */
export function ExportItems({ id, baseline }: { id: string; baseline?: string | null }) {
  return (
    <>
      <DropdownMenuLabel>Download the report</DropdownMenuLabel>
      {FORMATS.map(({ format, label }) => (
        <DropdownMenuItem key={format} asChild>
          <a href={buildReportHref(id, format, baseline)} download>
            <FileDown aria-hidden /> {label}
          </a>
        </DropdownMenuItem>
      ))}
      <DropdownMenuSeparator />
      <DropdownMenuItem asChild>
        <a href={buildReportHref(id, 'html', baseline)} target="_blank" rel="noreferrer">
          <Printer aria-hidden /> Open to print
        </a>
      </DropdownMenuItem>
    </>
  );
}

/** Links to the form of a new assessment, with the values that this browser stored for the target. */
export const buildRepeatHref = ({ target }: StoredAssessment) => addQuery('/oauth/assessments/new', { target });

/** True if the target can be assessed again. False for the lab while it is disabled. */
export function useMayRepeat({ kind }: StoredAssessment): boolean {
  const hasLab = useHasLab();
  return kind === 'server' || hasLab;
}

/** Menu items for an assessment. `onRemoved` runs after it is removed. */
export function AssessmentMenuItems({ assessment }: { assessment: StoredAssessment }) {
  const { id } = assessment;
  return (
    <>
      <DropdownMenuItem asChild>
        <Link href={`/oauth/assessments/${id}`}>
          <ArrowRight aria-hidden /> Open the report
        </Link>
      </DropdownMenuItem>
      {useMayRepeat(assessment) ? (
        <DropdownMenuItem asChild>
          <Link href={buildRepeatHref(assessment)}>
            <RotateCw aria-hidden /> Assess again
          </Link>
        </DropdownMenuItem>
      ) : null}
      <DropdownMenuSeparator />
      <ExportItems id={id} />
      <DropdownMenuSeparator />
      <RemoveItem assessment={assessment} />
    </>
  );
}

/** Removes an assessment after confirmation. `onRemoved` runs before the report is refetched. */
export function RemoveItem({ assessment, onRemoved }: { assessment: StoredAssessment; onRemoved?: () => void }) {
  const { id, name } = assessment;
  const confirm = useConfirm('assessments');
  const remove = () =>
    confirm({
      title: `Remove ${name}?`,
      description: 'Its findings and their evidence are deleted. Accepted findings of the target stay accepted.',
      confirmLabel: 'Remove',
      done: `${name} is removed`,
      confirm: async () => {
        await call(removeAssessment, { params: { id } });
        onRemoved?.();
      },
    });
  return <RoleMenuItem icon={Trash2} label="Remove…" destructive needs="operator" onSelect={remove} />;
}
