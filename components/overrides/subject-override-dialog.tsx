import { zodResolver } from '@hookform/resolvers/zod';
import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import { useCall } from '@/components/api/use-call';
import { useSettled } from '@/components/api/use-settled';
import { buildExpiryChoice, computeExpiry, ExpiryChoice, ExpiryField } from '@/components/form/fields/expiry-field';
import { ReasonField, ReasonInput } from '@/components/form/fields/reason-field';
import { SelectField } from '@/components/form/fields/select-field';
import { TextField } from '@/components/form/fields/text-field';
import { FormDialog } from '@/components/form/form-dialog';
import { PreviewNote, usePreviewEnd } from '@/components/form/preview-note';
import { createConflictError, ExistingEntry } from '@/components/identifier/existing-entry';
import { KindChoice } from '@/components/identifier/kind-choice';
import { describeNumbersInline } from '@/components/named-limits/limit-sentence';
import { useNamedLimits } from '@/components/named-limits/limits';
import { NumbersFields } from '@/components/named-limits/numbers-fields';
import {
  buildNamedNumbers,
  buildNumbersValues,
  type NumbersValues,
  numbersFormFields,
} from '@/components/named-limits/numbers-form';
import { identifyOverride } from '@/components/overrides/override-words';
import { buildLongestEnd, useLongestLife, validateLife } from '@/components/policies/longest-life';
import { shorten } from '@/components/ui/shorten';
import type { OverriddenType } from '@/lib/contract/fields/enumerations';
import { LimitSubject } from '@/lib/contract/fields/named-limit';
import type { NamedLimit } from '@/lib/contract/named-limits';
import { listOverrides, type Override, putOverride } from '@/lib/contract/overrides';

const SubjectForm = z
  .object({
    limit_name: z.string().min(1, 'Choose a named limit.'),
    identifier: z.string().refine((text) => LimitSubject.safeParse(text).success, 'A subject has 1 to 256 characters.'),
    ...numbersFormFields,
    expiry: ExpiryChoice,
    reason: ReasonInput,
  })
  .superRefine(({ windows, in_flight: places }, context) => {
    if (windows.length > 0 || places !== null) return;
    context.addIssue({ code: 'custom', path: ['windows'], message: 'Add a window.' });
  });
type SubjectValues = z.input<typeof SubjectForm>;

interface SubjectOverrideDialogProps {
  initial?: { limit_name?: string | undefined; identifier?: string | undefined } | undefined;
  row?: Override;
  /** Switches to the override of an address or a user. Absent if the dialog is for a subject only. */
  onKind?: ((kind: OverriddenType) => void) | undefined;
  onClose: () => void;
}

/** Gives one subject of a named limit its own numbers. Loads the limits first, because the form starts from them. */
export default function SubjectOverrideDialog(props: SubjectOverrideDialogProps) {
  const limits = useNamedLimits();
  const key = limits.data === undefined ? 'loading' : 'loaded';
  return <SubjectOverrideForm key={key} {...props} limits={limits.data?.value} loadError={limits.error} />;
}

type FormProps = SubjectOverrideDialogProps & { limits: NamedLimit[] | undefined; loadError: unknown };

