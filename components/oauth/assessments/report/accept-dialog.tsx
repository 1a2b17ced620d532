import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import { TextField } from '@/components/form/fields/text-field';
import { FormDialog } from '@/components/form/form-dialog';
import type { AssessmentReport } from '@/lib/contract/assessment-report';
import { acceptFinding } from '@/lib/contract/assessments';
import { ReasonSchema } from '@/lib/contract/fields/text';
import { TimestampInput } from '@/lib/contract/fields/timestamp';

const isInFuture = (text: string) => (TimestampInput.safeParse(text).data ?? 0) > Date.now();

const AcceptanceForm = z.object({
  reason: ReasonSchema,
  /** Day on whose start the acceptance ends. If empty, it lasts until withdrawn. */
  until: z.string().refine((day) => day === '' || isInFuture(`${day}T00:00:00Z`), 'Choose a day in the future.'),
});

interface AcceptDialogProps {
  report: AssessmentReport;
  finding: AssessmentReport['findings'][number];
  onClose: () => void;
}

/** Accepts a failed control of a target, with a reason and an end. */
export default function AcceptDialog({ report: { id, target, kind }, finding, onClose }: AcceptDialogProps) {
  const { accepted, control, wrong } = finding;
  const form = useForm({
    resolver: zodResolver(AcceptanceForm),
    defaultValues: { reason: accepted?.reason ?? '', until: accepted?.until?.slice(0, 10) ?? '' },
  });
  return (
    <FormDialog
      form={form}
      title={accepted ? 'Edit the acceptance' : 'Accept this finding'}
      description={`“${wrong}” is accepted in every assessment of ${kind === 'lab' ? 'the lab' : target}. It still counts in the grade.`}
      submitLabel={accepted ? 'Save' : 'Accept'}
      send={({ reason, until }) =>
        call(acceptFinding, {
          params: { id, control },
          body: { reason, until: until === '' ? null : `${until}T00:00:00Z` },
        })
      }
      changes="assessments"
      done={() => ({ title: 'The finding is accepted' })}
      onClose={onClose}
    >
      <TextField
        control={form.control}
        name="reason"
        label="Reason"
        placeholder="Legacy client until the migration"
        multiline
      />
      <TextField
        control={form.control}
        name="until"
        type="date"
        label="Until"
        hint="The finding opens again at the start of this day (UTC). Empty: until it is withdrawn."
        optional
      />
    </FormDialog>
  );
}
