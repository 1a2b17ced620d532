import { useFormContext, useWatch } from 'react-hook-form';
import { SelectField } from '@/components/form/fields/select-field';
import { TextField } from '@/components/form/fields/text-field';
import { CopyButton } from '@/components/format/copy-button';
import { CertificateFields } from '@/components/oauth/assessments/form/certificate-fields';
import { type AssessmentValues, isCertificateMethod } from '@/components/oauth/assessments/form/form-values';
import { KnownField } from '@/components/oauth/assessments/form/known-field';
import { useRedirectUri } from '@/components/oauth/assessments/links';
import { Button } from '@/components/ui/button';

const AUTHENTICATIONS = [
  { value: 'none', label: 'None', hint: 'a public client' },
  { value: 'basic', label: 'Basic', hint: 'client_secret_basic' },
  { value: 'post', label: 'POST', hint: 'client_secret_post' },
  { value: 'private_key_jwt', label: 'Private key', hint: 'private_key_jwt' },
  { value: 'tls_client_auth', label: 'Certificate of an authority', hint: 'tls_client_auth' },
  { value: 'self_signed_tls_client_auth', label: 'Self-signed certificate', hint: 'self_signed_tls_client_auth' },
] as const;

/** Fields of a registered client: its id, redirect URI and authentication. */
export default function ClientFields({ name }: { name: 'client' | 'other_client' | 'native_client' }) {
  const { control } = useFormContext<AssessmentValues>();
  const authentication = useWatch({ control, name: `${name}.authentication` });
  const hasSecret = authentication === 'basic' || authentication === 'post';
  return (
    <div className="grid gap-x-5 gap-y-4 sm:grid-cols-2">
      <TextField control={control} name={`${name}.client_id`} label="Client id" code />
      <RedirectUriField name={name} />
      <SelectField control={control} name={`${name}.authentication`} label="Authentication" options={AUTHENTICATIONS} />
      {hasSecret ? (
        <TextField
          control={control}
          name={`${name}.secret`}
          label="Secret"
          type="password"
          hint="Not kept, and not part of the report."
          code
        />
      ) : null}
      {authentication === 'private_key_jwt' ? (
        <TextField
          control={control}
          name={`${name}.key`}
          label="Private key (JWK)"
          placeholder='{"kty":"EC","crv":"P-256","alg":"ES256","x":"…","y":"…","d":"…"}'
          hint="With alg. Not kept, and not part of the report."
          multiline
          code
        />
      ) : null}
      {isCertificateMethod(authentication) ? <CertificateFields name={name} /> : null}
      {name === 'client' ? (
        <>
          <TextField
            control={control}
            name="client.post_logout_redirect_uri"
            label="Post-logout redirect URI"
            placeholder="https://app.example.com/signed-out"
            hint="As registered, if the server has a logout."
            code
          />
          <KnownField
            name="several_redirect_uris"
            label="More than one redirect URI registered"
            hint="With several, a request must name one."
          />
        </>
      ) : null}
    </div>
  );
}

function RedirectUriField({ name }: { name: 'client' | 'other_client' | 'native_client' }) {
  const { control, setValue } = useFormContext<AssessmentValues>();
  const own = useRedirectUri();
  const value = useWatch({ control, name: `${name}.redirect_uri` });
  const native = name === 'native_client';
  const use = () => setValue(`${name}.redirect_uri`, own, { shouldDirty: true, shouldValidate: true });
  return (
    <TextField
      control={control}
      name={`${name}.redirect_uri`}
      label="Redirect URI"
      placeholder={native ? 'http://127.0.0.1/callback' : 'https://app.example.com/callback'}
      hint={
        native ? (
          'As registered.'
        ) : (
          <span className="flex flex-wrap items-center gap-x-1">
            {value === own
              ? 'Codes come back here automatically.'
              : 'Register this, and codes come back automatically:'}
            <code className="font-mono wrap-anywhere">{own}</code>
            <CopyButton value={own} label="Copy the redirect URI of Sluice" />
          </span>
        )
      }
      suffix={
        native || value === own ? null : (
          <Button variant="outline" onClick={use}>
            Use Sluice’s
          </Button>
        )
      }
      code
    />
  );
}