function SubjectOverrideForm({ initial = {}, row, limits, loadError, onKind, onClose }: FormProps) {
  const [entry, setEntry] = useState(row);
  const first = entry?.limit_name ?? initial.limit_name ?? limits?.[0]?.name ?? '';
  const findLimit = (name: string | undefined) => limits?.find((limit) => limit.name === name);
  const buildSubjectValues = (own: Override | undefined): SubjectValues => ({
    limit_name: own?.limit_name ?? first,
    identifier: own?.identifier ?? initial.identifier ?? '',
    ...buildNumbersValues(findLimit(own?.limit_name ?? first), own),
    expiry: own === undefined ? { preset: '7d', custom: '' } : buildExpiryChoice(own.expires_at),
    reason: own?.reason ?? '',
  });
  const longest = useLongestLife();
  const form = useForm({
    resolver: zodResolver(SubjectForm.superRefine(validateLife(longest))),
    defaultValues: buildSubjectValues(entry),
  });
  const { control } = form;
  const [name, identifier] = useWatch({ control, name: ['limit_name', 'identifier'] });
  const limit = findLimit(name);
  const subject = useSettled(identifier, 250);
  const isSubject = LimitSubject.safeParse(subject).success;
  const query = { type: 'subject', identifier: subject, limit_name: name, status: 'active' } as const;
  const found = useCall(
    ['overrides', 'existing', 'subject', subject, name],
    listOverrides,
    { query },
    {
      enabled: entry === undefined && isSubject && limit !== undefined,
    },
  );
  const existing = entry === undefined && isSubject ? found.data?.value[0] : undefined;
  const options = (limits ?? []).map(({ name: value }) => ({ value, label: value }));
  /** Starts again from the numbers of another limit. */
  const chooseLimit = (next: string) => {
    const numbers = buildNumbersValues(findLimit(next));
    form.setValue('windows', numbers.windows);
    form.setValue('in_flight', numbers.in_flight);
  };
  return (
    <FormDialog
      form={form}
      title={entry ? 'Edit override' : 'Override a limit'}
      description="Gives one subject of a named limit its own numbers. They take precedence over those of its API key and tier."
      submitLabel="Save"
      loading={limits === undefined}
      loadError={loadError}
      send={async ({ expiry, windows, in_flight, ...sent }) => {
        if (limit === undefined) throw new Error('The named limit is missing.');
        if (entry === undefined) {
          const there = await call(listOverrides, { query: { ...query, identifier: sent.identifier } });
          if (there.value[0]) {
            await found.refetch();
            throw createConflictError('It has an override of this limit already. Edit that one.');
          }
        }
        const numbers = buildNamedNumbers({ windows, in_flight }, limit);
        const body = { type: 'subject' as const, ...sent, ...numbers, expires_at: computeExpiry(expiry, Date.now()) };
        return call(putOverride, { body });
      }}
      changes={['overrides', 'exceptions', 'limits', 'counters']}
      managed={entry?.managed ? identifyOverride(entry) : null}
      done={({ auditSeq }, saved) => ({
        title: `${saved.limit_name} of ${shorten(saved.identifier)} is overridden`,
        auditSeq,
        description: 'It applies from the next check.',
      })}
      onClose={onClose}
    >
      {onKind === undefined || entry !== undefined ? null : (
        <KindChoice kinds={['ip', 'user_id', 'subject']} value="subject" onChange={onKind} />
      )}
      {limits?.length === 0 ? (
        <p className="text-sm text-muted-foreground">There are no named limits. Create one under Limits first.</p>
      ) : (
        <>
          <SelectField
            control={control}
            name="limit_name"
            label="Named limit"
            options={options}
            disabled={entry !== undefined}
            onChosen={chooseLimit}
          />
          <TextField
            control={control}
            name="identifier"
            label="Subject"
            placeholder="+4915112345678"
            hint="As checks name it. Case-sensitive."
            code
            disabled={entry !== undefined}
          />
          <div aria-live="polite" className="empty:hidden">
            {existing ? (
              <ExistingEntry
                what={`Already overridden in ${name}`}
                entry={existing}
                onEdit={() => {
                  setEntry(existing);
                  form.reset(buildSubjectValues(existing));
                }}
              />
            ) : null}
          </div>
          {limit === undefined ? null : (
            <>
              <NumbersFields limit={limit} />
              <p className="text-xs text-muted-foreground tabular-nums">The limit: {describeNumbersInline(limit)}.</p>
              <SubjectPreview limit={limit} />
            </>
          )}
        </>
      )}
      <ReasonField control={control} name="reason" example="Contract with a partner" />
      <ExpiryField control={control} name="expiry" longest={buildLongestEnd(longest)} />
    </FormDialog>
  );
}

/** Shows what the subject has used under the numbers of the form. */
function SubjectPreview({ limit }: { limit: NamedLimit }) {
  const { windows, in_flight, identifier, limit_name } = useWatch<SubjectValues>() as SubjectValues & NumbersValues;
  const end = usePreviewEnd();
  const isValid =
    z.object(numbersFormFields).safeParse({ windows, in_flight }).success && LimitSubject.safeParse(identifier).success;
  const numbers = buildNamedNumbers({ windows, in_flight }, limit);
  const body = { type: 'subject' as const, identifier, limit_name, ...numbers, reason: 'Preview', expires_at: end };
  return <PreviewNote contract={putOverride} input={isValid ? { body } : null} />;
}
