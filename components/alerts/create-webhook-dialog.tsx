import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { EVENT_NAMES } from '@/components/alerts/event-names';
import { call } from '@/components/call';
import { FormDialog } from '@/components/form/form-dialog';
import { SelectField } from '@/components/form/select-field';
import { NameInput, TextField } from '@/components/form/text-field';
import { ALERT_EVENTS } from '@/lib/contract/alerts';
import { createWebhook } from '@/lib/contract/webhooks';

const ALL = 'all';
const WebhookForm = z.object({
  name: NameInput,
  url: z.string().trim().min(1, 'Enter a URL.'),
  format: z.enum(['standard', 'slack', 'discord']),
  events: z.enum([ALL, ...ALERT_EVENTS]),
});

const FORMATS = [
  { value: 'standard', label: 'Standard Webhooks', hint: 'signed JSON' },
  { value: 'slack', label: 'Slack' },
  { value: 'discord', label: 'Discord' },
];
const EVENTS = [
  { value: ALL, label: 'All alerts' },
  ...ALERT_EVENTS.map((event) => ({ value: event, label: EVENT_NAMES[event] })),
];

export default function CreateWebhookDialog({ onClose }: { onClose: () => void }) {
  const form = useForm({
    resolver: zodResolver(WebhookForm),
    defaultValues: { name: '', url: '', format: 'standard' as const, events: ALL as typeof ALL },
  });
  const { control } = form;
  return (
    <FormDialog
      form={form}
      title="New webhook"
      submitLabel="Create webhook"
      send={({ events, ...webhook }) =>
        call(createWebhook, { body: { ...webhook, events: events === ALL ? [] : [events] } })
      }
      changes="webhooks"
      // An address is often a credential.
      draft={false}
      done={({ value: { name, secret } }) =>
        secret === null
          ? { title: `${name} is ready` }
          : { title: `${name} is ready`, note: 'The receiver verifies signatures with this secret.', secret }
      }
      onClose={onClose}
    >
      <TextField control={control} name="name" label="Name" placeholder="On-call" autoComplete="off" />
      <TextField
        control={control}
        name="url"
        label="URL"
        hint="https; private addresses need SLUICE_ASSESS_ALLOW."
        placeholder="https://hooks.example.com/sluice"
        autoComplete="off"
        code
      />
      <SelectField control={control} name="format" label="Format" options={FORMATS} />
      <SelectField control={control} name="events" label="Alerts" options={EVENTS} />
    </FormDialog>
  );
}
