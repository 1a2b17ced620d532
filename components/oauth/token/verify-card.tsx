import { type FormEvent, useId } from 'react';
import { Field } from '@/components/form/field';
import { SignatureResult } from '@/components/oauth/token/signature-result';
import type { Keys } from '@/components/oauth/token/use-keys';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { TitledCard } from '@/components/ui/card';
import { Checkbox } from '@/components/ui/checkbox';
import { Input, Textarea } from '@/components/ui/input';
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

/** The key to verify with, and what it says. */
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
            {note}
          </Alert>
        ))
      ) : (
        <Alert variant="destructive">{keys.reading.problem}</Alert>
      )}
      <div aria-live="polite" className="flex flex-col gap-3">
        <SignatureResult finding={finding} />
        {guessedSecret === null ? null : (
          <Alert variant="destructive" title="The secret is guessed">
            It is “{guessedSecret}”, one of the first that attackers try. Anyone can forge this token.
          </Alert>
        )}
      </div>
    </TitledCard>
  );
}

function KeyField({ keys }: { keys: Keys }) {
  const checkboxId = useId();
  const fetchUrl = (event: FormEvent) => {
    event.preventDefault();
    void keys.fetchUrl();
  };
  if (keys.source === 'lab')
    return <p className="text-sm text-muted-foreground">The keys that the lab of this installation publishes.</p>;
  if (keys.source === 'url')
    return (
      <form onSubmit={fetchUrl}>
        <Field
          label="Address of the keys"
          hint="Fetched by your browser when you press Fetch. The token is not sent anywhere."
        >
          {(ids) => (
            <div className="flex gap-2">
              <Input
                {...ids}
                type="url"
                value={keys.url}
                onChange={(event) => keys.setUrl(event.target.value)}
                placeholder="https://issuer.example/jwks.json"
                className="font-mono"
                autoComplete="off"
                spellCheck={false}
              />
              <Button type="submit" variant="outline" pending={keys.isFetching} disabled={keys.url.trim() === ''}>
                Fetch
              </Button>
            </div>
          )}
        </Field>
      </form>
    );
  if (keys.source === 'keys')
    return (
      <Field label="Keys" hint="A JWKS, a JWK, a public key or a certificate in PEM.">
        {(ids) => (
          <Textarea
            {...ids}
            value={keys.text}
            onChange={(event) => keys.setText(event.target.value)}
            placeholder={'-----BEGIN PUBLIC KEY-----\n…'}
            className="max-h-48 min-h-20 font-mono text-xs"
            spellCheck={false}
          />
        )}
      </Field>
    );
  return (
    <>
      <Field label="Shared secret" hint="Stays in this page.">
        {(ids) => (
          <Input
            {...ids}
            value={keys.secret}
            onChange={(event) => keys.setSecret(event.target.value)}
            className="font-mono"
            autoComplete="off"
            spellCheck={false}
          />
        )}
      </Field>
      <label htmlFor={checkboxId} className="flex items-center gap-2 text-sm">
        <Checkbox
          id={checkboxId}
          checked={keys.isBase64url}
          onCheckedChange={(checked) => keys.setBase64url(checked === true)}
        />
        It is base64url-encoded
      </label>
    </>
  );
}
