import { SignJWT } from 'jose';
import { LAB_PATHS } from '@/lib/contract/lab-paths';
import type { ProbeServices } from '@/lib/oauth/assessment/probe';
import type { AssessmentTarget } from '@/lib/oauth/assessment/target';
import { labClients } from '@/lib/oauth/lab/clients';
import { type Controls, controlsWithout, isControlSwitch, switchedOff } from '@/lib/oauth/lab/controls';
import { CONTROLS_HEADER, writeControlsHeader } from '@/lib/oauth/lab/controls-header';
import { DATA_SCOPE } from '@/lib/oauth/lab/data';
import { handleLabRequest } from '@/lib/oauth/lab/handle-lab-request';
import { memoryState } from '@/lib/oauth/lab/memory-state';
import type { LabServices } from '@/lib/oauth/lab/services';
import { SIGNING_ALGORITHM, signingKey } from '@/lib/oauth/lab/signing-key';
import type { Millis } from '@/lib/units';

interface LabTargetOptions extends ProbeServices {
  /** The origin that the lab answers as: the one under which the caller knows it. */
  origin: string;
  controls: Controls;
  /** What the lab's clock shows at first; it runs on with the assessment's own clock and can be moved. */
  startAt: Millis;
}

/**
 * The built-in lab as a target, in a sandbox of its own: state in memory, a clock that probes can move, a key that they
 * can sign with. The controls travel in the header, as they do over HTTP.
 */
export function labTarget({ origin, controls, startAt, clock, random }: LabTargetOptions): AssessmentTarget {
  const from = clock();
  let moved = 0;
  const now = () => startAt + (clock() - from) + moved;
  const lab: LabServices = { origin, state: memoryState(), now, random };
  const header = writeControlsHeader(controls);
  const [demo, confidential, native] = labClients(origin);
  const client = (registered: typeof demo, index = 0) => ({
    id: registered?.id ?? '',
    secret: registered?.secret ?? null,
    redirectUri: registered?.redirectUris[index] ?? '',
  });
  return {
    name: 'The built-in lab',
    issuer: origin,
    transport(request) {
      if (header !== null && !request.headers.has(CONTROLS_HEADER)) request.headers.set(CONTROLS_HEADER, header);
      return handleLabRequest(request, lab);
    },
    client: client(demo),
    otherClient: client(confidential),
    nativeClient: client(native),
    severalRedirectUris: true,
    scope: 'openid profile offline_access',
    resource: { url: origin + LAB_PATHS.data, scope: DATA_SCOPE },
    session: {},
    capabilities: {
      directAuthorization: true,
      async forge(claims, protectedHeader) {
        const key = await signingKey(lab);
        return new SignJWT(claims)
          .setProtectedHeader({ alg: SIGNING_ALGORITHM, typ: 'at+jwt', kid: key.kid, ...protectedHeader })
          .sign(key.privateKey);
      },
      advance(seconds) {
        moved += seconds * 1000;
      },
      relax(headers, ids) {
        const weaker = controlsWithout(...switchedOff(controls), ...ids.filter(isControlSwitch));
        headers.set(CONTROLS_HEADER, writeControlsHeader(weaker) ?? '');
      },
    },
  };
}
