import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import { ReasonField, ReasonInput } from '@/components/form/fields/reason-field';
import { FormDialog } from '@/components/form/form-dialog';
import { formatDate } from '@/components/format/time';
import { useQuota } from '@/components/keys/key-dialog';
import type { RowDialogProps } from '@/components/shell/action';
import type { ApiKeyWithUsage } from '@/lib/contract/keys';
import { resetQuota } from '@/lib/contract/quota';
import { formatCount, formatNumber } from '@/lib/format-number';

const ResetForm = z.object({ reason: ReasonInput });

/** Forgives a key's usage of this month and explains the effect first. */
export default function ResetUsageDialog({ row: apiKey, onClose }: RowDialogProps<ApiKeyWithUsage>) {
  const { id, name } = apiKey;
  const { usage, limit, reset_at } = useQuota(id).data?.value ?? apiKey;
  const { granted } = apiKey;
  const form = useForm({ resolver: zodResolver(ResetForm), defaultValues: { reason: '' } });
  return (
    <FormDialog
      form={form}
      title={`Reset usage of ${name}?`}
      description={describeReset(usage ?? 0, { limit, granted }, reset_at)}
      submitLabel="Reset usage"
      destructive
      send={(body) => call(resetQuota, { params: { api_key: id }, body })}
      changes="api-keys"
      done={({ auditSeq }) => ({
        title: `Usage of ${name} was reset`,
        description: `${formatNumber(limit)} requests are available again.`,
        auditSeq,
      })}
      onClose={onClose}
    >
      <ReasonField control={form.control} name="reason" example="Runaway job at the customer, agreed with support" />
    </FormDialog>
  );
}

/**
 * Describes the reset: `94,359 used requests of this month are forgiven; 100,000 are available until 1 Dec (UTC). The
 * history stays.` The part of grants may end earlier, so it is named.
 */
export function describeReset(
  used: number,
  { limit, granted }: { limit: number; granted: number },
  resetAt: string,
): string {
  const forgiven =
    used === 1 ? '1 used request of this month is' : `${formatCount(used, 'used request')} of this month are`;
  const day = formatDate(resetAt, 'UTC');
  const available =
    granted === 0
      ? `${formatNumber(limit)} are available until ${day} (UTC)`
      : `${formatNumber(limit)} are available, ${formatNumber(granted)} of them until their grants end, the others until ${day} (UTC)`;
  return `${forgiven} forgiven; ${available}. The history stays.`;
}
