import type { JsonObject } from '@/lib/json';
import {
  type ControlVerdict,
  createFailed,
  createInconclusive,
  createNotApplicable,
  createPassed,
  createVerdict,
} from '@/lib/oauth/assessment/verdict';
import { ALGORITHMS, findAlgorithm } from '@/lib/oauth/token/algorithms';
import { checkAudience, checkExpiry, checkIssuer, checkStart } from '@/lib/oauth/token/check-claims';
import { has, isText } from '@/lib/oauth/token/members';
import type { TokenRule } from '@/lib/oauth/token/token-rule';

const ALGORITHM_NAME = /^(?:[HREP]S(?:256|384|512)|ES256K|EdDSA|Ed25519|Ed448|ML-DSA-(?:44|65|87))$/;
/**
 * Matches ids that are dangerous to look up in a file, a database or a shell. Two hyphens do not count, because
 * base64url can contain them, as in key thumbprints.
 */
const INJECTION = /\.\.|[/\\]{2}|^[/\\]|\p{Cc}|['"`;|<>$(){}]|--\s|\s--|\b(?:union|select|or)\b\s/iu;
const EMBEDDED = ['jwk', 'x5c'];
const REMOTE = ['jku', 'x5u'];

/**
 * Skips a rule about claims for DPoP proofs. Their only registered claims are `iat` and `jti` (RFC 9449 section 4.2).
 */
const skipForProofs =
  (check: (claims: JsonObject, facts: Parameters<TokenRule['judge']>[0]) => ControlVerdict): TokenRule['judge'] =>
  (facts) =>
    facts.use === 'DPoP proof' ? createNotApplicable('A DPoP proof has no such claim.') : check(facts.claims, facts);

/** Rules of RFC 8725 section 3 that can be checked on a token. */
export const BEST_PRACTICE: readonly TokenRule[] = [
  {
    source: 'RFC 8725 3.1',
    title: 'The algorithm is one that exists',
    judge: ({ header }) => {
      if (!isText(header.alg)) return createFailed('“alg” is missing or not a text.');
      if (/^none$/i.test(header.alg)) return createFailed('The token says that it is not signed.');
      if (ALGORITHM_NAME.test(header.alg))
        return createPassed(`${header.alg} is registered. Verifiers must still decide it, not the token.`);
      const right = ALGORITHMS.find(({ name }) => name.toLowerCase() === String(header.alg).toLowerCase());
      return createFailed(
        right ? `Names are case-sensitive: it is ${right.name}.` : 'It is not a registered signature algorithm.',
      );
    },
  },
  {
    source: 'RFC 8725 3.2',
    title: 'The algorithm is sound',
    judge: ({ header: { alg } }) => {
      if (!isText(alg) || /^none$/i.test(alg)) return createFailed('“none” protects nothing.');
      if (/^HS/.test(alg))
        return createPassed('HMAC is sound where signer and verifier are one; between parties, prefer a key pair.');
      if (/^RS/.test(alg))
        return createPassed(
          'RSA PKCS #1 v1.5 is sound for signatures; PS256 or ES256 is the better choice for new systems.',
        );
      return createVerdict(
        ALGORITHM_NAME.test(alg),
        `${alg} is sound.`,
        'It is unknown, so its strength cannot be judged.',
      );
    },
  },
  {
    source: 'RFC 8725 3.3',
    title: 'The signature holds',
    judge: ({ signature }) => {
      if (signature === null) return createInconclusive('Give a key under Signature to decide this.');
      return { verified: createPassed, invalid: createFailed, unverified: createInconclusive }[signature.state](
        signature.reason,
      );
    },
  },
  {
    source: 'RFC 8725 3.5',
    title: 'The key is strong enough',
    judge: ({ header, guessedSecret, signature }) => {
      if (guessedSecret !== null)
        return createFailed(`The secret is “${guessedSecret}”, one of the first that attackers try.`);
      if (typeof signature?.weakness === 'string') return createFailed(signature.weakness);
      if (signature?.state === 'verified')
        return createPassed('The key that verifies it has the strength of its algorithm.');
      const algorithm = findAlgorithm(header.alg);
      if (algorithm?.secretBits !== undefined)
        return createInconclusive('It is not one of the common secrets. Its length cannot be determined.');
      return algorithm === null
        ? createNotApplicable('There is no key.')
        : createInconclusive('Give the key under Signature to decide this.');
    },
  },
  {
    source: 'RFC 8725 3.6',
    title: 'Nothing is compressed',
    judge: ({ header }) =>
      createVerdict(
        !has(header, 'zip'),
        'There is no “zip”.',
        '“zip” is set: compression before encryption can leak content.',
      ),
  },
  {
    source: 'RFC 8725 3.7',
    title: 'The JSON is UTF-8',
    judge: ({ reading: { header, payload } }) =>
      createVerdict(
        header.text !== null && payload.text !== null,
        'Header and payload are UTF-8.',
        'A part is not UTF-8, so parsers differ.',
      ),
  },
  { source: 'RFC 8725 3.8', title: 'The issuer is named and expected', judge: skipForProofs(checkIssuer) },
  {
    source: 'RFC 8725 3.8',
    title: 'The subject is named',
    advice: true,
    judge: skipForProofs(({ sub }, { use }) =>
      use === 'logout token' && sub === undefined
        ? createNotApplicable('A logout token may name a session instead.')
        : createVerdict(isText(sub), '“sub” is present.', '“sub” is missing or not a text.'),
    ),
  },
  { source: 'RFC 8725 3.9', title: 'The audience is named and expected', judge: skipForProofs(checkAudience) },
  {
    source: 'RFC 8725 3.10',
    title: 'The key id is harmless',
    judge: ({ header }) => {
      if (!has(header, 'kid')) return createNotApplicable('There is no “kid”.');
      if (!isText(header.kid)) return createFailed('“kid” is not a text.');
      if (header.kid.length > 256) return createFailed('“kid” has more than 256 characters.');
      return createVerdict(
        !INJECTION.test(header.kid),
        '“kid” holds nothing that a path, a query or a shell would obey.',
        '“kid” holds characters of a path, a query or a shell: an injection where it is looked up.',
      );
    },
  },
  {
    source: 'RFC 8725 3.10',
    title: 'It does not bring its own key',
    judge: ({ header, use }) => {
      const own = EMBEDDED.filter((name) => has(header, name));
      if (use === 'DPoP proof')
        return createNotApplicable('A DPoP proof carries its key by design (RFC 9449 section 4.2).');
      return createVerdict(
        own.length === 0,
        'There is neither “jwk” nor “x5c”.',
        `The header carries ${own.join(' and ')}: a verifier that trusts it accepts anyone’s signature.`,
      );
    },
  },
  {
    source: 'RFC 8725 3.10',
    title: 'It does not send the verifier anywhere',
    judge: ({ header }) => {
      const remote = REMOTE.filter((name) => has(header, name));
      return createVerdict(
        remote.length === 0,
        'There is neither “jku” nor “x5u”.',
        `The header names an address (${remote.join(', ')}): following it lets an attacker choose the key, and reach internal hosts.`,
      );
    },
  },
  {
    source: 'RFC 8725 3.11',
    title: 'The type is explicit',
    advice: true,
    judge: ({ typ }) => {
      if (typ === '') return createFailed('“typ” is missing: any kind of JWT can be passed off as any other.');
      return createVerdict(
        typ !== 'jwt',
        `It is of type ${typ.slice(0, 64)}.`,
        '“JWT” says nothing about the kind of token.',
      );
    },
  },
  {
    source: 'RFC 8725 3.12',
    title: 'It cannot be taken for another kind',
    judge: ({ claims, typ, use }) => {
      const ofId = ['nonce', 'at_hash', 'c_hash'].filter((name) => has(claims, name));
      const ofAccess = ['scope', 'client_id'].filter((name) => has(claims, name));
      const isMixed = ofId.length > 0 && ofAccess.length > 0;
      if (isMixed)
        return createFailed(
          `It has claims of an ID token (${ofId.join(', ')}) and of an access token (${ofAccess.join(', ')}).`,
        );
      if (use === 'access token' && typ !== 'at+jwt')
        return createFailed(
          'It looks like an access token, but its type does not say so: an ID token could replace it.',
        );
      return createPassed(
        use === 'JWT' ? 'Nothing in it belongs to another kind.' : `Its type and claims are those of one kind: ${use}.`,
      );
    },
  },
  { source: 'RFC 7519 4.1.4', title: 'It has not expired', judge: skipForProofs(checkExpiry) },
  { source: 'RFC 7519 4.1.5', title: 'It is valid already', judge: (facts) => checkStart(facts.claims, facts) },
];
