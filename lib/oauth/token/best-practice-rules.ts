import {
  type ControlVerdict,
  failed,
  inconclusive,
  notApplicable,
  passed,
  passedIf,
} from '@/lib/oauth/assessment/verdict';
import { ALGORITHMS, findAlgorithm } from '@/lib/oauth/token/algorithms';
import { checkAudience, checkExpiry, checkIssuer, checkStart } from '@/lib/oauth/token/check-claims';
import { has, isText, type TokenRule } from '@/lib/oauth/token/token-rule';

const ALGORITHM_NAME = /^(?:[HREP]S(?:256|384|512)|ES256K|EdDSA|Ed25519|Ed448|ML-DSA-(?:44|65|87))$/;
/** Of an id that is looked up in a file, a database or a shell. */
const INJECTION = /\.\.|[/\\]{2}|^[/\\]|\p{Cc}|['"`;|<>$(){}]|--|\b(?:union|select|or)\b\s/iu;
const EMBEDDED = ['jwk', 'x5c'];
const REMOTE = ['jku', 'x5u'];

/** RFC 8725 section 3, as far as a token shows it. */
export const BEST_PRACTICE: readonly TokenRule[] = [
  [
    'RFC 8725 3.1',
    'The algorithm is one that exists',
    ({ header }) => {
      if (!isText(header.alg)) return failed('“alg” is missing or not a text.');
      if (/^none$/i.test(header.alg)) return failed('The token says that it is not signed.');
      if (ALGORITHM_NAME.test(header.alg))
        return passed(`${header.alg} is registered. Verifiers must still decide it, not the token.`);
      const right = ALGORITHMS.find(({ name }) => name.toLowerCase() === String(header.alg).toLowerCase());
      return failed(
        right ? `Names are case-sensitive: it is ${right.name}.` : 'It is not a registered signature algorithm.',
      );
    },
  ],
  [
    'RFC 8725 3.2',
    'The algorithm is sound',
    ({ header: { alg } }) => {
      if (!isText(alg) || /^none$/i.test(alg)) return failed('“none” protects nothing.');
      if (/^HS/.test(alg))
        return passed('HMAC is sound where signer and verifier are one; between parties, prefer a key pair.');
      if (/^RS/.test(alg))
        return passed('RSA PKCS #1 v1.5 is sound for signatures; PS256 or ES256 is the better choice for new systems.');
      return passedIf(ALGORITHM_NAME.test(alg), `${alg} is sound.`, 'It is not known, so nothing can be said for it.');
    },
  ],
  [
    'RFC 8725 3.3',
    'The signature holds',
    ({ signature }) => {
      if (signature === null) return inconclusive('Give a key under Verify to decide this.');
      return {
        kind: { verified: 'passed', invalid: 'failed', unverified: 'inconclusive' }[signature.state],
        reason: signature.reason,
      } as ControlVerdict;
    },
  ],
  [
    'RFC 8725 3.5',
    'The key is strong enough',
    ({ header, guessedSecret, signature }) => {
      if (guessedSecret !== null)
        return failed(`The secret is “${guessedSecret}”, one of the first that attackers try.`);
      const short = signature?.warnings.find((warning) => /bits; \w+ needs/.test(warning));
      if (short !== undefined) return failed(short);
      if (/^The key has \d+ bits/.test(signature?.reason ?? '')) return failed(signature?.reason ?? '');
      if (signature?.state === 'verified') return passed('The key that verifies it has the strength of its algorithm.');
      const algorithm = findAlgorithm(header.alg);
      if (algorithm?.secretBits !== undefined)
        return inconclusive('It is none of the secrets that everybody tries; its length cannot be seen.');
      return algorithm === null
        ? notApplicable('There is no key.')
        : inconclusive('Give the key under Verify to decide this.');
    },
  ],
  [
    'RFC 8725 3.6',
    'Nothing is compressed',
    ({ header }) =>
      passedIf(
        !has(header, 'zip'),
        'There is no “zip”.',
        '“zip” is set: compression before encryption can leak content.',
      ),
  ],
  [
    'RFC 8725 3.7',
    'The JSON is UTF-8',
    ({ reading: { header, payload } }) =>
      passedIf(
        header.text !== null && payload.text !== null,
        'Header and payload are UTF-8.',
        'A part is not UTF-8, so parsers differ.',
      ),
  ],
  ['RFC 8725 3.8', 'The issuer is named and expected', (facts) => checkIssuer(facts.claims, facts)],
  [
    'RFC 8725 3.8',
    'The subject is named',
    ({ claims: { sub } }) => passedIf(isText(sub), '“sub” is present.', '“sub” is missing or not a text.'),
  ],
  ['RFC 8725 3.9', 'The audience is named and expected', (facts) => checkAudience(facts.claims, facts)],
  [
    'RFC 8725 3.10',
    'The key id is harmless',
    ({ header }) => {
      if (!has(header, 'kid')) return notApplicable('There is no “kid”.');
      if (!isText(header.kid)) return failed('“kid” is not a text.');
      if (header.kid.length > 256) return failed('“kid” has more than 256 characters.');
      return passedIf(
        !INJECTION.test(header.kid),
        '“kid” holds nothing that a path, a query or a shell would obey.',
        '“kid” holds characters of a path, a query or a shell: an injection where it is looked up.',
      );
    },
  ],
  [
    'RFC 8725 3.10',
    'It does not bring its own key',
    ({ header, typ }) => {
      const own = EMBEDDED.filter((name) => has(header, name));
      if (typ === 'dpop+jwt') return notApplicable('A DPoP proof carries its key by design (RFC 9449 section 4.2).');
      return passedIf(
        own.length === 0,
        'There is neither “jwk” nor “x5c”.',
        `The header carries ${own.join(' and ')}: a verifier that trusts it accepts anyone’s signature.`,
      );
    },
  ],
  [
    'RFC 8725 3.10',
    'It does not send the verifier anywhere',
    ({ header }) => {
      const remote = REMOTE.filter((name) => has(header, name));
      return passedIf(
        remote.length === 0,
        'There is neither “jku” nor “x5u”.',
        `The header names an address (${remote.join(', ')}): following it lets an attacker choose the key, and reach internal hosts.`,
      );
    },
  ],
  [
    'RFC 8725 3.11',
    'The type is explicit',
    ({ typ }) => {
      if (typ === '') return failed('“typ” is missing: any kind of JWT can be passed off as any other.');
      return passedIf(
        typ !== 'jwt',
        `It is of type ${typ.slice(0, 64)}.`,
        '“JWT” says nothing about the kind of token.',
      );
    },
  ],
  [
    'RFC 8725 3.12',
    'It cannot be taken for another kind',
    ({ claims, typ, use }) => {
      const ofId = ['nonce', 'at_hash', 'c_hash'].filter((name) => has(claims, name));
      const ofAccess = ['scope', 'client_id'].filter((name) => has(claims, name));
      const isMixed = ofId.length > 0 && ofAccess.length > 0;
      if (isMixed)
        return failed(
          `It has claims of an ID token (${ofId.join(', ')}) and of an access token (${ofAccess.join(', ')}).`,
        );
      if (use === 'access token' && typ !== 'at+jwt')
        return failed(
          'It looks like an access token, and its type does not say so: an ID token could stand in for it.',
        );
      return passed(use === 'JWT' ? 'Nothing in it belongs to another kind.' : `Its claims are those of an ${use}.`);
    },
  ],
  ['RFC 7519 4.1.4', 'It has not expired', (facts) => checkExpiry(facts.claims, facts)],
  ['RFC 7519 4.1.5', 'It is valid already', (facts) => checkStart(facts.claims, facts)],
];
