import { SignJWT } from 'jose';
import { DEMO_KEY } from '@/lib/contract/lab-demo-key';
import { LAB_PATHS } from '@/lib/contract/lab-paths';
import type { AssessmentTarget, ClientAuthentication, TargetClient } from '@/lib/oauth/assessment/target';
import { type LabClient, listLabClients } from '@/lib/oauth/lab/clients';
import { type ControlSwitch, type Controls, type FapiRequirement, isControlSwitch } from '@/lib/oauth/lab/controls';
import { CONTROLS_HEADER, readControlsHeader, writeControlsHeader } from '@/lib/oauth/lab/controls-header';
import { handleLabRequest } from '@/lib/oauth/lab/handle-lab-request';
import { createMemoryState } from '@/lib/oauth/lab/memory-state';
import { DATA_SCOPE } from '@/lib/oauth/lab/resources';
import type { LabServices } from '@/lib/oauth/lab/services';
import { loadSigningKey } from '@/lib/oauth/lab/signing-key';
import type { Millis } from '@/lib/units';

/** Parts of a sandboxed lab. */
export interface LabTargetOptions {
  /** Origin that the lab answers as, the one under which the caller reaches it. */
  origin: string;
  controls: Controls;
  /** Requirements of FAPI 2.0 that the lab keeps. */
  requirements?: readonly FapiRequirement[];
  /** Initial time of the lab's clock. It advances with the clock of the assessment, and can be moved. */
  startAt: Millis;
  /** Monotonic milliseconds. */
  clock: () => Millis;
  random: (length: number) => Uint8Array;
}

/**
 * Creates the built-in lab as a target, in a separate sandbox: state in memory, a clock that probes can move, a key
 * that they can sign with. The controls travel in the header, as over HTTP.
 */
export function createLabTarget(options: LabTargetOptions): AssessmentTarget {
  const { origin, controls, requirements = [] } = options;
  const from = options.clock();
  let moved = 0;
  const lab: LabServices = {
    origin,
    state: createMemoryState(),
    now: () => options.startAt + (options.clock() - from) + moved,
    random: options.random,
  };
  const header = writeControlsHeader(controls, requirements);
  const [demo, confidential, native, key, otherKey] = listLabClients(origin);
  const withKeysOnly = requirements.includes('fapi-key-authentication');
  const buildClient = (registered: typeof demo): TargetClient => ({
    id: registered?.id ?? '',
    redirectUri: registered?.redirectUris[0] ?? '',
    postLogoutRedirectUri: registered?.postLogoutRedirectUris[0],
    authentication: registered === undefined ? { method: 'none' } : convertAuthentication(registered),
  });
  return {
    name: 'The built-in lab',
    address: null,
    registration: null,
    now: lab.now,
    issuer: origin,
    transport(request) {
      if (header !== null && !request.headers.has(CONTROLS_HEADER)) request.headers.set(CONTROLS_HEADER, header);
      return handleLabRequest(request, lab);
    },
    client: buildClient(withKeysOnly ? key : demo),
    otherClient: buildClient(withKeysOnly ? otherKey : confidential),
    nativeClient: withKeysOnly ? null : buildClient(native),
    keyClient: buildClient(key),
    severalRedirectUris: true,
    scope: 'openid profile offline_access',
    resource: { url: origin + LAB_PATHS.data, scope: DATA_SCOPE },
    isFoundByResource: false,
    parameters: {},
    endpoints: {},
    login: 'none',
    cookie: '',
    requestsPerSecond: null,
    patience: 0,
    capabilities: {
      directAuthorization: true,
      secretsArePublic: true,
      async forge(claims, protectedHeader) {
        const key = await loadSigningKey(lab);
        return new SignJWT(claims)
          .setProtectedHeader({ alg: key.algorithm, typ: 'at+jwt', kid: key.kid, ...protectedHeader })
          .sign(key.privateKey);
      },
      advance(seconds) {
        moved += seconds * 1000;
      },
      relax(headers, ids) {
        headers.set(CONTROLS_HEADER, formatRelaxedControls(controls, requirements, ids.filter(isControlSwitch)));
      },
    },
  };
}

function convertAuthentication({ authentication }: LabClient): ClientAuthentication {
  switch (authentication.method) {
    case 'none':
      return { method: 'none' };
    case 'secret':
      return { method: 'post', secret: authentication.secret };
    case 'private_key_jwt':
      return { method: 'private_key_jwt', key: DEMO_KEY };
    case 'tls_client_auth':
      return { method: 'tls_client_auth' };
  }
}

function formatRelaxedControls(
  controls: Controls,
  requirements: readonly FapiRequirement[],
  ids: readonly ControlSwitch[],
): string {
  const weaker = { ...controls, ...Object.fromEntries(ids.map((id) => [id, false])) };
  const written = writeControlsHeader(weaker, requirements) ?? '';
  const reading = readControlsHeader(written);
  if (!reading.ok) throw new TypeError(reading.problem);
  return written;
}
