import { zodResolver } from '@hookform/resolvers/zod';
import { ArrowRight } from 'lucide-react';
import { useForm, useWatch } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/call';
import { FormDialog } from '@/components/form/form-dialog';
import { SelectField } from '@/components/form/select-field';
import { TextField } from '@/components/form/text-field';
import { formatNumber } from '@/components/format/number';
import { TIER_NAMES, tierOptions } from '@/components/keys/tiers';
import { usePolicies } from '@/components/limits/policies';
import { Alert } from '@/components/ui/alert';
import { useCall } from '@/components/use-call';
import { QuotaTierSchema } from '@/lib/contract/fields/enumerations';
import { type ApiKeyWithUsage, rotateApiKey } from '@/lib/contract/keys';
import { changeTier, getQuota, resetQuota } from '@/lib/contract/quota';

interface KeyDialogProps {
  apiKey: ApiKeyWithUsage;
  onClose: () => void;
}

const TierForm = z.object({ tier: QuotaTierSchema });

/** Changes the tier of a key; shows the old and the new limit, and refuses to overwrite someone else's change. */
export function TierDialog({ apiKey, onClose }: KeyDialogProps) {
  const { id, name } = apiKey;
  const limits = usePolicies().data?.value.tiers;
  const quota = useCall(['api-keys', id, 'quota'], getQuota, { params: { api_key: id } }, { staleTime: 0 });
  const form = useForm({ resolver: zodResolver(TierForm), defaultValues: { tier: apiKey.tier } });
  const tier = useWatch({ control: form.control, name: 'tier' });
  const now = quota.data?.value ?? apiKey;
  const used = now.usage ?? 0;
  const next = limits?.[tier];
  return (
    <FormDialog
      form={form}
      title={`Change tier of ${name}`}
      submitLabel="Change tier"
      onStale={() => void quota.refetch()}
      send={(body) => call(changeTier, { params: { api_key: id }, body, ifMatch: quota.data?.etag })}
      changes="api-keys"
      done={(_, saved) => ({
        title: `${name} is on ${TIER_NAMES[saved.tier]}`,
        description: 'The new limit applies at once.',
      })}
      onClose={onClose}
    >
      <SelectField control={form.control} name="tier" label="Tier" options={tierOptions(limits)} />
      <div className="flex items-center gap-3 rounded-md bg-muted px-3 py-2.5 text-sm tabular-nums" aria-live="polite">
        <Side label={`Now, ${TIER_NAMES[now.tier]}`} limit={now.limit} />
        <ArrowRight aria-hidden className="size-4 shrink-0 text-muted-foreground" />
        <Side label={`Then, ${TIER_NAMES[tier]}`} limit={next} />
      </div>
      <p className="text-xs text-muted-foreground">
        {formatNumber(used)} used this month; changing the tier does not reset that.
      </p>
      {next !== undefined && used >= next && tier !== now.tier ? (
        <Alert variant="warning" title="This would exhaust the quota at once">
          It has used {formatNumber(used)} of the {formatNumber(next)} that the new tier allows.
        </Alert>
      ) : null}
    </FormDialog>
  );
}

function Side({ label, limit }: { label: string; limit: number | undefined }) {
  return (
    <div className="min-w-0 flex-1">
      <div className="text-xs text-muted-foreground">{label}</div>
      <div className="font-medium">{limit === undefined ? '…' : formatNumber(limit)}</div>
    </div>
  );
}

const ResetForm = z.object({
  reason: z
    .string()
    .trim()
    .refine((text) => [...text].length <= 500, 'At most 500 characters.'),
});

export function ResetUsageDialog({ apiKey: { id, name, usage }, onClose }: KeyDialogProps) {
  const form = useForm({ resolver: zodResolver(ResetForm), defaultValues: { reason: '' } });
  return (
    <FormDialog
      form={form}
      title={`Reset usage of ${name}?`}
      description={`${formatNumber(usage ?? 0)} requests of this month are forgiven. The history stays; the reset cannot be undone.`}
      submitLabel="Reset usage"
      destructive
      send={({ reason }) => call(resetQuota, { params: { api_key: id }, body: reason === '' ? {} : { reason } })}
      changes="api-keys"
      done={() => ({ title: `Usage of ${name} was reset` })}
      onClose={onClose}
    >
      <TextField
        control={form.control}
        name="reason"
        label="Reason"
        optional
        multiline
        placeholder="Runaway job of the customer, agreed with support"
        hint="Kept in the audit log."
      />
    </FormDialog>
  );
}

const GRACE = [
  { value: '0', label: 'None', hint: 'the old secret stops at once' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
];

const RotateForm = z.object({ grace: z.enum(['0', '3600', '86400', '604800']) });

/** Gives a key a new secret and shows it once. */
export function RotateDialog({ apiKey: { id, name }, onClose }: KeyDialogProps) {
  const form = useForm({ resolver: zodResolver(RotateForm), defaultValues: { grace: '86400' as const } });
  return (
    <FormDialog
      form={form}
      title={`Rotate the secret of ${name}`}
      description="The key keeps its id, tier and usage. Both secrets work until the grace period ends."
      submitLabel="Rotate"
      send={({ grace }) => call(rotateApiKey, { params: { id }, body: { grace_seconds: Number(grace) } })}
      changes="api-keys"
      done={({ value: { secret } }) => ({
        title: `New secret of ${name}`,
        note: 'Replace the old one with it before the grace period ends.',
        secret,
        usage: `X-API-Key: ${secret}`,
      })}
      onClose={onClose}
    >
      <SelectField control={form.control} name="grace" label="Grace period" options={GRACE} />
    </FormDialog>
  );
}
