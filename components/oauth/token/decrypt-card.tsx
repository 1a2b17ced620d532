import { useCallback, useMemo, useState } from 'react';
import { CitedText } from '@/components/format/cited-text';
import { ExplainedPart } from '@/components/oauth/token/explained-part';
import { usePromised } from '@/components/oauth/token/use-promised';
import { VerbatimField } from '@/components/oauth/verbatim-field';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { TitledCard } from '@/components/ui/card';
import { decryptToken } from '@/lib/oauth/token/decrypt-token';
import { readSecretKeys } from '@/lib/oauth/token/read-keys';
import { readContent, readToken } from '@/lib/oauth/token/read-token';

interface DecryptCardProps {
  token: string;
  /** Opens the token within. */
  onOpen: (token: string) => void;
}

/** Decrypts a token with a key that stays in the page, and shows its content. */
export function DecryptCard({ token, onOpen }: DecryptCardProps) {
  const [text, setText] = useState('');
  const decrypted = usePromised(
    useCallback(
      async () => (text.trim() === '' ? null : decryptToken(token, await readSecretKeys(text))),
      [token, text],
    ),
  );
  const content = decrypted?.ok ? decrypted.text : null;
  const inner = useMemo(() => (content === null ? null : readToken(content)), [content]);
  const isToken = inner !== null && inner.kind !== 'opaque' && inner.kind !== 'too_long';
  return (
    <>
      <TitledCard title="Decrypt" className="flex flex-col gap-3">
        <VerbatimField
          label="Private key or secret"
          hint="PEM, a JWK, or a shared secret (text, base64 or hex). Stays in this page; never paste one that is in use."
          multiline
          value={text}
          onChange={setText}
          placeholder={'-----BEGIN PRIVATE KEY-----\n…'}
          className="max-h-48 min-h-20"
        />
        <div aria-live="polite" className="flex flex-col items-start gap-3">
          {decrypted === null ? null : decrypted.ok ? (
            <p className="text-sm font-medium text-success-text">Decrypted.</p>
          ) : (
            <Alert variant="destructive">
              <CitedText>{decrypted.problem}</CitedText>
            </Alert>
          )}
          {content !== null && isToken ? (
            <Button variant="outline" onClick={() => onOpen(content)}>
              Open the token within
            </Button>
          ) : null}
        </div>
      </TitledCard>
      {content === null ? null : <ExplainedPart kind="payload" title="Content" part={readContent(content)} />}
    </>
  );
}
