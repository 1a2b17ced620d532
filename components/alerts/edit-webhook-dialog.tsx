import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import {
  buildUrl,
  EventsField,
  EventsInput,
  encodeEvents,
  findTargetFault,
  removeScheme,
  TargetField,
} from '@/components/alerts/webhook-fields';
import { call } from '@/components/api/call';
import { ReasonField, ReasonInput } from '@/components/form/fields/reason-field';
import { NameInput, TextField } from '@/components/form/fields/text-field';
import { FormDialog } from '@/components/form/form-dialog';
import type { RowDialogProps } from '@/components/shell/action';
import { ALERT_EVENTS } from '@/lib/contract/alerts';
import { updateWebhook, type Webhook } from '@/lib/contract/webhooks';

/** Edits the name, target and alerts of a webhook. The target is shown masked, because it may contain a credential. */
export default function EditWebhookDialog({ row: webhook, onClose }: RowDialogProps<Webhook>) {
  const { id, name, url: shown, format, events, unreadable } = webhook;
  const isLost = unreadable.includes('url');
  const form = useForm({
    resolver: zodResolver(
      z.object({
        name: NameInput,
        url: z
          .string()
          .trim()
          .superRefine((typed, context) => {
            const message = typed === '' && !isLost ? null : findTargetFault(typed, format);
            if (message !== null) context.addIssue({ code: 'custom', message });
          }),
        events: EventsInput,
        reason: ReasonInput,
      }),
    ),
    defaultValues: { name, url: '', events: events.length === 0 ? [...ALERT_EVENTS] : events, reason: '' },
  });
  const { control } = form;
  return (
    <FormDialog
      form={form}
      title={`Edit ${name}`}
      submitLabel="Save webhook"
      send={({ name, url, events, reason }) =>
        call(updateWebhook, {
          params: { id },
          query: { reason },
          body: { name, events: encodeEvents(events), ...(url === '' ? {} : { url: buildUrl(url, format) }) },
        })
      }
      changes="webhooks"
      draft={false}
      done={({ auditSeq }, values) => ({ title: `${values.name} is saved`, auditSeq })}
      onClose={onClose}
    >
      <TextField control={control} name="name" label="Name" autoComplete="off" />
      <TargetField
        control={control}
        name="url"
        format={format}
        hint={
          isLost ? 'It was lost with the previous AUTH_SECRET. Enter it again.' : `Empty: stays ${removeScheme(shown)}`
        }
      />
      <EventsField control={control} name="events" />
      <ReasonField control={control} name="reason" example="The receiver has moved" />
    </FormDialog>
  );
}
