import { VerbatimField } from '@/components/oauth/verbatim-field';

interface ExpectationFieldsProps {
  issuer: string;
  audience: string;
  onIssuer: (issuer: string) => void;
  onAudience: (audience: string) => void;
}

/** Fields for the expected issuer and audience of a token. */
export function ExpectationFields({ issuer, audience, onIssuer, onAudience }: ExpectationFieldsProps) {
  return (
    <div className="mb-3 grid gap-3 sm:grid-cols-2">
      <VerbatimField label="Expected issuer" optional value={issuer} onChange={onIssuer} />
      <VerbatimField label="Expected audience" optional value={audience} onChange={onAudience} />
    </div>
  );
}
