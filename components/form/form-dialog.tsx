import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import { FormFault } from '@/components/form/form-fault';
import { type ApiFormOptions, useApiForm } from '@/components/form/use-api-form';
import { Button } from '@/components/ui/button';
import { Dialog, DialogContent, DialogFrame } from '@/components/ui/dialog';

interface FormDialogProps<Values extends FieldValues, Context, Output extends FieldValues, Result>
  extends ApiFormOptions<Values> {
  form: UseFormReturn<Values, Context, Output>;
  title: string;
  description?: ReactNode;
  submitLabel: string;
  destructive?: boolean;
  /** What the form edits is still loading. */
  loading?: boolean;
  /** Why it could not be loaded. */
  loadError?: unknown;
  send: (values: Output) => Promise<Result>;
  /** Query key of the resource that `send` changes. */
  changes: string;
  /** Runs once the change is made and the lists are fresh. */
  done: (result: Result, values: Output) => void;
  onClose: () => void;
  children: ReactNode;
}

/** A form in a dialog that makes one change over the API. */
export function FormDialog<Values extends FieldValues, Context, Output extends FieldValues, Result>({
  form,
  title,
  description,
  submitLabel,
  destructive,
  loading,
  loadError,
  send,
  changes,
  done,
  onClose,
  children,
  ...options
}: FormDialogProps<Values, Context, Output, Result>) {
  const queries = useQueryClient();
  const { submit, fault } = useApiForm(
    form,
    async (values) => {
      const result = await send(values);
      await queries.invalidateQueries({ queryKey: [changes] });
      done(result, values);
    },
    options,
  );
  const pending = form.formState.isSubmitting || loading === true;
  return (
    <Dialog open onOpenChange={() => (pending ? undefined : onClose())}>
      <DialogContent {...(description ? {} : { 'aria-describedby': undefined })}>
        <form
          noValidate
          className="contents"
          onSubmit={(event) => {
            event.stopPropagation();
            void submit(event);
          }}
        >
          <DialogFrame
            title={title}
            description={description}
            footer={
              <>
                <Button variant="ghost" disabled={pending} onClick={onClose}>
                  Cancel
                </Button>
                <Button type="submit" variant={destructive ? 'destructive' : 'default'} pending={pending}>
                  {submitLabel}
                </Button>
              </>
            }
          >
            <FormFault error={fault ?? loadError} />
            {children}
          </DialogFrame>
        </form>
      </DialogContent>
    </Dialog>
  );
}
