import type { ReactNode } from 'react';
import { CitedText } from '@/components/format/cited-text';
import { ExplainedPart } from '@/components/oauth/token/explained-part';
import { Alert } from '@/components/ui/alert';
import { formatNumber } from '@/lib/format-number';
import { LONGEST_TOKEN, readContent, type TokenReading } from '@/lib/oauth/token/read-token';

interface UnreadableTokenProps {
  reading: Exclude<TokenReading, { kind: 'signed' }>;
  /** Shown in addition if the token is encrypted. */
  children?: ReactNode;
}

/** Explains a token that cannot be decoded without its key, or at all. */
export function UnreadableToken({ reading, children }: UnreadableTokenProps) {
  if (reading.kind === 'opaque')
    return (
      <Alert title="This is not a JWT">
        <CitedText>{reading.reason}</CitedText>
      </Alert>
    );
  if (reading.kind === 'too_long')
    return (
      <Alert variant="warning" title="This is too long for a token">
        It has {formatNumber(reading.length)} characters. Up to {formatNumber(LONGEST_TOKEN)} are read, and servers take
        far fewer: a header of 8,000 bytes is often refused.
      </Alert>
    );
  if (reading.kind === 'sd-jwt')
    return (
      <Alert title="This is a selective-disclosure JWT">
        <CitedText>
          {`It is a JWT with ${reading.disclosures} disclosures after it, divided by “~” (RFC 9901). Paste the part before the first “~” to read the JWT.`}
        </CitedText>
      </Alert>
    );
  if (reading.kind === 'paseto') {
    const { version, purpose, claims } = reading;
    return (
      <>
        <Alert title={`This is a PASETO (${version}, ${purpose}), not a JWT`}>
          {purpose === 'local'
            ? 'It is encrypted with a shared key. Only the libraries of PASETO open it.'
            : 'It is signed, and its version names the algorithm. Its claims are shown; only the libraries of PASETO verify it.'}
        </Alert>
        {claims === null ? null : <ExplainedPart kind="payload" title="Claims" part={readContent(claims)} />}
      </>
    );
  }
  return (
    <>
      <Alert title="This token is encrypted (JWE)">
        <CitedText>
          Only the recipient’s private key, or the shared secret, opens it (RFC 7516). Its header can be read without.
        </CitedText>
      </Alert>
      {children}
      <ExplainedPart kind="header" title="Header" part={reading.header} />
    </>
  );
}
