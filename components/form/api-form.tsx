import { type BaseSyntheticEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form';
import { CallError } from '@/components/api/call';
import { explainError } from '@/components/api/explain-error';
import { RemedyLink } from '@/components/api/remedy-link';
import { formatSentence } from '@/components/form/format-sentence';
import { DatedText } from '@/components/format/dated-text';
import { Alert } from '@/components/ui/alert';

/**
 * Submits a form to the API. Errors of a field appear at the field, other errors in `fault`. `onStale` runs if another
 * member saved first (412).
 */
export function useApiForm<Values extends FieldValues, Context, Output extends FieldValues>(
  form: UseFormReturn<Values, Context, Output>,
  send: (values: Output) => Promise<unknown>,
  onStale?: () => void,
) {
  const [fault, setFault] = useState<unknown>(null);
  const submit = form.handleSubmit(async (values) => {
    setFault(null);
    try {
      await send(values);
    } catch (error) {
      if (error instanceof CallError && error.status === 412) onStale?.();
      if (!showDetails(form, error)) setFault(error);
    }
  }, focusFirstFault);
  return { submit, fault, clearFault: () => setFault(null) };
}

interface SubmittedFormProps {
  submit: (event: BaseSyntheticEvent) => Promise<void>;
  className: string;
  children: ReactNode;
}

/** Form element that may be inside another form's component tree, for example in a dialog. */
export function SubmittedForm({ submit, className, children }: SubmittedFormProps) {
  return (
    <form
      method="post"
      noValidate
      className={className}
      onSubmit={(event) => {
        event.stopPropagation();
        void submit(event);
      }}
    >
      {children}
    </form>
  );
}

/** Focuses the first faulty field in the order of the page, not of the form's values. */
function focusFirstFault(_: unknown, event?: BaseSyntheticEvent): void {
  const form: unknown = event?.target;
  if (!(form instanceof HTMLFormElement)) return;
  // Waits one frame, until the errors are rendered.
  requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}

/** Shows each error at its field. Returns true if every error has a field. */
function showDetails<Values extends FieldValues, Context, Output>(
  form: UseFormReturn<Values, Context, Output>,
  error: unknown,
): boolean {
  if (!(error instanceof CallError) || error.details.length === 0) return false;
  const fields = Object.keys(form.getValues());
  let placed = 0;
  for (const { path: apiPath, message } of error.details) {
    // The API calls the field of an `ExpiryField` `expires_at`.
    const path = apiPath === 'expires_at' ? 'expiry.custom' : apiPath;
    if (!fields.includes(path.split('.')[0] ?? '')) continue;
    form.setError(
      path as FieldPath<Values>,
      { type: 'server', message: formatSentence(message) },
      { shouldFocus: placed === 0 },
    );
    placed += 1;
  }
  return placed === error.details.length;
}

/** Shows an error that belongs to no single field. It takes the focus when it appears. */
export function FormFault({ error }: { error: unknown }) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (error) ref.current?.focus();
  }, [error]);
  if (!error) return null;
  const { title, text, link } = explainError(error);
  const details = error instanceof CallError && link === undefined ? error.details : [];
  return (
    <div ref={ref} tabIndex={-1} role="alert" className="rounded-md outline-none">
      <Alert variant="destructive" title={title}>
        <DatedText>{text}</DatedText>
        {link ? (
          <p className="mt-2">
            <RemedyLink link={link} small />
          </p>
        ) : null}
        {details.length > 0 ? (
          <ul className="mt-1 list-disc pl-4">
            {details.map((detail) => (
              <li key={`${detail.path} ${detail.message}`}>
                <code className="font-mono text-xs">{detail.path}</code> {detail.message}
              </li>
            ))}
          </ul>
        ) : null}
      </Alert>
    </div>
  );
}
