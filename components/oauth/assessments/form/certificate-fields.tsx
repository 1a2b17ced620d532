import { useController, useFormContext } from 'react-hook-form';
import { TextField } from '@/components/form/text-field';
import type { AssessmentValues } from '@/components/oauth/assessments/form/form-values';
import { Segmented } from '@/components/ui/segmented';

/** Certificate and key of a client that authenticates in the TLS handshake (RFC 8705). */
export function CertificateFields({ name }: { name: 'client' | 'other_client' | 'native_client' }) {
  const { control } = useFormContext<AssessmentValues>();
  const { field } = useController({ control, name: `${name}.bound_tokens` });
  return (
    <>
      <TextField
        control={control}
        name={`${name}.certificate`}
        label="Certificate (PEM)"
        placeholder="-----BEGIN CERTIFICATE-----"
        hint="With its chain, if there is one. Not kept, and not part of the report."
        autoComplete="off"
        multiline
        code
      />
      <TextField
        control={control}
        name={`${name}.key`}
        label="Private key (PEM or JWK)"
        placeholder="-----BEGIN PRIVATE KEY-----"
        hint="Not kept, and not part of the report."
        autoComplete="off"
        multiline
        code
      />
      <div className="flex flex-col gap-1.5">
        <span className="text-sm font-medium">Tokens bound to the certificate?</span>
        <Segmented
          label="Tokens bound to the certificate"
          value={field.value}
          onChange={field.onChange}
          options={[
            { value: 'unknown', label: 'Not known' },
            { value: 'no', label: 'No' },
            { value: 'yes', label: 'Yes' },
          ]}
        />
        <p className="text-xs text-muted-foreground">Registered as tls_client_certificate_bound_access_tokens.</p>
      </div>
    </>
  );
}
