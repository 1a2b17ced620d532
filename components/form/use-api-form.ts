import { useState } from 'react';
import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form';
import { CallError } from '@/components/api-client';

export interface ApiFormOptions<Values extends FieldValues> {
  /** Fields for paths of the API's `details` that differ from them. */
  fieldNames?: Partial<Record<string, FieldPath<Values>>>;
  /** Runs when someone else changed the resource meanwhile (412), to fetch what they saved. */
  onStale?: () => void;
}

/**
 * Submits a form to the API. What the API refuses by field is shown at the field; the rest is `fault`, for the form's
 * head. Values stay as they were typed.
 */
export function useApiForm<Values extends FieldValues, Context, Output extends FieldValues>(
  form: UseFormReturn<Values, Context, Output>,
  send: (values: Output) => Promise<unknown>,
  { fieldNames = {}, onStale }: ApiFormOptions<Values> = {},
) {
  const [fault, setFault] = useState<unknown>(null);
  const submit = form.handleSubmit(async (values) => {
    setFault(null);
    try {
      await send(values);
    } catch (error) {
      if (error instanceof CallError && error.status === 412) onStale?.();
      if (!placeDetails(form, error, fieldNames)) setFault(error);
    }
  });
  return { submit, fault, clearFault: () => setFault(null) };
}

/** Puts the details at their fields; true when every one of them found its place. */
function placeDetails<Values extends FieldValues, Context, Output>(
  form: UseFormReturn<Values, Context, Output>,
  error: unknown,
  names: NonNullable<ApiFormOptions<Values>['fieldNames']>,
): boolean {
  if (!(error instanceof CallError) || error.details.length === 0) return false;
  const fields = Object.keys(form.getValues());
  let placed = 0;
  for (const detail of error.details) {
    const ownPath = fields.includes(detail.path.split('.')[0] ?? '') ? (detail.path as FieldPath<Values>) : null;
    const path = names[detail.path] ?? ownPath;
    if (path === null) continue;
    form.setError(path, { type: 'server', message: sentence(detail.message) }, { shouldFocus: placed === 0 });
    placed += 1;
  }
  return placed === error.details.length;
}

function sentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
