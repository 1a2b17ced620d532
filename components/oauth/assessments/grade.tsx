import { cn } from '@/components/ui/cn';
import type { StoredAssessment } from '@/lib/contract/assessment-report';

type Grade = StoredAssessment['summary']['grade'];

/** Colours of each grade. */
export const GRADE_LOOKS = {
  A: 'bg-success-soft text-success-text',
  B: 'bg-success-soft text-success-text',
  C: 'bg-warning-soft text-warning-text',
  D: 'bg-warning-soft text-warning-text',
  F: 'bg-destructive-soft text-destructive-text',
} as const;

/** Letter of a grade on its colour. A dash means that too few controls were decided. */
export function GradeMark({ grade, large }: { grade: Grade; large?: boolean }) {
  return (
    <span
      role="img"
      aria-label={grade === null ? 'No grade' : `Grade ${grade}`}
      className={cn(
        'inline-grid shrink-0 place-items-center font-semibold',
        large ? 'size-16 rounded-xl text-2xl' : 'size-6 rounded-sm text-sm',
        grade === null ? 'bg-muted text-muted-foreground' : GRADE_LOOKS[grade],
      )}
    >
      {grade ?? '–'}
    </span>
  );
}
