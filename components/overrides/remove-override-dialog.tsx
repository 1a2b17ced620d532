import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import { FormDialog } from '@/components/form/form-dialog';
import { PreviewNote } from '@/components/form/preview-note';
import { ReasonField, ReasonInput } from '@/components/form/reason-field';
import { formatWindow } from '@/components/format/duration';
import { formatNumber } from '@/components/format/number';
import { usePolicies } from '@/components/policies/policies';
import { shorten } from '@/components/ui/shorten';
import { CLASS_NAMES } from '@/components/vocabulary/class-names';
import { type Override, removeOverride } from '@/lib/contract/overrides';
import type { Limit } from '@/lib/contract/policies';

const RemoveForm = z.object({ reason: ReasonInput });
const words = ({ limit, window_seconds }: Limit) => `${formatNumber(limit)} in ${formatWindow(window_seconds)}`;

interface RemoveOverrideDialogProps {
  override: Pick<Override, 'type' | 'identifier' | 'class' | 'limit' | 'window_seconds' | 'managed'>;
  onClose: () => void;
}

/** Removes an override, says which limit applies then, and offers to undo it. */
export default function RemoveOverrideDialog({ override, onClose }: RemoveOverrideDialogProps) {
  const { type, identifier, class: endpointClass } = override;
  const form = useForm({ resolver: zodResolver(RemoveForm), defaultValues: { reason: '' } });
  const policy = usePolicies().data?.value.classes[endpointClass][type === 'ip' ? 'ip' : 'user'];
  const then = policy === undefined ? '' : `: ${words(override)} → ${words(policy)}`;
  return (
    <FormDialog
      form={form}
      title={`Remove the override of ${shorten(identifier)}?`}
      description={`The ${CLASS_NAMES[endpointClass]} limit of the policy applies again from the next request${then}, unless a wider override covers it.`}
      submitLabel="Remove"
      destructive
      send={({ reason }) =>
        call(removeOverride, { body: { type, identifier, class: endpointClass }, query: { reason } })
      }
      changes={['overrides', 'exceptions']}
      managed={override.managed ? { kind: 'overrides', id: `${type} ${identifier} ${endpointClass}` } : null}
      done={({ auditSeq }) => ({
        title: `The override of ${shorten(identifier)} is removed`,
        description: 'From the next request.',
        auditSeq,
      })}
      onClose={onClose}
    >
      <PreviewNote contract={removeOverride} input={{ body: { type, identifier, class: endpointClass } }} />
      <ReasonField control={form.control} name="reason" example="The contract has ended" />
    </FormDialog>
  );
}
