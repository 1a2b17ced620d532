import { zodResolver } from '@hookform/resolvers/zod';
import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { z } from 'zod';
import type { BatchAction, SelectableRow, Selection } from '@/components/batch/batch-action';
import { BatchResults } from '@/components/batch/batch-results';
import { runOnRows } from '@/components/batch/run-batch';
import { SelectedRows } from '@/components/batch/selected-rows';
import { ExpiryChoice, ExpiryField, expiryInstant, LONG } from '@/components/form/expiry-field';
import { FormDialog } from '@/components/form/form-dialog';
import { ReasonField, ReasonInput } from '@/components/form/reason-field';
import { SelectField } from '@/components/form/select-field';
import { countOf } from '@/components/format/number';
import { tierOptions } from '@/components/keys/tiers';
import { usePolicies } from '@/components/limits/policies';
import { Alert } from '@/components/ui/alert';
import { type QuotaTier, QuotaTierSchema } from '@/lib/contract/fields/enumerations';

const BatchForm = z.object({ reason: ReasonInput, expiry: ExpiryChoice, tier: QuotaTierSchema });

interface BatchDialogProps<Row extends SelectableRow> {
  selection: Selection<Row>;
  action: BatchAction<Row>;
  rows: readonly Row[];
  /** Told which rows were refused: they stay selected. */
  onSettled: (refused: readonly Row[]) => void;
  onClose: () => void;
}

/** Does something to all selected rows: names them, asks why, and says what became of each where not all went well. */
export default function BatchDialog<Row extends SelectableRow>({
  selection,
  action,
  rows,
  onSettled,
  onClose,
}: BatchDialogProps<Row>) {
  const { asks } = action;
  const [keys] = useState(() => new Map<string, string>());
  const preset = asks === 'expiry' ? '90d' : '1d';
  const form = useForm({
    resolver: zodResolver(BatchForm),
    defaultValues: { reason: '', expiry: { preset, custom: '' } as ExpiryChoice, tier: 'free' as QuotaTier },
  });
  const tier = useWatch({ control: form.control, name: 'tier' });
  const limits = usePolicies().data?.value.tiers;
  const what = countOf(rows.length, ...selection.nouns);
  const managed = rows.filter((row) => row.managed === true).length;
  return (
    <FormDialog
      form={form}
      title={action.title(what)}
      description={action.description}
      submitLabel={action.submitLabel}
      destructive={action.destructive}
      send={async ({ expiry, ...values }) => {
        const asked = { ...values, end: expiryInstant(expiry, Date.now()) };
        const send = (which: readonly Row[]) => runOnRows(action, which, asked, keys);
        const results = await send(rows);
        onSettled(results.flatMap(({ row, fault }) => (fault === null ? [] : [row])));
        return { results, send };
      }}
      changes={selection.changes}
      done={({ results, send }) =>
        results.every(({ fault }) => fault === null)
          ? { title: action.done(what), description: 'Each can be taken back in the audit log.' }
          : {
              panel: (
                <BatchResults
                  selection={selection}
                  action={action}
                  first={results}
                  send={send}
                  onSettled={onSettled}
                  onClose={onClose}
                />
              ),
            }
      }
      draft={false}
      onClose={onClose}
    >
      <SelectedRows selection={selection} action={action} rows={rows} what={what} tier={tier} />
      {managed > 0 ? (
        <Alert variant="warning" title={`${managed} of them managed by a state document`}>
          The next apply of that document overwrites what is changed here. Change it there instead.
        </Alert>
      ) : null}
      {asks === 'tier' ? (
        <SelectField control={form.control} name="tier" label="Tier" options={tierOptions(limits)} />
      ) : null}
      {asks === undefined || asks === 'tier' ? null : (
        <ExpiryField
          control={form.control}
          name="expiry"
          never={asks !== 'end'}
          {...(asks === 'expiry' ? { presets: LONG } : {})}
        />
      )}
      <ReasonField control={form.control} name="reason" example={action.example} />
    </FormDialog>
  );
}
