import { useId } from 'react';
import { Field } from '@/components/form/fields/field';
import { CitedText } from '@/components/format/cited-text';
import { CopyButton } from '@/components/format/copy-button';
import { KeyField } from '@/components/oauth/client/key-field';
import { ParametersField } from '@/components/oauth/client/parameters-field';
import { useClient } from '@/components/oauth/client/use-client';
import { VerbatimField } from '@/components/oauth/verbatim-field';
import { TitledCard } from '@/components/ui/card';
import { Disclosure } from '@/components/ui/disclosure';
import { Label } from '@/components/ui/label';
import { NativeSelect } from '@/components/ui/native-select';
import { Switch } from '@/components/ui/switch';
import { CLIENT_AUTHENTICATIONS } from '@/lib/contract/client-authentications';

const AUTHENTICATION_NAMES = {
  none: 'None (public client)',
  basic: 'Secret, HTTP Basic',
  post: 'Secret, in the form (POST)',
  private_key_jwt: 'Signed assertion (private_key_jwt)',
} as const;

/** Fields of the client: its registration at the server, and what it requests. */
export function ClientCard() {
  const { state, set, origin } = useClient();
  const { environment } = state;
  const { authentication, redirect_uri } = environment;
  const own = `${origin}/oauth/callback`;
  const bindField = (name: 'client_id' | 'redirect_uri' | 'scope' | 'secret' | 'resource' | 'resource_url') => ({
    value: environment[name],
    onChange: (value: string) => set({ [name]: value }),
  });
  return (
    <TitledCard title="Client" className="flex flex-col gap-3">
      <VerbatimField label="Client id" {...bindField('client_id')} placeholder="as registered at the server" />
      <VerbatimField
        label="Redirect URI"
        {...bindField('redirect_uri')}
        suffix={<CopyButton value={redirect_uri} label="Copy redirect URI" className="size-8" />}
        hint={
          redirect_uri === own
            ? 'Register it at the server: it leads back to this page.'
            : 'Does not lead back to this page: paste the address that the server sends the browser to.'
        }
      />
      <Field label="Authentication">
        {(ids) => (
          <NativeSelect
            {...ids}
            className="h-8"
            value={authentication}
            options={CLIENT_AUTHENTICATIONS.map((value) => ({ value, label: AUTHENTICATION_NAMES[value] }))}
            onChange={({ target }) =>
              set({ authentication: CLIENT_AUTHENTICATIONS.find((value) => value === target.value) ?? 'none' })
            }
          />
        )}
      </Field>
      {authentication === 'basic' || authentication === 'post' ? (
        <VerbatimField label="Client secret" type="password" {...bindField('secret')} />
      ) : null}
      {authentication === 'private_key_jwt' ? <KeyField /> : null}
      <VerbatimField label="Scope" {...bindField('scope')} />
      <div className="flex flex-col gap-2">
        <Option name="pkce" label="PKCE (S256)" hint="Binds the code to this page." />
        <Option name="par" label="Pushed request (PAR)" hint="Parameters stay out of the address bar." />
        <Option name="dpop" label="DPoP" hint="Binds tokens to a key that never leaves this page." />
      </div>
      <Disclosure title="Resource and extra parameters" className="-mx-1.5 [&>div]:pr-1.5">
        <div className="flex flex-col gap-3">
          <VerbatimField
            label="Resource indicator"
            {...bindField('resource')}
            hint={<CitedText>Sent as resource (RFC 8707).</CitedText>}
          />
          <VerbatimField
            label="URL to call"
            type="url"
            {...bindField('resource_url')}
            hint="For the step Call a resource."
          />
          <ParametersField key={environment.name} />
        </div>
      </Disclosure>
    </TitledCard>
  );
}

function Option({ name, label, hint }: { name: 'pkce' | 'par' | 'dpop'; label: string; hint: string }) {
  const { state, set } = useClient();
  const id = useId();
  return (
    <div className="flex items-start justify-between gap-3">
      <div className="min-w-0">
        <Label htmlFor={id}>{label}</Label>
        <p id={`${id}-hint`} className="text-xs text-muted-foreground">
          {hint}
        </p>
      </div>
      <Switch
        id={id}
        aria-describedby={`${id}-hint`}
        checked={state.environment[name]}
        onCheckedChange={(on) => set({ [name]: on })}
      />
    </div>
  );
}
