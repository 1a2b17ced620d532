import { LifeBuoy } from 'lucide-react';
import { useSubjectActions } from '@/components/identifier/subject-actions';
import { LastRefusals } from '@/components/limits/inspector/last-refusals';
import { EmptyState } from '@/components/list/empty-state';
import { Button } from '@/components/ui/button';

/** Replaces the counters for a range, which has none. */
export function InspectedRange({ range }: { range: string }) {
  const { help } = useSubjectActions();
  const target = { type: 'ip', identifier: range } as const;
  return (
    <section aria-label={`The range ${range}`} className="flex flex-col gap-4">
      <EmptyState
        icon={LifeBuoy}
        title={`${range} has no separate counter`}
        action={<Button onClick={() => help(target)}>What applies to it</Button>}
      >
        Each of its addresses is counted separately. Help shows what applies to the range, who in it was refused, and
        what can be done for all of them.
      </EmptyState>
      <LastRefusals target={target} />
    </section>
  );
}
