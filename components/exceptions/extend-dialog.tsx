import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { findBatchFault } from '@/components/api/batch-fault';
import { call } from '@/components/api/call';
import { listAuditRecords } from '@/components/batch/run-batch';
import { endException } from '@/components/exceptions/exception-calls';
import { KIND_NAMES, nameSubject } from '@/components/exceptions/exception-words';
import { buildExpiryChoice, computeExpiry, ExpiryChoice, ExpiryField } from '@/components/form/fields/expiry-field';
import { ReasonField, ReasonInput } from '@/components/form/fields/reason-field';
import { FormDialog } from '@/components/form/form-dialog';
import type { Managed } from '@/components/form/managed/managed';
import { formatAbsoluteTime } from '@/components/format/time';
import { useTimeZone } from '@/components/format/time-zone';
import { buildLongestEnd, useLongestLife, validateLife } from '@/components/policies/longest-life';
import type { RowDialogProps } from '@/components/shell/action';
import { runBatch } from '@/lib/contract/batch';
import type { Exception } from '@/lib/contract/exceptions';

const ExtendForm = z.object({ expiry: ExpiryChoice, reason: ReasonInput });

/** Names the exemption as a state document does. */
function identifyManaged({ kind, type, identifier, class: name, limit_name, api_key_name: key }: Exception): Managed {
  if (kind === 'grant') return { kind: 'grants', id: key ?? identifier };
  if (kind === 'override') return { kind: 'overrides', id: `${type} ${identifier} ${name ?? limit_name}` };
  return { kind: 'allowlist', id: `${type} ${identifier}` };
}

/** Changes the end of an exemption and keeps everything else. */
export default function ExtendDialog({ row: exception, onClose }: RowDialogProps<Exception>) {
  const { kind, managed, reason } = exception;
  const { zone } = useTimeZone();
  const longest = useLongestLife();
  const form = useForm({
    resolver: zodResolver(ExtendForm.superRefine(validateLife(longest))),
    defaultValues: { expiry: buildExpiryChoice(exception.ends_at), reason },
  });
  return (
    <FormDialog
      form={form}
      title={`Change the expiry of ${nameSubject(exception)}`}
      description={`${KIND_NAMES[kind]}. Only its end and its reason change.`}
      submitLabel="Save"
      send={async ({ expiry, reason: why }) => {
        const end = computeExpiry(expiry, Date.now());
        const { operation, item } = endException(exception, { end, reason: why });
        const [result] = (await call(runBatch, { body: { operation, items: [item] } })).value.results;
        const fault = findBatchFault(result);
        if (fault !== null) throw fault;
        return { end, undo: listAuditRecords(operation, result?.audit_seq ?? null) };
      }}
      changes={['exceptions', 'allowlist', 'overrides', 'api-keys']}
      managed={managed ? identifyManaged(exception) : null}
      done={({ end, undo }) => ({
        title: `${nameSubject(exception)} ${end === null ? 'has no end' : `ends ${formatAbsoluteTime(end, zone)}`}`,
        auditSeq: undo,
      })}
      onClose={onClose}
    >
      <ExpiryField control={form.control} name="expiry" never={kind !== 'grant'} longest={buildLongestEnd(longest)} />
      <ReasonField control={form.control} name="reason" example="The partner still needs it" />
    </FormDialog>
  );
}
