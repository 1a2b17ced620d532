import { zodResolver } from '@hookform/resolvers/zod';
import type { ReactNode } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import type { CallAnswer } from '@/components/api/call';
import { ReasonField, ReasonInput } from '@/components/form/fields/reason-field';
import { FormDialog } from '@/components/form/form-dialog';
import type { Managed } from '@/components/form/managed/managed';
import type { Secret } from '@/components/form/secret-panel';

const ReasonForm = z.object({ reason: ReasonInput });

interface ReasonDialogProps {
  title: string;
  description: ReactNode;
  submitLabel: string;
  /** Sample reason, shown as a placeholder. */
  example: string;
  /** Makes the change. A returned secret is shown instead of the toast. */
  send: (reason: string) => Promise<CallAnswer<unknown> | Secret>;
  /** Preview of the affected traffic. */
  preview?: ReactNode;
  /** True if the change takes no access away. */
  mild?: boolean;
  /** Query key of the resource that `send` changes. */
  changes: string | readonly string[];
  /** Object that the change concerns, if a state document manages it. */
  managed?: Managed | null;
  /** Text of the toast, unless `send` returns a secret. The toast offers Undo unless the change is `final`. */
  done?: string;
  /** Second line of the toast. */
  afterwards?: string;
  final?: boolean;
  onClose: () => void;
}

/** Dialog behind `useReasonDialog`. */
export default function ReasonDialog(props: ReasonDialogProps) {
  const { example, send, done = '', afterwards: description, preview, mild, final, ...dialog } = props;
  const form = useForm({ resolver: zodResolver(ReasonForm), defaultValues: { reason: '' } });
  return (
    <FormDialog
      {...dialog}
      form={form}
      destructive={!mild}
      send={({ reason }) => send(reason)}
      done={(answer) =>
        'secret' in answer ? answer : { title: done, description, auditSeq: final ? null : answer.auditSeq }
      }
    >
      {preview}
      <ReasonField control={form.control} name="reason" example={example} />
    </FormDialog>
  );
}
