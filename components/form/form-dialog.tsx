import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type FieldValues, FormProvider, type UseFormReturn } from 'react-hook-form';
import { FormFault, useApiForm } from '@/components/form/api-form';
import { CopyButton } from '@/components/format/copy-button';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Dialog, DialogContent, DialogFrame } from '@/components/ui/dialog';
import { toast } from '@/components/ui/toast';

interface Secret {
  title: string;
  note: string;
  secret: string;
  /** How the secret is sent, as a header. */
  usage: string;
}

interface FormDialogProps<Values extends FieldValues, Context, Output extends FieldValues, Result> {
  form: UseFormReturn<Values, Context, Output>;
  title: string;
  description?: ReactNode;
  submitLabel?: string;
  destructive?: boolean;
  loading?: boolean;
  loadError?: unknown;
  /** Runs when someone else changed the resource meanwhile (412), to fetch what they saved. */
  onStale?: () => void;
  send: (values: Output) => Promise<Result>;
  changes: string;
  /** What the toast says once the change is made, or the secret to show in place of the form. */
  done: (result: Result, values: Output) => { title: string; description?: string } | Secret;
  onClose: () => void;
  children: ReactNode;
}

/** A form in a dialog that makes one change over the API. Its inputs stand in a `FormProvider`. */
export function FormDialog<Values extends FieldValues, Context, Output extends FieldValues, Result>(
  props: FormDialogProps<Values, Context, Output, Result>,
) {
  const { form, title, description, submitLabel = title, destructive, loading, loadError, onClose, children } = props;
  const queries = useQueryClient();
  const [secret, setSecret] = useState<Secret | null>(null);
  const { submit, fault } = useApiForm(
    form,
    async (values) => {
      const result = await props.send(values);
      await queries.invalidateQueries({ queryKey: [props.changes] });
      const outcome = props.done(result, values);
      if ('secret' in outcome) return setSecret(outcome);
      toast.success(outcome.title, { description: outcome.description });
      onClose();
    },
    props.onStale,
  );
  const pending = form.formState.isSubmitting || loading === true;
  if (secret) return <SecretPanel {...secret} onClose={onClose} />;
  return (
    <Dialog open onOpenChange={() => (pending ? undefined : onClose())}>
      <DialogContent {...(description ? {} : { 'aria-describedby': undefined })}>
        <form
          method="post"
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
            <FormProvider {...form}>{children}</FormProvider>
          </DialogFrame>
        </form>
      </DialogContent>
    </Dialog>
  );
}

/** Shows a secret once. Closes by its button only, so that a stray key press cannot lose it. */
function SecretPanel({ title, secret, note, usage, onClose }: Secret & { onClose: () => void }) {
  const keep = (event: Event) => event.preventDefault();
  return (
    <Dialog open>
      <DialogContent
        className="[&>button:last-child]:hidden"
        onEscapeKeyDown={keep}
        onPointerDownOutside={keep}
        onInteractOutside={keep}
      >
        <DialogFrame title={title} description={note} footer={<Button onClick={onClose}>I have stored it</Button>}>
          <div className="flex items-center gap-1 rounded-md border bg-muted py-1.5 pr-1.5 pl-3">
            <code className="min-w-0 flex-1 font-mono text-xs break-all select-all">{secret}</code>
            <CopyButton value={secret} label="Copy secret" />
          </div>
          <Alert variant="warning">This is the only time it is shown. Sluice stores only a hash.</Alert>
          <div>
            <p className="mb-1.5 text-xs text-muted-foreground">Send it with every request:</p>
            <pre className="rounded-md bg-muted px-3 py-2 font-mono text-xs break-all whitespace-pre-wrap">{usage}</pre>
          </div>
        </DialogFrame>
      </DialogContent>
    </Dialog>
  );
}
