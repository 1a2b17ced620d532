import type { JsonObject } from '@/lib/json';

/** Ways to sign a forged token. */
export const SIGNINGS = ['key', 'confusion', 'secret', 'none', 'kept'] as const;
export type Signing = (typeof SIGNINGS)[number];

/** Spellings of `alg` for an unsigned token. Verifiers that only reject the exact text `none` miss the others. */
export const SPELLINGS_OF_NONE = ['none', 'None', 'NONE', 'nOnE'] as const;

export interface ForgedParts {
  header: JsonObject;
  payload: JsonObject;
}

/** A way to forge a token, and the weakness that it tests. */
export interface Forgery {
  id: string;
  title: string;
  /** Check that is missing in a verifier that accepts the token. */
  tries: string;
  signing: Signing;
  /** True if the public key is put into the header, with `signing: 'key'`. */
  embedKey?: true;
  change: (parts: ForgedParts, now: number) => ForgedParts;
}

const changeHeader = (changes: JsonObject) => (parts: ForgedParts) => ({
  ...parts,
  header: { ...parts.header, ...changes },
});
const changePayload = (changes: JsonObject) => (parts: ForgedParts) => ({
  ...parts,
  payload: { ...parts.payload, ...changes },
});

/** Forgeries of a genuine token, each available in one click. `now` is in milliseconds. */
export const FORGERIES: readonly Forgery[] = [
  {
    id: 'tampered',
    title: 'Another subject, signature kept',
    tries: 'Whether the signature is checked at all.',
    signing: 'kept',
    change: changePayload({ sub: 'admin@example.com' }),
  },
  {
    id: 'unsigned',
    title: 'alg: none',
    tries: 'Whether a token may say that it is not signed.',
    signing: 'none',
    change: (parts) => parts,
  },
  {
    id: 'own-key',
    title: 'Own key, embedded',
    tries: 'Whether the key in the header (jwk) is trusted.',
    signing: 'key',
    embedKey: true,
    change: ({ header: { kid: _, ...header }, payload }) => ({ header, payload }),
  },
  {
    id: 'confusion',
    title: 'Public key as secret',
    tries: 'Whether the token may choose HMAC, with a key that everybody knows.',
    signing: 'confusion',
    change: (parts) => parts,
  },
  {
    id: 'expired',
    title: 'Expired',
    tries: 'Whether exp is checked.',
    signing: 'key',
    change: (parts, now) => changePayload({ exp: Math.floor(now / 1000) - 3_600 })(parts),
  },
  {
    id: 'no-expiry',
    title: 'Without expiry',
    tries: 'Whether exp is required.',
    signing: 'key',
    change: ({ header, payload: { exp: _, ...payload } }) => ({ header, payload }),
  },
  {
    id: 'not-yet',
    title: 'Not valid yet',
    tries: 'Whether nbf is checked.',
    signing: 'key',
    change: (parts, now) => changePayload({ nbf: Math.floor(now / 1000) + 3_600 })(parts),
  },
  {
    id: 'audience',
    title: 'Another audience',
    tries: 'Whether aud is checked.',
    signing: 'key',
    change: changePayload({ aud: 'https://other-service.example/' }),
  },
  {
    id: 'issuer',
    title: 'Another issuer',
    tries: 'Whether iss is checked.',
    signing: 'key',
    change: changePayload({ iss: 'https://attacker.example' }),
  },
  {
    id: 'type',
    title: 'typ: JWT',
    tries: 'Whether another kind of token is taken for an access token.',
    signing: 'key',
    change: changeHeader({ typ: 'JWT' }),
  },
  {
    id: 'key-id',
    title: 'Path in kid',
    tries: 'Whether kid is used as a file name.',
    signing: 'key',
    change: changeHeader({ kid: '../../../../dev/null' }),
  },
  {
    id: 'key-address',
    title: 'Foreign jku',
    tries: 'Whether keys are fetched from the address in the token.',
    signing: 'key',
    change: changeHeader({ jku: 'https://attacker.example/jwks.json' }),
  },
];
