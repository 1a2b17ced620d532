import { zodResolver } from '@hookform/resolvers/zod';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { z } from 'zod';
import { type BatchAction, type Selection, TAKEN_BACK } from '@/components/batch/batch-action';
import { BatchResults } from '@/components/batch/batch-results';
import { applyToRows } from '@/components/batch/run-batch';
import { SelectedRows } from '@/components/batch/selected-rows';
import { computeExpiry, ExpiryChoice, ExpiryField, LONG } from '@/components/form/fields/expiry-field';
import { ReasonField, ReasonInput } from '@/components/form/fields/reason-field';
import { SelectField } from '@/components/form/fields/select-field';
import { FormDialog } from '@/components/form/form-dialog';
import { ManagedAlert } from '@/components/form/managed/managed-alert';
import { buildLongestEnd, useLongestLife, validateLife } from '@/components/policies/longest-life';
import { usePolicies } from '@/components/policies/policies';
import { useDialog } from '@/components/shell/dialogs';
import { buildTierOptions } from '@/components/vocabulary/tiers';
import { type QuotaTier, QuotaTierSchema } from '@/lib/contract/fields/enumerations';
import { formatCount } from '@/lib/format-number';

const BatchForm = z.object({ reason: ReasonInput, expiry: ExpiryChoice, tier: QuotaTierSchema });

const FormWithoutReason = BatchForm.extend({ reason: z.string() });

function chooseForm(asksReason: boolean, longest: number | null) {
  const form = asksReason ? BatchForm : FormWithoutReason;
  return longest === null ? form : form.superRefine(validateLife(longest));
}

interface BatchDialogProps<Row> {
  selection: Selection<Row>;
  action: BatchAction<Row>;
  rows: readonly Row[];
  /** Receives the rows that were refused; they stay selected. */
  onSettled: (refused: readonly Row[]) => void;
  onClose: () => void;
}

/**
 * Applies an action to all selected rows. It lists them, asks for a reason, and shows each result if any row failed.
 */
export default function BatchDialog<Row>({ selection, action, rows, onSettled, onClose }: BatchDialogProps<Row>) {
  const { asks, afterwards = TAKEN_BACK } = action;
  const canUndo = action.canUndo ?? action.afterwards === undefined;
  const open = useDialog();
  const { changes, isManaged } = selection;
  const queries = useQueryClient();
  const [keys] = useState(() => new Map<string, string>());
  const preset = asks === 'expiry' ? '90d' : '1d';
  const life = useLongestLife();
  // Keys are not limited here, although the dialog asks for their expiry too.
  const longest = asks === 'end' || asks === 'end or never' ? life : null;
  const form = useForm({
    resolver: zodResolver(chooseForm(action.each === undefined, longest)),
    defaultValues: { reason: '', expiry: { preset, custom: '' } as ExpiryChoice, tier: 'free' as QuotaTier },
  });
  const tier = useWatch({ control: form.control, name: 'tier' });
  const limits = usePolicies().data?.value.tiers;
  const what = formatCount(rows.length, ...selection.nouns);
  const managed = rows.filter((row) => isManaged?.(row)).length;
  return (
    <FormDialog
      form={form}
      title={action.title(what)}
      description={action.description}
      submitLabel={action.submitLabel}
      destructive={action.destructive}
      send={async ({ expiry, ...values }) => {
        const input = { ...values, end: computeExpiry(expiry, Date.now()) };
        const send = async (which: readonly Row[]) => {
          const done = await applyToRows(action, which, input, keys);
          if (changes === undefined) await queries.invalidateQueries();
          return done;
        };
        const results = await send(rows);
        onSettled(results.flatMap(({ row, fault }) => (fault === null ? [] : [row])));
        return { results, send };
      }}
      changes={changes ?? []}
      done={({ results, send }) => {
        const renderPanel = (close: () => void) => (
          <BatchResults
            selection={selection}
            action={action}
            first={results}
            send={send}
            onSettled={onSettled}
            onClose={close}
          />
        );
        if (results.some(({ fault }) => fault !== null)) return { panel: renderPanel(onClose) };
        // Changes are undone in reverse order.
        const undo = canUndo ? [...results].reverse().flatMap((result) => result.undo) : [];
        return {
          title: action.done(what),
          description: afterwards,
          auditSeq: undo.length === 0 ? null : undo,
          undoLabel: results.length === 1 ? 'Undo' : 'Undo all',
          more: { label: 'Show results', onClick: () => open(renderPanel) },
        };
      }}
      draft={false}
      onClose={onClose}
    >
      <SelectedRows selection={selection} action={action} rows={rows} what={what} tier={tier} />
      {managed > 0 ? <ManagedAlert title={`${managed} of them managed by a state document`} /> : null}
      {asks === 'tier' ? (
        <SelectField control={form.control} name="tier" label="Tier" options={buildTierOptions(limits)} />
      ) : null}
      {asks === undefined || asks === 'tier' ? null : (
        <ExpiryField
          control={form.control}
          name="expiry"
          never={asks !== 'end'}
          longest={buildLongestEnd(longest)}
          {...(asks === 'expiry' ? { presets: LONG } : {})}
        />
      )}
      {action.each === undefined ? <ReasonField control={form.control} name="reason" example={action.example} /> : null}
    </FormDialog>
  );
}
