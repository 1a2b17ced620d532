import { zodResolver } from '@hookform/resolvers/zod';
import { ArrowRight } from 'lucide-react';
import { useForm, useWatch } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import { ReasonField, ReasonInput } from '@/components/form/fields/reason-field';
import { SelectField } from '@/components/form/fields/select-field';
import { FormDialog } from '@/components/form/form-dialog';
import { PreviewNote } from '@/components/form/preview-note';
import { useQuota } from '@/components/keys/key-dialog';
import { usePolicies } from '@/components/policies/policies';
import type { RowDialogProps } from '@/components/shell/action';
import { buildTierOptions, TIER_NAMES } from '@/components/vocabulary/tiers';
import { QuotaTierSchema } from '@/lib/contract/fields/enumerations';
import type { ApiKeyWithUsage } from '@/lib/contract/keys';
import { changeTier } from '@/lib/contract/quota';
import { formatNumber } from '@/lib/format-number';

const TierForm = z.object({ tier: QuotaTierSchema, reason: ReasonInput });

/** Changes the tier of a key. It shows the old and the new limit, and refuses to overwrite another member's change. */
export default function TierDialog({ row: apiKey, onClose }: RowDialogProps<ApiKeyWithUsage>) {
  const { id, name } = apiKey;
  const limits = usePolicies().data?.value.tiers;
  const quota = useQuota(id);
  const now = quota.data?.value ?? apiKey;
  const ChangeForm = TierForm.refine(({ tier }) => tier !== now.tier, {
    path: ['tier'],
    error: `The key is on ${TIER_NAMES[now.tier]} already. Choose another tier.`,
  });
  const form = useForm({ resolver: zodResolver(ChangeForm), defaultValues: { tier: apiKey.tier, reason: '' } });
  const tier = useWatch({ control: form.control, name: 'tier' });
  const used = now.usage ?? 0;
  const next = limits?.[tier];
  return (
    <FormDialog
      form={form}
      title={`Change tier of ${name}`}
      submitLabel="Change tier"
      onStale={() => void quota.refetch()}
      send={({ reason, ...body }) =>
        call(changeTier, { params: { api_key: id }, query: { reason }, body, ifMatch: quota.data?.etag })
      }
      changes="api-keys"
      managed={apiKey.managed ? { kind: 'api_keys', id: apiKey.name } : null}
      done={({ auditSeq }, saved) => ({
        title: `${name} is on ${TIER_NAMES[saved.tier]}`,
        description: 'The new limit applies at once.',
        auditSeq,
      })}
      onClose={onClose}
    >
      <SelectField control={form.control} name="tier" label="Tier" options={buildTierOptions(limits)} />
      <div className="flex items-center gap-3 rounded-md bg-muted px-3 py-2.5 text-sm tabular-nums" aria-live="polite">
        <Side label={`Now: ${TIER_NAMES[now.tier]}`} limit={now.limit} />
        <ArrowRight aria-hidden className="size-4 shrink-0 text-muted-foreground" />
        <Side label={`New: ${TIER_NAMES[tier]}`} limit={next} />
      </div>
      <p className="text-xs text-muted-foreground">
        {formatNumber(used)} used this month; changing the tier does not reset that.
      </p>
      <PreviewNote
        contract={changeTier}
        input={tier === now.tier ? null : { params: { api_key: id }, body: { tier } }}
      />
      <ReasonField control={form.control} name="reason" example="Upgraded by sales, order 4711" />
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
