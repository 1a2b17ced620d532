import { useId } from 'react';
import { type FieldValues, useController } from 'react-hook-form';
import { z } from 'zod';
import { EVENT_NAMES } from '@/components/alerts/event-names';
import type { FormFieldProps } from '@/components/form/fields/field';
import { TextField } from '@/components/form/fields/text-field';
import { Checkbox } from '@/components/ui/checkbox';
import { Label } from '@/components/ui/label';
import { ALERT_EVENTS, type AlertEvent } from '@/lib/contract/alerts';
import type { WebhookFormat } from '@/lib/contract/webhooks';

export const EventsInput = z.array(z.enum(ALERT_EVENTS)).min(1, 'Choose at least one.');

/**
 * Converts the selection for the API. Selecting all events sends an empty list, which includes events of later
 * versions.
 */
export function encodeEvents(chosen: AlertEvent[]): AlertEvent[] {
  return chosen.length === ALERT_EVENTS.length ? [] : chosen;
}

/** Selects the alerts that a webhook sends. */
export function EventsField<Values extends FieldValues, Context, Output>(
  props: Pick<FormFieldProps<Values, Context, Output>, 'control' | 'name'>,
) {
  const { field, fieldState } = useController(props);
  const id = useId();
  const chosen: readonly AlertEvent[] = field.value;
  const { error } = fieldState;
  const choose = (event: AlertEvent, isChosen: boolean) =>
    field.onChange(ALERT_EVENTS.filter((each) => (each === event ? isChosen : chosen.includes(each))));
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5" aria-describedby={error ? `${id}-error` : undefined}>
      <legend className="mb-1.5 text-sm font-medium">Alerts</legend>
      <div className="grid grid-cols-2 gap-x-4 gap-y-2">
        {ALERT_EVENTS.map((event, index) => (
          <div key={event} className="flex items-center gap-2">
            <Checkbox
              id={`${id}-${event}`}
              ref={index === 0 ? field.ref : undefined}
              checked={chosen.includes(event)}
              onCheckedChange={(checked) => choose(event, checked === true)}
              onBlur={field.onBlur}
              aria-invalid={error ? true : undefined}
            />
            <Label htmlFor={`${id}-${event}`} className="font-normal">
              {EVENT_NAMES[event]}
            </Label>
          </div>
        ))}
      </div>
      {error ? (
        <p id={`${id}-error`} className="text-xs text-destructive-text">
          {error.message}
        </p>
      ) : null}
    </fieldset>
  );
}

const LABELS = {
  email: { label: 'E-mail address', placeholder: 'oncall@example.com' },
  url: { label: 'URL', placeholder: 'https://hooks.example.com/sluice' },
} as const;

/** Field for the target of a webhook: a URL, or an address if the format is mail. */
export function TargetField<Values extends FieldValues, Context, Output>({
  format,
  ...props
}: Pick<FormFieldProps<Values, Context, Output>, 'control' | 'name' | 'hint'> & { format: WebhookFormat }) {
  return <TextField {...props} {...LABELS[format === 'email' ? 'email' : 'url']} code />;
}

/** Converts the typed target into the URL that the API expects. */
export function buildUrl(typed: string, format: WebhookFormat): string {
  return format === 'email' ? `mailto:${removeScheme(typed)}` : typed;
}

/** Returns a mail address without its `mailto:` scheme. */
export function removeScheme(url: string): string {
  return url.replace(/^mailto:/i, '');
}

/** Explains why the typed text is not a valid target for the format. Returns null if it may be one. */
export function findTargetFault(typed: string, format: WebhookFormat): string | null {
  if (format === 'email') return /^[^\s@,;]+@[^\s@,;]+$/.test(removeScheme(typed)) ? null : 'Enter one e-mail address.';
  return typed === '' ? 'Enter a URL.' : null;
}
