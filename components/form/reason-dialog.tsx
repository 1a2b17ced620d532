import { zodResolver } from '@hookform/resolvers/zod';
import type { ReactNode } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import type { CallAnswer } from '@/components/api/call';
import { FormDialog } from '@/components/form/form-dialog';
import { ReasonField, ReasonInput } from '@/components/form/reason-field';

const ReasonForm = z.object({ reason: ReasonInput });

interface ReasonDialogProps {
  title: string;
  description: ReactNode;
  submitLabel: string;
  /** Sample reason, shown as a placeholder. */
  example: string;
  send: (reason: string) => Promise<CallAnswer<unknown>>;
  /** Preview of the affected traffic. */
  preview?: ReactNode;
  /** True if the change takes no access away. */
  mild?: boolean;
  /** Query key of the resource that `send` changes. */
  changes: string | readonly string[];
  /** Text of the toast. The toast offers Undo unless the change is `final`. */
  done: string;
  final?: boolean;
  onClose: () => void;
}

/** Dialog behind `useReasonDialog`. */
export default function ReasonDialog({ example, send, done, preview, mild, final, ...dialog }: ReasonDialogProps) {
  const form = useForm({ resolver: zodResolver(ReasonForm), defaultValues: { reason: '' } });
  return (
    <FormDialog
      {...dialog}
      form={form}
      destructive={!mild}
      send={({ reason }) => send(reason)}
      done={({ auditSeq }) => ({ title: done, auditSeq: final ? null : auditSeq })}
    >
      {preview}
      <ReasonField control={form.control} name="reason" example={example} />
    </FormDialog>
  );
}
