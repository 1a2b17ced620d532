import { useFormContext } from 'react-hook-form';
import { TextField } from '@/components/form/fields/text-field';
import type { AssessmentValues } from '@/components/oauth/assessments/form/form-values';
import { KnownField } from '@/components/oauth/assessments/form/known-field';

/** Certificate and key of a client that authenticates in the TLS handshake (RFC 8705). */
export function CertificateFields({ name }: { name: 'client' | 'other_client' | 'native_client' }) {
  const { control } = useFormContext<AssessmentValues>();
  return (
    <>
      <TextField
        control={control}
        name={`${name}.certificate`}
        label="Certificate (PEM)"
        placeholder="-----BEGIN CERTIFICATE-----"
        hint="With its chain, if there is one. Not kept, and not part of the report."
        multiline
        code
      />
      <TextField
        control={control}
        name={`${name}.key`}
        label="Private key (PEM or JWK)"
        placeholder="-----BEGIN PRIVATE KEY-----"
        hint="Not kept, and not part of the report."
        multiline
        code
      />
      <KnownField
        name={`${name}.bound_tokens`}
        label="Tokens bound to the certificate"
        hint="Registered as tls_client_certificate_bound_access_tokens."
      />
    </>
  );
}
