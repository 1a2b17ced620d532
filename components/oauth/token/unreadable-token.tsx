import { ExplainedPart } from '@/components/oauth/token/explained-part';
import { Alert } from '@/components/ui/alert';
import { LONGEST_TOKEN, type TokenReading } from '@/lib/oauth/token/read-token';

const number = (value: number) => value.toLocaleString('en-US');

/** Explains a token that cannot be decoded without its key, or at all. */
export function UnreadableToken({ reading }: { reading: Exclude<TokenReading, { kind: 'signed' }> }) {
  if (reading.kind === 'opaque') return <Alert title="This is not a JWT">{reading.reason}</Alert>;
  if (reading.kind === 'too_long')
    return (
      <Alert variant="warning" title="This is too long for a token">
        It has {number(reading.length)} characters. Up to {number(LONGEST_TOKEN)} are read, and servers take far fewer:
        a header of 8,000 bytes is often refused.
      </Alert>
    );
  if (reading.kind === 'sd-jwt')
    return (
      <Alert title="This is a selective-disclosure JWT (RFC 9901)">
        It is a JWT with {reading.disclosures} disclosures after it, divided by “~”. Paste the part before the first “~”
        to read the JWT.
      </Alert>
    );
  return (
    <>
      <Alert title="This token is encrypted (JWE, RFC 7516)">
        Only the recipient’s private key opens it. Its header can be read; its claims cannot.
      </Alert>
      <ExplainedPart kind="header" title="Header" part={reading.header} />
    </>
  );
}
