import { zodResolver } from '@hookform/resolvers/zod';
import { useForm, useWatch } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import { ReasonInput } from '@/components/form/fields/reason-field';
import { SelectField } from '@/components/form/fields/select-field';
import { ActionForm, type Done } from '@/components/help/actions/action-form';
import { describeEffect, predictEffect } from '@/components/help/effect';
import { usePolicies } from '@/components/policies/policies';
import { buildTierOptions, TIER_NAMES } from '@/components/vocabulary/tiers';
import type { DecisionExplanation } from '@/lib/contract/explain';
import { QuotaTierSchema } from '@/lib/contract/fields/enumerations';
import { changeTier } from '@/lib/contract/quota';
import { formatNumber } from '@/lib/format-number';

const TierForm = z.object({ tier: QuotaTierSchema, reason: ReasonInput });

export interface QuotaActionProps {
  explanation: DecisionExplanation;
  quota: NonNullable<DecisionExplanation['quota']>;
  onDone: (done: Done) => void;
}

/** Moves the key to another tier permanently. */
export function TierAction({ explanation, quota, onDone }: QuotaActionProps) {
  const limits = usePolicies().data?.value.tiers;
  const tiers = QuotaTierSchema.options;
  const larger = tiers[Math.min(tiers.indexOf(quota.tier) + 1, tiers.length - 1)] ?? quota.tier;
  const form = useForm({ resolver: zodResolver(TierForm), defaultValues: { tier: larger, reason: '' } });
  const tier = useWatch({ control: form.control, name: 'tier' });
  const next = limits?.[tier];
  const more = next === undefined ? null : next - quota.limit;
  return (
    <ActionForm
      form={form}
      draft={`tier of ${quota.api_key_id}`}
      effect={
        next === undefined || more === null
          ? 'Reading the tiers…'
          : `${formatNumber(quota.limit)} → ${formatNumber(next)} a month; ${describeEffect(predictEffect(explanation, { kind: 'quota', more }))}.`
      }
      warning={
        more !== null && more < 0
          ? { title: 'Less than now', text: `${formatNumber(quota.limit)} applies now. This restricts the key.` }
          : null
      }
      managed={quota.source.managed ? { kind: 'api_keys', id: quota.name } : null}
      submitLabel={`Change to ${TIER_NAMES[tier]}`}
      reasonExample="Upgraded their plan, invoice 2210"
      send={({ tier: chosen, reason }) =>
        call(changeTier, { params: { api_key: quota.api_key_id }, body: { tier: chosen }, query: { reason } })
      }
      done={(values) => `${quota.name} is on the ${TIER_NAMES[values.tier]} tier.`}
      onDone={onDone}
    >
      <SelectField control={form.control} name="tier" label="Tier" options={buildTierOptions(limits)} />
    </ActionForm>
  );
}
