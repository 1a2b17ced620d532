import { RotateCw } from 'lucide-react';
import { ListError } from '@/components/list/list-error';
import { LabProgressBar } from '@/components/oauth/builder/lab-progress';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { Matrix } from '@/components/oauth/matrix';
import { Button } from '@/components/ui/button';

/** Shows every control of the catalogue with its verdict on the lab and its current switches. */
export default function MatrixView() {
  const { measurement, assessed, matrixRows } = useBuilder();
  const { progress, running, error, again } = measurement;
  if (error) return <ListError error={error} onRetry={again} />;
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <LabProgressBar progress={progress} running={running} />
        <Button variant="outline" size="sm" onClick={again} disabled={running}>
          <RotateCw aria-hidden /> Measure again
        </Button>
      </div>
      <Matrix assessed={assessed} rows={matrixRows} />
    </div>
  );
}
