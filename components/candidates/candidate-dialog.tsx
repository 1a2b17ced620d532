import { zodResolver } from '@hookform/resolvers/zod';
import { useForm, useFormContext, useWatch } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import { listPlaces, namePlace } from '@/components/candidates/place-names';
import { buildExpiryChoice, computeExpiry, ExpiryChoice, ExpiryField } from '@/components/form/fields/expiry-field';
import { ReasonField, ReasonInput } from '@/components/form/fields/reason-field';
import { SelectField } from '@/components/form/fields/select-field';
import { TypedLimitInputs, typedLimitFields } from '@/components/form/fields/typed-limit';
import { FormDialog } from '@/components/form/form-dialog';
import { formatWindow } from '@/components/format/duration';
import type { TypedNumbers } from '@/components/identifier/subject-actions';
import { describeNumbersInline } from '@/components/named-limits/limit-sentence';
import { useNamedLimits } from '@/components/named-limits/limits';
import { NumbersFields } from '@/components/named-limits/numbers-fields';
import { buildNamedNumbers, buildNumbersValues, numbersFormFields } from '@/components/named-limits/numbers-form';
import { formatLimitNumbers } from '@/components/named-limits/numbers-words';
import { usePolicies } from '@/components/policies/policies';
import { type CandidateLimit, setCandidate } from '@/lib/contract/candidates';
import { type CandidatePlace, CandidatePlaceSchema, splitPlace } from '@/lib/contract/fields/candidate';
import type { NamedLimit } from '@/lib/contract/named-limits';

const shared = { place: CandidatePlaceSchema, expiry: ExpiryChoice, reason: ReasonInput };

/** The form for a limit of the policies. */
const PolicyCandidate = z.object({ ...shared, ...typedLimitFields });
/** The form for a named limit. */
const NamedCandidate = z.object({ ...shared, ...numbersFormFields });

/** Values of both forms, so that another limit can be chosen. */
type CandidateValues = z.input<typeof PolicyCandidate> & z.input<typeof NamedCandidate>;

const findName = (place: CandidatePlace) => {
  const parts = splitPlace(place);
  return parts.group === 'limits' ? parts.limit : null;
};

interface CandidateDialogProps {
  candidate?: CandidateLimit;
  /** The limit that a new candidate shadows at first. */
  place?: CandidatePlace;
  /** Numbers that a new candidate starts from. */
  typed?: TypedNumbers | undefined;
  onClose: () => void;
}

/** Sets or replaces a candidate limit. Loads the named limits first, because the form starts from them. */
export default function CandidateDialog(props: CandidateDialogProps) {
  const limits = useNamedLimits();
  const key = limits.data === undefined ? 'loading' : 'loaded';
  return <CandidateForm key={key} {...props} limits={limits.data?.value} loadError={limits.error} />;
}

type FormProps = CandidateDialogProps & { limits: NamedLimit[] | undefined; loadError: unknown };

function CandidateForm({ candidate, place: first = 'classes.read.ip', typed, limits, loadError, onClose }: FormProps) {
  const findLimit = (place: CandidatePlace) => limits?.find(({ name }) => name === findName(place));
  const started = candidate?.place ?? first;
  const numbers = candidate ?? typed?.numbers;
  const policy = numbers !== undefined && 'limit' in numbers ? numbers : undefined;
  const own = candidate ?? (numbers !== undefined && !('limit' in numbers) ? numbers : undefined);
  const form = useForm<CandidateValues, unknown, CandidateValues>({
    // The other form's fields have no inputs, and are not validated.
    resolver: (values, context, options) => {
      const schema = findName(values.place as CandidatePlace) === null ? PolicyCandidate : NamedCandidate;
      return zodResolver(schema, {}, { raw: true })(values, context, options as never) as never;
    },
    defaultValues: {
      place: started,
      limit: policy === undefined ? '' : String(policy.limit),
      window_seconds: String(policy?.window_seconds ?? 60),
      ...buildNumbersValues(findLimit(started), own),
      expiry: candidate === undefined ? { preset: '7d' as const, custom: '' } : buildExpiryChoice(candidate.ends_at),
      reason: candidate?.reason ?? typed?.reason ?? '',
    },
  });
  const { control } = form;
  const place = useWatch({ control, name: 'place' }) as CandidatePlace;
  const limit = findLimit(place);
  const chooseLimit = (next: string) => {
    const numbers = buildNumbersValues(findLimit(next as CandidatePlace));
    form.setValue('windows', numbers.windows);
    form.setValue('in_flight', numbers.in_flight);
  };
  return (
    <FormDialog
      form={form}
      title={candidate === undefined ? 'Try a limit' : `Change the candidate of ${namePlace(place)}`}
      description="It counts the requests that the live limit counts, and refuses none. Its counters start empty."
      submitLabel={candidate === undefined ? 'Try' : 'Save'}
      loading={limits === undefined}
      loadError={loadError}
      send={(values) => {
        const { place: tried, reason, expiry, ...rest } = values;
        const named = findLimit(tried as CandidatePlace);
        const numbers =
          named === undefined
            ? { limit: Number(rest.limit), window_seconds: Number(rest.window_seconds) }
            : buildNamedNumbers(rest, named);
        const ends_at = computeExpiry(expiry, Date.now());
        return call(setCandidate, { body: { place: tried, reason, ...numbers, ends_at } });
      }}
      changes="candidates"
      done={({ value: saved, auditSeq }) => {
        typed?.onStarted?.();
        return {
          title: `${formatLimitNumbers(saved)} is the candidate of ${namePlace(saved.place)} now`,
          description: `Its counters start empty. They cover a full window after ${formatWindow(saved.window_seconds)}.`,
          auditSeq,
        };
      }}
      onClose={onClose}
    >
      <SelectField
        control={control}
        name="place"
        label="Limit"
        options={listPlaces(limits ?? [])}
        disabled={candidate !== undefined}
        onChosen={chooseLimit}
      />
      {limit === undefined ? <PolicyNumbers /> : <NamedNumbers limit={limit} />}
      <ExpiryField control={control} name="expiry" />
      <ReasonField control={control} name="reason" example="Is 60 a minute enough for everyone?" />
    </FormDialog>
  );
}

function NamedNumbers({ limit }: { limit: NamedLimit }) {
  return (
    <>
      <NumbersFields limit={limit} />
      <p className="text-xs text-muted-foreground tabular-nums">Live: {describeNumbersInline(limit)}.</p>
    </>
  );
}

/** Inputs for the one window of a limit of the policies. */
function PolicyNumbers() {
  const { control } = useFormContext<CandidateValues>();
  const place = useWatch({ control, name: 'place' }) as CandidatePlace;
  const policies = usePolicies().data?.value;
  const parts = splitPlace(place);
  const live =
    parts.group === 'classes'
      ? policies?.classes[parts.class][parts.subject]
      : parts.group === 'clients'
        ? policies?.clients[parts.client]
        : undefined;
  return (
    <div className="flex flex-col gap-2">
      <TypedLimitInputs />
      <p className="min-h-4 text-xs text-muted-foreground tabular-nums" aria-live="polite">
        {live === undefined ? null : `Live: ${formatLimitNumbers(live)}.`}
      </p>
    </div>
  );
}
