import { zodResolver } from '@hookform/resolvers/zod';
import { type ReactNode, useMemo } from 'react';
import { useController, useForm, useFormContext, useWatch } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import { useCall } from '@/components/api/use-call';
import { SavedConflict } from '@/components/form/draft/draft-note';
import {
  buildExpiryChoice,
  computeExpiry,
  ExpiryChoice,
  ExpiryField,
  LONG,
} from '@/components/form/fields/expiry-field';
import { Field } from '@/components/form/fields/field';
import { NumberInput } from '@/components/form/fields/number-input';
import { ReasonField, ReasonInput } from '@/components/form/fields/reason-field';
import { SelectField } from '@/components/form/fields/select-field';
import { SwitchField } from '@/components/form/fields/switch-field';
import { NameInput, TextField } from '@/components/form/fields/text-field';
import { FormDialog } from '@/components/form/form-dialog';
import { PreviewNote } from '@/components/form/preview-note';
import { usePolicies } from '@/components/policies/policies';
import type { RowDialogProps } from '@/components/shell/action';
import { buildTierOptions } from '@/components/vocabulary/tiers';
import { ClientTypeSchema, QuotaTierSchema } from '@/lib/contract/fields/enumerations';
import { type ApiKeyWithUsage, createApiKey, getApiKey, updateApiKey } from '@/lib/contract/keys';
import { formatNumber } from '@/lib/format-number';

const KeyForm = z.object({
  name: NameInput,
  client_type: ClientTypeSchema,
  user_id: z.string(),
  overage_allowed: z.boolean(),
  month_starts_on: z.int('Enter a day, 1 to 31.').min(1, 'At least 1.').max(31, 'At most 31.'),
  expiry: ExpiryChoice,
});
const NewKeyForm = KeyForm.extend({ tier: QuotaTierSchema });

type KeyValues = z.input<typeof KeyForm>;

interface KeyInputsProps {
  free: boolean;
  nameHint?: string;
  /** Content below the field for the start of the month. */
  month?: ReactNode;
  children?: ReactNode;
}

/** Inputs of `KeyForm`, inside a `FormProvider`. `children` come between name and client. */
function KeyInputs({ free, nameHint, month, children }: KeyInputsProps) {
  const { control } = useFormContext<KeyValues>();
  const limits = usePolicies().data?.value.clients;
  const buildClientOption = (value: 'public' | 'confidential', label: string) => {
    const limit = limits?.[value];
    return { value, label, hint: limit ? `${formatNumber(limit.limit)} in ${limit.window_seconds} s` : undefined };
  };
  return (
    <>
      <TextField
        control={control}
        name="name"
        label="Name"
        placeholder="Billing service"
        autoComplete="off"
        hint={nameHint}
      />
      <div className="grid auto-cols-fr grid-flow-col gap-3 max-sm:grid-flow-row">
        {children}
        <SelectField
          control={control}
          name="client_type"
          label="Client"
          options={[buildClientOption('confidential', 'Confidential'), buildClientOption('public', 'Public')]}
        />
      </div>
      <TextField
        control={control}
        name="user_id"
        label="User"
        optional
        code
        hint="Requests with this key count against this user."
      />
      <SwitchField
        control={control}
        name="overage_allowed"
        label="Allow overage"
        hint={free ? 'Not on the free tier.' : 'Requests beyond the monthly quota are served and counted.'}
        disabled={free}
      />
      <MonthField />
      {month}
      <ExpiryField control={control} name="expiry" presets={LONG} />
    </>
  );
}

/** Field for the day on which the quota's months begin. */
function MonthField() {
  const { control } = useFormContext<KeyValues>();
  const { field, fieldState } = useController({ control, name: 'month_starts_on' });
  const hint = 'At 00:00 UTC, or on the last day of a shorter month. Usage stays counted until then.';
  return (
    <Field label="Month starts on day" hint={hint} error={fieldState.error?.message}>
      {(ids) => (
        <>
          <NumberInput {...ids} {...field} className="w-20" />
          <SavedConflict path={field.name} words={String} />
        </>
      )}
    </Field>
  );
}

/** Shows when the current month of a key would end after the edit, and its usage so far. */
function MonthNote({ id, saved }: { id: string; saved: number }) {
  const { control } = useFormContext<KeyValues>();
  const day = useWatch({ control, name: 'month_starts_on' });
  const isMoved = day !== saved && KeyForm.shape.month_starts_on.safeParse(day).success;
  const input = isMoved ? { params: { id }, body: { month_starts_on: day } } : null;
  return <PreviewNote contract={updateApiKey} input={input} />;
}

