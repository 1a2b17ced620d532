import { mutant, type SourceMutant } from './source-mutant';

const DEVICE = 'device-authorization.ts';
const PAGE = 'device-page.ts';

/** Weaknesses of the device grant. */
export const DEVICE_MUTANTS: readonly SourceMutant[] = [
  mutant(
    'device-code-entropy',
    'makes device codes of 32 random bits',
    'tickets.ts',
    'lab.random(32)',
    "lab.random(kind === 'device' ? 4 : 32)",
  ),
  mutant(
    'user-code-entropy',
    'makes user codes of four letters',
    DEVICE,
    'const USER_CODE_LENGTH = 8;',
    'const USER_CODE_LENGTH = 4;',
  ),
  mutant(
    'device-approval',
    'forgets that a person has to agree',
    DEVICE,
    'if (answer.usedAt === null) {',
    'if (false) {',
    { silences: ['device-consent'] },
  ),
  mutant(
    'device-consent',
    'connects the device when the page is opened',
    PAGE,
    "lab.controls['device-consent'] ?",
    'userCode === undefined ?',
  ),
  mutant('device-code-client-binding', 'does not compare the client', DEVICE, 'if (!isOwn) {', 'if (false) {'),
  mutant(
    'device-code-single-use',
    'never takes a device code for used',
    DEVICE,
    'if (used) violations',
    'if (false) violations',
  ),
  mutant(
    'device-code-lifetime',
    'lets a device code live twice as long as it says',
    DEVICE,
    'createdAt + DEVICE_CODE_LIFETIME * 1000',
    'createdAt + DEVICE_CODE_LIFETIME * 2000',
  ),
  mutant(
    'device-verification-uri',
    'sends people to a page without TLS',
    DEVICE,
    'verification_uri: address,',
    "verification_uri: address.replace('localhost', 'lab.example'),",
  ),
  mutant(
    'device-client-authentication',
    'takes any credentials for a device code',
    'authenticate-client.ts',
    'if (problem !== null) violations',
    "if (problem !== null && !request.url.includes('device')) violations",
  ),
];
