import type { FormEvent } from 'react';
import { CitedText } from '@/components/format/cited-text';
import { SignatureResult } from '@/components/oauth/token/signature-result';
import type { Keys } from '@/components/oauth/token/use-keys';
import { VerbatimField } from '@/components/oauth/verbatim-field';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { TitledCard } from '@/components/ui/card';
import { Segmented } from '@/components/ui/segmented';
import type { SignatureFinding } from '@/lib/oauth/token/verify-signature';

const SOURCES = [
  { value: 'lab', label: 'Lab' },
  { value: 'url', label: 'JWKS URL' },
  { value: 'keys', label: 'Keys' },
  { value: 'secret', label: 'Secret' },
] as const;

interface VerifyCardProps {
  keys: Keys;
  hasLab: boolean;
  finding: SignatureFinding | null;
  guessedSecret: string | null;
}

/** Selects the verification key and shows the result. */
export function VerifyCard({ keys, hasLab, finding, guessedSecret }: VerifyCardProps) {
  const sources = SOURCES.filter(({ value }) => hasLab || value !== 'lab');
  return (
    <TitledCard
      title="Signature"
      aside={<Segmented label="Verify with" value={keys.source} onChange={keys.setSource} options={sources} />}
      className="flex flex-col gap-3"
    >
      <KeyField keys={keys} />
      {keys.reading.ok ? (
        keys.reading.notes.map((note) => (
          <Alert key={note} variant="warning">
            <CitedText>{note}</CitedText>
          </Alert>
        ))
      ) : (
        <Alert variant="destructive">
          <CitedText>{keys.reading.problem}</CitedText>
        </Alert>
      )}
      <div aria-live="polite" className="flex flex-col gap-3">
        <SignatureResult finding={finding} />
        {guessedSecret === null ? null : (
          <Alert variant="destructive" title="Guessable secret">
            It is “{guessedSecret}”, one of the first that attackers try. Anyone can forge this token.
          </Alert>
        )}
      </div>
    </TitledCard>
  );
}

function KeyField({ keys }: { keys: Keys }) {
  const fetchUrl = (event: FormEvent) => {
    event.preventDefault();
    void keys.fetchUrl();
  };
  if (keys.source === 'lab')
    return <p className="text-sm text-muted-foreground">The keys that the lab of this installation publishes.</p>;
  if (keys.source === 'url')
    return (
      <form onSubmit={fetchUrl}>
        <VerbatimField
          label="Address of the keys"
          hint="Fetched by your browser when you press Fetch. The token is not sent anywhere."
          type="url"
          value={keys.url}
          onChange={keys.setUrl}
          placeholder="https://issuer.example/jwks.json"
          suffix={
            <Button type="submit" variant="outline" pending={keys.isFetching} disabled={keys.url.trim() === ''}>
              Fetch
            </Button>
          }
        />
      </form>
    );
  if (keys.source === 'keys')
    return (
      <VerbatimField
        label="Keys"
        hint="A JWKS or JWK, PEM (public key, certificate, private key), or a shared secret."
        multiline
        value={keys.text}
        onChange={keys.setText}
        placeholder={'-----BEGIN PUBLIC KEY-----\n…'}
        className="max-h-48 min-h-20"
      />
    );
  return (
    <VerbatimField
      label="Shared secret"
      hint="As text, in base64 or in hex. It stays in this page."
      value={keys.secret}
      onChange={keys.setSecret}
    />
  );
}
