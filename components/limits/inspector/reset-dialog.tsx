import { zodResolver } from '@hookform/resolvers/zod';
import { useController, useForm } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import { useCall } from '@/components/api/use-call';
import { FormDialog } from '@/components/form/form-dialog';
import { ReasonField, ReasonInput } from '@/components/form/reason-field';
import { formatNumber } from '@/components/format/number';
import { isTarget, type LimitedIdentity } from '@/components/links/target';
import { Alert } from '@/components/ui/alert';
import { Segmented } from '@/components/ui/segmented';
import { shorten } from '@/components/ui/shorten';
import { Shortened } from '@/components/ui/shortened';
import { CLASS_NAMES, CLASS_OPTIONS } from '@/components/vocabulary/class-names';
import { previewReset, resetCounters } from '@/lib/contract/counters';
import { EndpointClassSchema } from '@/lib/contract/fields/enumerations';
import type { EndpointClass } from '@/lib/limiter/meter';

const ResetForm = z.object({ class: z.union([z.literal('all'), EndpointClassSchema]), reason: ReasonInput });

/** Shows what the reset would clear, and whether it could be undone. */
function Preview({ target: { type, identifier }, only }: { target: LimitedIdentity; only: EndpointClass | undefined }) {
  const query = { type, identifier, ...(only === undefined ? {} : { class: only }) };
  const { data } = useCall(['counters', 'reset-preview', type, identifier, only], previewReset, { query });
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
        : `Clears ${formatNumber(counters)} ${counters === 1 ? 'counter' : 'counters'}. Can be undone for 15 minutes.`}
    </p>
  );
}

/** Resets counters. `only` preselects a class. */
export default function ResetDialog(props: { target: LimitedIdentity; only?: EndpointClass; onClose: () => void }) {
  const { type, identifier } = props.target;
  const byClass = isTarget(props.target);
  const start: z.input<typeof ResetForm> = { class: props.only ?? 'all', reason: '' };
  const form = useForm({ resolver: zodResolver(ResetForm), defaultValues: start });
  const { field } = useController({ control: form.control, name: 'class' });
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
      send={({ class: chosen, reason }) =>
        call(resetCounters, { body: { type, identifier, reason, ...(chosen === 'all' ? {} : { class: chosen }) } })
      }
      changes="counters"
      done={({ auditSeq }, { class: chosen }) => ({
        title: `Counters of ${shorten(identifier)} are clear`,
        description: chosen === 'all' ? 'From the next request.' : `In the class ${CLASS_NAMES[chosen]}.`,
        auditSeq,
      })}
      onClose={props.onClose}
    >
      {byClass ? (
        <Segmented
          label="Class"
          className="h-auto w-full max-sm:grid max-sm:grid-cols-3"
          value={field.value}
          onChange={field.onChange}
          options={[{ value: 'all' as const, label: 'All' }, ...CLASS_OPTIONS]}
        />
      ) : null}
      <Preview target={props.target} only={field.value === 'all' ? undefined : field.value} />
      <ReasonField control={form.control} name="reason" example="Tested their sign-in, on the phone with them" />
    </FormDialog>
  );
}