export function CreateKeyDialog({ onClose }: { onClose: () => void }) {
  const tiers = usePolicies().data?.value.tiers;
  const form = useForm({
    resolver: zodResolver(NewKeyForm),
    defaultValues: {
      name: '',
      tier: 'free' as const,
      client_type: 'confidential' as const,
      user_id: '',
      overage_allowed: false,
      month_starts_on: 1,
      expiry: { preset: 'never' as const, custom: '' },
    },
  });
  const tier = useWatch({ control: form.control, name: 'tier' });
  return (
    <FormDialog
      form={form}
      title="New API key"
      submitLabel="Create key"
      send={({ expiry, user_id, overage_allowed, ...values }) =>
        call(createApiKey, {
          body: {
            ...values,
            user_id: user_id || null,
            expires_at: computeExpiry(expiry, Date.now()),
            overage_allowed: values.tier !== 'free' && overage_allowed,
          },
        })
      }
      changes="api-keys"
      done={({ value: { name, secret } }) => ({
        title: `${name} is ready`,
        note: 'Give this secret to the client that will use it.',
        secret,
        usage: `X-API-Key: ${secret}`,
      })}
      onClose={onClose}
    >
      <KeyInputs free={tier === 'free'}>
        <SelectField control={form.control} name="tier" label="Tier" options={buildTierOptions(tiers)} />
      </KeyInputs>
    </FormDialog>
  );
}

/** Accepts an unchanged expiry, even if it has passed. */
function createExpirySchema(timestamp: string | null) {
  const saved = JSON.stringify(buildExpiryChoice(timestamp));
  return z.object({ preset: ExpiryChoice.shape.preset, custom: z.string() }).superRefine((choice, context) => {
    if (JSON.stringify(choice) === saved) return;
    for (const issue of ExpiryChoice.safeParse(choice).error?.issues ?? []) {
      context.addIssue({ code: 'custom', message: issue.message, path: issue.path });
    }
  });
}

/**
 * Edits a key. If another member saved first, their version is loaded beneath the edits, and the next save is based on
 * it.
 */
export function EditKeyDialog({ row: apiKey, onClose }: RowDialogProps<ApiKeyWithUsage>) {
  const { id } = apiKey;
  const cached = { staleTime: Number.POSITIVE_INFINITY, gcTime: 0 };
  const newest = useCall(['api-keys', id, 'edit'], getApiKey, { params: { id } }, cached);
  const key = newest.data?.value ?? apiKey;
  const schema = useMemo(
    () => KeyForm.extend({ expiry: createExpirySchema(key.expires_at), reason: ReasonInput }),
    [key.expires_at],
  );
  const values = useMemo(() => {
    const { name, client_type, user_id, overage_allowed, month_starts_on, expires_at } = key;
    const unchanged = { name, client_type, overage_allowed, month_starts_on };
    return { ...unchanged, user_id: user_id ?? '', expiry: buildExpiryChoice(expires_at), reason: '' };
  }, [key]);
  const form = useForm({ resolver: zodResolver(schema), values, resetOptions: { keepDirtyValues: true } });
  const dirty = form.formState.dirtyFields;
  return (
    <FormDialog
      form={form}
      title={`Edit ${apiKey.name}`}
      description="The secret, the tier and the usage do not change."
      submitLabel="Save"
      loading={newest.isPending}
      loadError={newest.error}
      onStale={() => void newest.refetch()}
      send={({ expiry, user_id, reason, ...edited }) => {
        const body = {
          ...(dirty.name ? { name: edited.name } : {}),
          ...(dirty.client_type ? { client_type: edited.client_type } : {}),
          ...(dirty.user_id ? { user_id: user_id === '' ? null : user_id } : {}),
          ...(dirty.overage_allowed ? { overage_allowed: edited.overage_allowed } : {}),
          ...(dirty.month_starts_on ? { month_starts_on: edited.month_starts_on } : {}),
          ...(dirty.expiry ? { expires_at: computeExpiry(expiry, Date.now()) } : {}),
        };
        return call(updateApiKey, { params: { id }, query: { reason }, body, ifMatch: newest.data?.etag });
      }}
      managed={apiKey.managed ? { kind: 'api_keys', id: apiKey.name } : null}
      changes="api-keys"
      done={({ auditSeq }, { name }) => ({
        title: `${name} is saved`,
        description: 'The change applies from the next request.',
        auditSeq,
      })}
      onClose={onClose}
    >
      <KeyInputs
        free={key.tier === 'free'}
        nameHint={
          dirty.name && key.name !== apiKey.name ? `Saved by someone else in the meantime: ${key.name}` : undefined
        }
        month={<MonthNote id={id} saved={key.month_starts_on} />}
      />
      <ReasonField control={form.control} name="reason" example="Requested by the customer, ticket 900" />
    </FormDialog>
  );
}
