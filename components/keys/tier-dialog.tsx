'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowRight } from 'lucide-react';
import { useForm, useWatch } from 'react-hook-form';
import { toast } from 'sonner';
import { z } from 'zod';
import { ApiError } from '@/components/api-client';
import { FormDialog } from '@/components/form/form-dialog';
import { SelectField } from '@/components/form/select-field';
import { useApiForm } from '@/components/form/use-api-form';
import { formatNumber } from '@/components/format/number';
import { changeTier, keysKey, readQuota } from '@/components/keys/keys-api';
import { TIER_NAMES, TIERS } from '@/components/keys/tiers';
import { usePolicies } from '@/components/limits/use-policies';
import { Alert } from '@/components/ui/alert';
import { QuotaTierSchema } from '@/lib/contract/fields/enumerations';
import type { ApiKeyWithUsage } from '@/lib/contract/keys';

const TierForm = z.object({ tier: QuotaTierSchema });

/** Changes the tier of a key; shows the old and the new limit, and refuses to overwrite someone else's change. */
export function TierDialog({ row, onClose }: { row: ApiKeyWithUsage; onClose: () => void }) {
  const queries = useQueryClient();
  const limits = usePolicies().data?.policies.tiers;
  const quota = useQuery({
    queryKey: [...keysKey, row.id, 'quota'],
    queryFn: ({ signal }) => readQuota(row.id, signal),
    staleTime: 0,
  });
  const form = useForm({ resolver: zodResolver(TierForm), defaultValues: { tier: row.tier } });
  const tier = useWatch({ control: form.control, name: 'tier' });
  const { submit, fault } = useApiForm(form, async (values) => {
    await changeTier(row.id, values.tier, quota.data?.etag ?? null).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 412) void quota.refetch();
      throw error;
    });
    await queries.invalidateQueries({ queryKey: keysKey });
    toast.success(`${row.name} is on ${TIER_NAMES[values.tier]}`, { description: 'The new limit holds at once.' });
    onClose();
  });
  const now = quota.data?.usage.tier ?? row.tier;
  const used = quota.data?.usage.usage ?? row.usage ?? 0;
  const limit = quota.data?.usage.limit ?? row.limit;
  const next = limits?.[tier];
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={`Change tier of ${row.name}`}
      submitLabel="Change tier"
      pending={form.formState.isSubmitting}
      fault={fault}
      onSubmit={submit}
    >
      <SelectField
        control={form.control}
        name="tier"
        label="Tier"
        options={TIERS.map((value) => ({
          value,
          label: TIER_NAMES[value],
          hint: limits ? `${formatNumber(limits[value])} a month` : undefined,
        }))}
      />
      <div className="flex items-center gap-3 rounded-md bg-muted px-3 py-2.5 text-sm tabular-nums" aria-live="polite">
        <Side label={`Now, ${TIER_NAMES[now]}`} limit={limit} />
        <ArrowRight aria-hidden className="size-4 shrink-0 text-muted-foreground" />
        <Side label={`Then, ${TIER_NAMES[tier]}`} limit={next} />
      </div>
      <p className="text-xs text-muted-foreground">
        {formatNumber(used)} used this month; a change of tier does not touch that.
      </p>
      {next !== undefined && used >= next && tier !== now ? (
        <Alert variant="warning" title="The key would be used up at once">
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
