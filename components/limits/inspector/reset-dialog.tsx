import { zodResolver } from '@hookform/resolvers/zod';
import { useController, useForm } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import { useCall } from '@/components/api/use-call';
import { ReasonField, ReasonInput } from '@/components/form/fields/reason-field';
import { FormDialog } from '@/components/form/form-dialog';
import type { ResetPart } from '@/components/identifier/subject-actions';
import { isTarget, type LimitedIdentity } from '@/components/links/target';
import { Alert } from '@/components/ui/alert';
import { Segmented } from '@/components/ui/segmented';
import { shorten } from '@/components/ui/shorten';
import { Shortened } from '@/components/ui/shortened';
import { CLASS_OPTIONS } from '@/components/vocabulary/class-names';
import { previewReset, resetCounters } from '@/lib/contract/counters';
import { EndpointClassSchema } from '@/lib/contract/fields/enumerations';
import { formatCount } from '@/lib/format-number';

/** Stands for every class, or every named limit. No name has an asterisk; a choice without a value shows no selection. */
const ALL = '*';

const ResetForm = z.object({ part: z.string(), reason: ReasonInput });

/** Returns the part as the API names it: a class of an address or user, or a named limit of a subject. */
function buildResetPart(target: LimitedIdentity, part: string): ResetPart {
  if (part === ALL) return {};
  return isTarget(target) ? { class: EndpointClassSchema.parse(part) } : { limit_name: part };
}

function listParts(target: LimitedIdentity, limit: string | undefined) {
  if (isTarget(target)) return [{ value: ALL, label: 'All' }, ...CLASS_OPTIONS];
  return limit === undefined
    ? []
    : [
        { value: ALL, label: 'All its limits' },
        { value: limit, label: shorten(limit, 24), name: limit },
      ];
}

/** Shows what the reset would clear, and whether it could be undone. */
function Preview({ target: { type, identifier }, part }: { target: LimitedIdentity; part: ResetPart }) {
  const query = { type, identifier, ...part };
  const { data } = useCall(['counters', 'reset-preview', query], previewReset, { query });
  if (data === undefined) return null;
  const { counters, undoable } = data.value;
  if (!undoable)
    return (
      <Alert variant="warning" title="This cannot be undone">
        It clears more than 10,000 counters: too many to keep.
      </Alert>
    );
  return (
    <p className="text-xs text-muted-foreground" aria-live="polite">
      {counters === 0
        ? 'Nothing to clear: no requests are counted now.'
        : `Clears ${formatCount(counters, 'counter')}. Can be undone for 15 minutes.`}
    </p>
  );
}

/** Resets counters. `part` preselects a class, or a named limit. */
export default function ResetDialog(props: { target: LimitedIdentity; part?: ResetPart; onClose: () => void }) {
  const { type, identifier } = props.target;
  const { limit_name: limit, class: endpointClass } = props.part ?? {};
  const parts = listParts(props.target, limit);
  const start: z.input<typeof ResetForm> = { part: endpointClass ?? limit ?? ALL, reason: '' };
  const form = useForm({ resolver: zodResolver(ResetForm), defaultValues: start });
  const { field } = useController({ control: form.control, name: 'part' });
  return (
    <FormDialog
      form={form}
      title="Reset counters"
      description={
        <>
          <Shortened text={identifier} className="font-mono text-xs text-foreground" /> starts again from zero at the
          next request. Its limits stay as they are{type === 'api_key' ? ', and so does its monthly quota' : null}.
        </>
      }
      submitLabel="Reset"
      draft={`reset ${type} ${identifier}`}
      send={({ part, reason }) =>
        call(resetCounters, { body: { type, identifier, reason, ...buildResetPart(props.target, part) } })
      }
      changes="counters"
      done={({ auditSeq }, { part }) => ({
        title: `Counters of ${shorten(identifier)} are clear`,
        description:
          part === ALL ? 'From the next request.' : `Of ${parts.find(({ value }) => value === part)?.label}.`,
        auditSeq,
      })}
      onClose={props.onClose}
    >
      {parts.length > 0 ? (
        <Segmented
          label={isTarget(props.target) ? 'Class' : 'Limit'}
          className="h-auto w-full max-sm:grid max-sm:grid-cols-3"
          value={field.value}
          onChange={field.onChange}
          options={parts}
        />
      ) : null}
      <Preview target={props.target} part={buildResetPart(props.target, field.value)} />
      <ReasonField control={form.control} name="reason" example="Tested their sign-in, on the phone with them" />
    </FormDialog>
  );
}
