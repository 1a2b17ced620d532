import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type FieldValues, FormProvider, type UseFormReturn } from 'react-hook-form';
import { useUndo } from '@/components/api/use-undo';
import { FormFault, SubmittedForm, useApiForm } from '@/components/form/api-form';
import { DraftNote } from '@/components/form/draft/draft-note';
import { DraftProvider, useDraft } from '@/components/form/draft/use-draft';
import { DiscardQuestion, useLeaveGuard } from '@/components/form/leave-guard';
import type { Managed } from '@/components/form/managed/managed';
import { ManagedNote } from '@/components/form/managed/managed-note';
import { type Secret, SecretPanel } from '@/components/form/secret-panel';
import { Button } from '@/components/ui/button';
import { Dialog, DialogContent, DialogFrame } from '@/components/ui/dialog';

interface FormDialogProps<Values extends FieldValues, Context, Output extends FieldValues, Result> {
  form: UseFormReturn<Values, Context, Output>;
  title: string;
  description?: ReactNode;
  submitLabel?: string;
  destructive?: boolean;
  /** Resource that the form changes, if a state document manages it. */
  managed?: Managed | null | undefined;
  loading?: boolean;
  loadError?: unknown;
  /** Runs if another member changed the resource first (412). It refetches the saved values. */
  onStale?: () => void;
  send: (values: Output) => Promise<Result>;
  /** First parts of the query keys that the form invalidates, the resource itself first. */
  changes: string | readonly string[];
  /**
   * Text of the toast after the change, with Undo if there is an `auditSeq`. It may also return content that replaces
   * the form.
   */
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
   * Names the draft by the edited object: `key 0198...`. By default the draft is named after the title and restored
   * only if the form starts from the same values. `false` stores no draft.
   */
  draft?: string | false;
  /** Alternatives to the submit button. */
  instead?: ReactNode;
  onClose: () => void;
  children: ReactNode;
}

/** Dialog with a form that makes one change over the API. It wraps its inputs in a `FormProvider`. */
export function FormDialog<Values extends FieldValues, Context, Output extends FieldValues, Result>(
  props: FormDialogProps<Values, Context, Output, Result>,
) {
  const { form, description, destructive, loading, loadError, onClose, children } = props;
  // The data is refetched before the dialog closes, which could change the title; it is held until then.
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
  const discardAndClose = () => {
    draft.drop();
    onClose();
  };
  /** Closing by Escape, an outside click or the cross asks first if anything was typed. */
  const close = () => {
    if (pending) return;
    if (typed) setAsking(!asking);
    else discardAndClose();
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
                <DiscardQuestion onKeep={() => setAsking(false)} onDiscard={discardAndClose} />
              ) : (
                <>
                  <Button variant="ghost" disabled={pending} onClick={discardAndClose}>
                    Cancel
                  </Button>
                  {props.instead}
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

/** Returns `value`. While `held` is true, it returns the last value from before. */
function useHeld<T>(value: T, held: boolean): T {
  const [last, setLast] = useState(value);
  if (!held && last !== value) setLast(value);
  return held ? last : value;
}
