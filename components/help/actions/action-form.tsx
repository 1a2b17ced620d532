import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form';
import { FormFault, SubmittedForm, useApiForm } from '@/components/form/api-form';
import { DraftNote } from '@/components/form/draft/draft-note';
import { useDraft } from '@/components/form/draft/use-draft';
import { ReasonField } from '@/components/form/fields/reason-field';
import { useLeaveGuard } from '@/components/form/leave-guard';
import type { Managed } from '@/components/form/managed/managed';
import { ManagedNote } from '@/components/form/managed/managed-note';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';

/** A finished action, with what the drawer needs to report and undo it. */
export interface Done {
  text: string;
  auditSeq: number | null;
}

interface ActionFormProps<Values extends FieldValues, Context, Output extends FieldValues> {
  form: UseFormReturn<Values, Context, Output>;
  /** Names the draft by action and target: `raise read of 203.0.113.7`. */
  draft: string;
  /** Describes the effect: `8 → 16 in 1 min until 11:40; the next request would be allowed.` */
  effect: ReactNode;
  /** Warns of a surprising side effect. */
  warning?: { title: string; text: ReactNode } | null;
  /** Object that the action changes, if a state document manages it. */
  managed?: Managed | null;
  submitLabel: string;
  reasonExample: string;
  send: (values: Output) => Promise<{ auditSeq: number | null }>;
  /** Describes the finished action, in the past tense. */
  done: (values: Output) => string;
  onDone: (done: Done) => void;
  children?: ReactNode;
}

/** Form of one action in the drawer: its inputs, a reason, and a preview of the effect. */
export function ActionForm<Values extends FieldValues, Context, Output extends FieldValues>(
  props: ActionFormProps<Values, Context, Output>,
) {
  const { form, effect, warning, submitLabel, reasonExample, send, done, onDone, children } = props;
  const queries = useQueryClient();
  const saved = (form.formState.defaultValues ?? {}) as Values;
  const draft = useDraft(form, { name: `help ${props.draft}`, saved });
  useLeaveGuard(form.formState.isDirty);
  const { submit, fault } = useApiForm(form, async (values) => {
    const { auditSeq } = await send(values);
    await queries.invalidateQueries();
    draft.drop();
    onDone({ text: done(values), auditSeq });
  });
  return (
    <SubmittedForm submit={submit} className="flex flex-col gap-3 px-3 pt-1 pb-3.5">
      <FormFault error={fault} />
      <DraftNote draft={draft} />
      {children}
      <p aria-live="polite" className="rounded-md bg-muted px-2.5 py-2 text-sm tabular-nums">
        {effect}
      </p>
      {warning ? (
        <Alert variant="warning" title={warning.title}>
          {warning.text}
        </Alert>
      ) : null}
      <ManagedNote managed={props.managed} />
      <ReasonField control={form.control} name={'reason' as FieldPath<Values>} example={reasonExample} />
      <Button type="submit" className="self-end max-sm:w-full" pending={form.formState.isSubmitting}>
        {submitLabel}
      </Button>
    </SubmittedForm>
  );
}
