import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type FieldValues, FormProvider, type UseFormReturn } from 'react-hook-form';
import { useUndo } from '@/components/api/use-undo';
import { FormFault, SubmittedForm, useApiForm } from '@/components/form/api-form';
import { DraftNote } from '@/components/form/draft-note';
import { DiscardQuestion, useLeaveGuard } from '@/components/form/leave-guard';
import type { Managed } from '@/components/form/managed';
import { ManagedNote } from '@/components/form/managed-note';
import { type Secret, SecretPanel } from '@/components/form/secret-panel';
import { DraftProvider, useDraft } from '@/components/form/use-draft';
import { Button } from '@/components/ui/button';
import { Dialog, DialogContent, DialogFrame } from '@/components/ui/dialog';

interface FormDialogProps<Values extends FieldValues, Context, Output extends FieldValues, Result> {
  form: UseFormReturn<Values, Context, Output>;
  title: string;
  description?: ReactNode;
  submitLabel?: string;
  destructive?: boolean;
  /** What the form changes, where a state document sets it. */
  managed?: Managed | null | undefined;
  loading?: boolean;
  loadError?: unknown;
  /** Runs when someone else changed the resource meanwhile (412), to fetch what they saved. */
  onStale?: () => void;
  send: (values: Output) => Promise<Result>;
  /** The first parts of the query keys of what it changes, the resource itself first. */
  changes: string | readonly string[];
  /** What the toast says once the change is made, with Undo where there is an `auditSeq`; or what is shown in place of the form. */
  done: (
    result: Result,
    values: Output,
  ) =>
    | (Omit<Parameters<ReturnType<typeof useUndo>['offer']>[0], 'auditSeq'> & {
        auditSeq?: number | readonly number[] | null;
      })
    | Secret
    | { panel: ReactNode };
  /**
   * Names the draft by what the form edits, such as `key 0198...`. Without it the draft has the name of the title and is
   * restored only where the form starts from the same values; `false` keeps none.
   */
  draft?: string | false;
  onClose: () => void;
  children: ReactNode;
}

/** A form in a dialog that makes one change over the API. Its inputs stand in a `FormProvider`. */
export function FormDialog<Values extends FieldValues, Context, Output extends FieldValues, Result>(
  props: FormDialogProps<Values, Context, Output, Result>,
) {
  const { form, description, destructive, loading, loadError, onClose, children } = props;
  // What it changes is read again before it closes, and may be named by another title then.
  const title = useHeld(props.title, form.formState.isSubmitting);
  const submitLabel = useHeld(props.submitLabel ?? props.title, form.formState.isSubmitting);
  const queries = useQueryClient();
  const { offer } = useUndo();
  const changed = [props.changes].flat();
  const [panel, setPanel] = useState<ReactNode>(null);
  const draft = useDraft(form, {
    name: props.draft === false ? null : `${changed[0]} ${props.draft ?? title}`,
    saved: (form.formState.defaultValues ?? {}) as Values,
    strict: props.draft === undefined,
  });
  const [asking, setAsking] = useState(false);
  const { submit, fault } = useApiForm(
    form,
    async (values) => {
      const result = await props.send(values);
      await Promise.all([...changed, 'audit'].map((resource) => queries.invalidateQueries({ queryKey: [resource] })));
      draft.drop();
      const outcome = props.done(result, values);
      if ('panel' in outcome) return setPanel(outcome.panel);
      if ('secret' in outcome) return setPanel(<SecretPanel {...outcome} onClose={onClose} />);
      offer({ ...outcome, auditSeq: outcome.auditSeq ?? null });
      onClose();
    },
    props.onStale,
  );
  const pending = form.formState.isSubmitting || loading === true;
  const typed = form.formState.isDirty && panel === null;
  useLeaveGuard(typed);
  const giveUp = () => {
    draft.drop();
    onClose();
  };
  /** By Escape, a click outside or the cross: not over something typed without asking. */
  const close = () => {
    if (pending) return;
    if (typed) setAsking(!asking);
    else giveUp();
  };
  if (panel) return panel;
  return (
    <Dialog open onOpenChange={close}>
      <DialogContent {...(description ? {} : { 'aria-describedby': undefined })}>
        <SubmittedForm submit={submit} className="contents">
          <DialogFrame
            title={title}
            description={description}
            footer={
              asking ? (
                <DiscardQuestion onKeep={() => setAsking(false)} onDiscard={giveUp} />
              ) : (
                <>
                  <Button variant="ghost" disabled={pending} onClick={giveUp}>
                    Cancel
                  </Button>
                  <Button type="submit" variant={destructive ? 'destructive' : 'default'} pending={pending}>
                    {submitLabel}
                  </Button>
                </>
              )
            }
          >
            <FormFault error={fault ?? loadError} />
            <ManagedNote managed={props.managed} />
            <DraftNote draft={draft} />
            <DraftProvider value={draft}>
              <FormProvider {...form}>{children}</FormProvider>
            </DraftProvider>
          </DialogFrame>
        </SubmittedForm>
      </DialogContent>
    </Dialog>
  );
}

/** `value`; while `held`, what it was before. */
function useHeld<T>(value: T, held: boolean): T {
  const [last, setLast] = useState(value);
  if (!held && last !== value) setLast(value);
  return held ? last : value;
}
