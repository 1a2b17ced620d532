'use client';

import { type ReactNode, useState } from 'react';
import { Field } from '@/components/form/field';
import type { AssessmentOrder } from '@/components/oauth/assessments/use-assessments';
import { Alert } from '@/components/ui/alert';
import { Input } from '@/components/ui/input';
import { auditServer } from '@/lib/contract/server-audits';

interface ServerField {
  name: 'issuer' | 'client_id' | 'client_secret' | 'redirect_uri' | 'scope' | 'resource' | 'cookie';
  label: string;
  hint: string;
  type?: 'url' | 'password';
  optional?: true;
  placeholder?: string;
}

const SECRET = { type: 'password', optional: true } as const;
const FIELDS: readonly ServerField[] = [
  {
    name: 'issuer',
    label: 'Issuer',
    hint: 'Its metadata names the endpoints.',
    type: 'url',
    placeholder: 'https://login.example.com',
  },
  { name: 'client_id', label: 'Client id', hint: 'A client that you registered there for this.' },
  {
    name: 'client_secret',
    label: 'Client secret',
    hint: 'Leave empty for a public client. Never part of the evidence.',
    ...SECRET,
  },
  {
    name: 'redirect_uri',
    label: 'Redirect URI',
    hint: 'As registered. Nothing is sent to it.',
    placeholder: 'https://app.example.com/callback',
  },
  { name: 'scope', label: 'Scope', hint: 'Enough for the resource below.', placeholder: 'openid' },
  {
    name: 'resource',
    label: 'Protected resource',
    hint: 'An address that answers GET with an access token.',
    type: 'url',
    optional: true,
    placeholder: 'https://api.example.com/me',
  },
  {
    name: 'cookie',
    label: 'Cookie of a signed-in browser',
    hint: 'For servers that show a page. Never part of the evidence.',
    ...SECRET,
  },
];
type Values = Record<ServerField['name'], string>;

const EMPTY: Values = {
  issuer: '',
  client_id: '',
  client_secret: '',
  redirect_uri: '',
  scope: 'openid',
  resource: '',
  cookie: '',
};

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
  const [values, setValues] = useState<Values>(EMPTY);
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        const name = URL.canParse(values.issuer) ? new URL(values.issuer).host : values.issuer;
        onRun({ name, issuer: values.issuer, call: { contract: auditServer, body: bodyOf(values) } });
      }}
    >
      <Alert variant="warning" title="Only with permission">
        The assessment sends about 300 requests, forged tokens and wrong secrets among them. Point it at servers that
        you may test. Private and local addresses are refused.
      </Alert>
      <div className="grid gap-x-5 gap-y-4 md:grid-cols-2">
        {FIELDS.map((field) => (
          <Field key={field.name} label={field.label} hint={field.hint} optional={field.optional ?? false}>
            {(ids) => (
              <Input
                {...ids}
                type={field.type ?? 'text'}
                required={!field.optional}
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
