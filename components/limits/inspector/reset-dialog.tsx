import { useState } from 'react';
import { call } from '@/components/call';
import { ConfirmDialog } from '@/components/form/confirm-dialog';
import type { Target } from '@/components/identifier/target';
import { CLASS_OPTIONS } from '@/components/limits/class-names';
import { Segmented } from '@/components/ui/segmented';
import { resetCounters } from '@/lib/contract/counters';
import type { EndpointClass } from '@/lib/limiter/meter';

/** `only` is the preselected class. */
export default function ResetDialog(props: { target: Target; only?: EndpointClass; onClose: () => void }) {
  const [chosen, setChosen] = useState<EndpointClass | 'all'>(props.only ?? 'all');
  const { type, identifier } = props.target;
  return (
    <ConfirmDialog
      title="Reset counters"
      description={
        <div className="flex flex-col gap-3">
          <p>
            <span className="font-mono text-xs text-foreground">{identifier}</span> starts again from zero at the next
            request. This cannot be undone.
          </p>
          <Segmented
            label="Class"
            className="w-full"
            value={chosen}
            onChange={setChosen}
            options={[{ value: 'all' as const, label: 'All' }, ...CLASS_OPTIONS]}
          />
        </div>
      }
      confirmLabel="Reset"
      confirm={() =>
        call(resetCounters, { body: { type, identifier, ...(chosen === 'all' ? {} : { class: chosen }) } })
      }
      changes="counters"
      done={`Counters of ${identifier} are clear${chosen === 'all' ? '' : ` in the class ${chosen}`}`}
      onClose={props.onClose}
    />
  );
}
