'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { toast } from 'sonner';
import { callApi } from '@/components/api-client';
import { ConfirmDialog } from '@/components/form/confirm-dialog';
import type { Target } from '@/components/identifier/target';
import { CLASS_NAMES } from '@/components/limits/class-names';
import { countersKey } from '@/components/limits/inspector/counters-api';
import { Segmented } from '@/components/ui/segmented';
import { ENDPOINT_CLASSES, type EndpointClass } from '@/lib/limiter/meter';

/** Clears the counters of one identifier, of all classes or of one. */
export function ResetDialog({
  target,
  only,
  onClose,
}: {
  target: Target;
  /** The class that is chosen at first. */
  only?: EndpointClass;
  onClose: () => void;
}) {
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<EndpointClass | 'all'>(only ?? 'all');
  const reset = async () => {
    const { type, identifier } = target;
    await callApi('/v1/admin/rate-limit/reset', {
      method: 'POST',
      body: chosen === 'all' ? { type, identifier } : { type, identifier, class: chosen },
    });
    await queries.invalidateQueries({ queryKey: countersKey });
    toast.success(`Counters of ${target.identifier} are clear`, {
      description: chosen === 'all' ? 'In every class.' : `In the class ${chosen}.`,
    });
  };
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title="Reset counters"
      description={
        <div className="flex flex-col gap-3">
          <p>
            <span className="font-mono text-xs text-foreground">{target.identifier}</span> starts again from zero at the
            next request. What was counted cannot be brought back.
          </p>
          <Segmented
            label="Class"
            className="w-full"
            value={chosen}
            onChange={setChosen}
            options={[
              { value: 'all' as const, label: 'All' },
              ...ENDPOINT_CLASSES.map((name) => ({ value: name, label: CLASS_NAMES[name] })),
            ]}
          />
        </div>
      }
      confirmLabel="Reset"
      onConfirm={reset}
    />
  );
}
