import { zodResolver } from '@hookform/resolvers/zod';
import { useForm, useWatch } from 'react-hook-form';
import { z } from 'zod';
import { PrivateTargetNote } from '@/components/alerts/private-target-note';
import {
  buildUrl,
  EventsField,
  EventsInput,
  encodeEvents,
  findTargetFault,
  TargetField,
} from '@/components/alerts/webhook-fields';
import { call } from '@/components/api/call';
import { SelectField } from '@/components/form/fields/select-field';
import { NameInput, TextField } from '@/components/form/fields/text-field';
import { FormDialog } from '@/components/form/form-dialog';
import { Alert } from '@/components/ui/alert';
import { ALERT_EVENTS } from '@/lib/contract/alerts';
import { createWebhook } from '@/lib/contract/webhooks';

const WebhookForm = z
  .object({
    name: NameInput,
    format: z.enum(['standard', 'slack', 'discord', 'email']),
    url: z.string().trim(),
    events: EventsInput,
  })
  .superRefine(({ url, format }, context) => {
    const message = findTargetFault(url, format);
    if (message !== null) context.addIssue({ code: 'custom', path: ['url'], message });
  });

const FORMATS = [
  { value: 'standard', label: 'Standard Webhooks', hint: 'signed JSON' },
  { value: 'slack', label: 'Slack' },
  { value: 'discord', label: 'Discord' },
  { value: 'email', label: 'E-mail', hint: 'plain text' },
];

/** @param hasMail whether a mail server is configured */
export default function CreateWebhookDialog({ hasMail, onClose }: { hasMail: boolean; onClose: () => void }) {
  const form = useForm({
    resolver: zodResolver(WebhookForm),
    defaultValues: { name: '', format: 'standard' as const, url: '', events: [...ALERT_EVENTS] },
  });
  const { control } = form;
  const [format, url] = useWatch({ control, name: ['format', 'url'] });
  return (
    <FormDialog
      form={form}
      title="New webhook"
      submitLabel="Create webhook"
      send={({ name, url, events, format }) =>
        call(createWebhook, { body: { name, format, url: buildUrl(url, format), events: encodeEvents(events) } })
      }
      changes="webhooks"
      // The URL often contains a credential, so drafts never store it.
      draft={false}
      done={({ value: { name, secret } }) =>
        secret === null
          ? { title: `${name} is ready` }
          : {
              title: `${name} is ready`,
              note: 'The receiver verifies signatures with this secret.',
              secret,
              isKept: true,
            }
      }
      onClose={onClose}
    >
      <TextField control={control} name="name" label="Name" placeholder="On-call" autoComplete="off" />
      <SelectField control={control} name="format" label="Format" options={FORMATS} />
      {format === 'email' && !hasMail ? (
        <Alert variant="warning">
          No mail server is configured. Set <code>SLUICE_SMTP_URL</code> and <code>SLUICE_SMTP_FROM</code>, and restart
          Sluice.
        </Alert>
      ) : null}
      <TargetField
        control={control}
        name="url"
        format={format}
        hint={format === 'email' ? undefined : 'https, or http for a private host.'}
      />
      {format === 'email' ? null : <PrivateTargetNote url={url.trim()} />}
      <EventsField control={control} name="events" />
    </FormDialog>
  );
}
