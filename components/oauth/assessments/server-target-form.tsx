'use client';

import { type ReactNode, useState } from 'react';
import { Field } from '@/components/form/field';
import type { AssessmentOrder } from '@/components/oauth/assessments/use-assessments';
import { Alert } from '@/components/ui/alert';
import { Input } from '@/components/ui/input';

const FIELDS = [
  {
    name: 'issuer',
    label: 'Issuer',
    hint: 'Its metadata says where the rest is.',
    type: 'url',
    required: true,
    placeholder: 'https://login.example.com',
  },
  {
    name: 'client_id',
    label: 'Client id',
    hint: 'A client that you registered there for this.',
    type: 'text',
    required: true,
    placeholder: '',
  },
  {
    name: 'client_secret',
    label: 'Client secret',
    hint: 'Leave empty for a public client. It stays out of the evidence.',
    type: 'password',
    required: false,
    placeholder: '',
  },
  {
    name: 'redirect_uri',
    label: 'Redirect URI',
    hint: 'As it is registered. Nothing is sent to it.',
    type: 'text',
    required: true,
    placeholder: 'https://app.example.com/callback',
  },
  {
    name: 'scope',
    label: 'Scope',
    hint: 'Enough for the resource below.',
    type: 'text',
    required: true,
    placeholder: 'openid',
  },
  {
    name: 'resource',
    label: 'Protected resource',
    hint: 'An address that answers GET with an access token.',
    type: 'url',
    required: false,
    placeholder: 'https://api.example.com/me',
  },
  {
    name: 'cookie',
    label: 'Cookie of a signed-in browser',
    hint: 'For servers that show a page. It stays out of the evidence.',
    type: 'password',
    required: false,
    placeholder: '',
  },
] as const;
type Values = Record<(typeof FIELDS)[number]['name'], string>;

function bodyOf(values: Values) {
  const { issuer, client_id, client_secret, redirect_uri, scope, resource, cookie } = values;
  return {
    issuer,
    client: { client_id, redirect_uri, ...(client_secret ? { client_secret } : {}) },
    scope,
    ...(resource ? { resource: { url: resource } } : {}),
    ...(cookie ? { cookie } : {}),
  };
}

/** An authorization server somewhere else as a target. */
export function ServerTargetForm({ submit, onRun }: { submit: ReactNode; onRun: (order: AssessmentOrder) => void }) {
  const [values, setValues] = useState<Values>({
    issuer: '',
    client_id: '',
    client_secret: '',
    redirect_uri: '',
    scope: 'openid',
    resource: '',
    cookie: '',
  });
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        const name = URL.canParse(values.issuer) ? new URL(values.issuer).host : values.issuer;
        onRun({ name, issuer: values.issuer, path: '/v1/oauth-lab/server-audits', body: bodyOf(values) });
      }}
    >
      <Alert variant="warning" title="Only with permission">
        The assessment sends about 300 requests, forged tokens and wrong secrets among them. Point it at servers that
        you may test. Private and local addresses are refused.
      </Alert>
      <div className="grid gap-x-5 gap-y-4 md:grid-cols-2">
        {FIELDS.map((field) => (
          <Field key={field.name} label={field.label} hint={field.hint} optional={!field.required}>
            {(ids) => (
              <Input
                {...ids}
                type={field.type}
                required={field.required}
                placeholder={field.placeholder}
                className="font-mono text-xs"
                value={values[field.name]}
                onChange={(event) => setValues({ ...values, [field.name]: event.target.value })}
                spellCheck={false}
                autoComplete="off"
              />
            )}
          </Field>
        ))}
      </div>
      <div className="flex justify-end">{submit}</div>
    </form>
  );
}
