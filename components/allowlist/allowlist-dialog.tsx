import { zodResolver } from '@hookform/resolvers/zod';
import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { call } from '@/components/api/call';
import { useCall } from '@/components/api/use-call';
import { computeExpiry } from '@/components/form/fields/expiry-field';
import { FormDialog } from '@/components/form/form-dialog';
import { PreviewNote, usePreviewEnd } from '@/components/form/preview-note';
import { formatDistance } from '@/components/format/duration';
import {
  buildEntryValues,
  type EntryDialogProps,
  EntryFields,
  EntryInputs,
} from '@/components/identifier/entry-fields';
import { createConflictError, ExistingEntry, useSettledTarget } from '@/components/identifier/existing-entry';
import type { Target } from '@/components/links/target';
import { useLongestLife, validateLife } from '@/components/policies/longest-life';
import { shorten } from '@/components/ui/shorten';
import { type AllowlistEntry, addAllowlistEntry, listAllowlist } from '@/lib/contract/allowlist';
import { parseIdentifier } from '@/lib/contract/fields/identifier';

const buildInput = (target: Target) => ({ query: { ...target, status: 'active' as const } });

const previewInput = (target: Target | null, end: string) =>
  target && { body: { ...target, reason: 'Preview', expires_at: end } };

/** Adds or edits an entry. If the typed identifier already has an entry, the dialog edits that entry. */
export default function AllowlistDialog({ initial, row, onClose }: EntryDialogProps<AllowlistEntry>) {
  const [entry, setEntry] = useState(row);
  const resolver = zodResolver(EntryFields.superRefine(validateLife(useLongestLife())));
  const form = useForm({ resolver, defaultValues: buildEntryValues(initial, entry, '1d') });
  const [type, identifier] = useWatch({ control: form.control, name: ['type', 'identifier'] });
  const target = useSettledTarget({ type, identifier });
  const found = useCall(
    ['allowlist', 'existing', target?.type, target?.identifier],
    listAllowlist,
    buildInput(target ?? { type, identifier: '-' }),
    { enabled: entry === undefined && target !== null },
  );
  const existing = entry === undefined && target ? found.data?.value[0] : undefined;
  const end = usePreviewEnd();
  const edit = (which: AllowlistEntry) => {
    setEntry(which);
    form.reset(buildEntryValues(undefined, which, '1d'));
  };
  return (
    <FormDialog
      form={form}
      title={entry ? 'Edit allowlist entry' : 'Add to the allowlist'}
      description="Requests from here bypass rate limits, starting with the next one. Monthly quotas and the global throttle still apply."
      submitLabel={entry ? 'Save' : 'Add'}
      send={async ({ expiry, confirm: _, ...values }) => {
        if (entry === undefined) {
          const canonical = parseIdentifier(values.type, values.identifier) ?? values.identifier;
          const there = await call(listAllowlist, buildInput({ type: values.type, identifier: canonical }));
          if (there.value[0]) {
            await found.refetch();
            throw createConflictError('It is on the allowlist already. Edit that entry.');
          }
        }
        const body = { ...values, expires_at: computeExpiry(expiry, Date.now()) };
        return call(addAllowlistEntry, { body });
      }}
      changes={['allowlist', 'exceptions']}
      managed={entry?.managed ? { kind: 'allowlist', id: `${entry.type} ${entry.identifier}` } : null}
      done={({ value: { identifier: saved, expires_at: end }, auditSeq }) => ({
        title: `${shorten(saved)} ${entry ? 'is updated' : 'bypasses rate limiting'}`,
        auditSeq,
        description: end ? `Ends ${formatDistance(Date.parse(end), Date.now())}.` : 'Until it is removed.',
      })}
      onClose={onClose}
    >
      <EntryInputs
        locked={entry !== undefined}
        reasonExample="Load test of the billing team, until Friday"
        note={
          existing ? (
            <ExistingEntry what="Already on the allowlist" entry={existing} onEdit={() => edit(existing)} />
          ) : null
        }
      >
        <PreviewNote contract={addAllowlistEntry} input={existing || entry ? null : previewInput(target, end)} />
      </EntryInputs>
    </FormDialog>
  );
}
