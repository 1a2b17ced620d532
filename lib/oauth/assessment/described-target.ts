import type { startAssessment } from '@/lib/contract/assessments';
import { FAPI_REQUIREMENTS } from '@/lib/contract/lab-switches';
import type { BodyOf } from '@/lib/contract/operation';

type OrderedTarget = BodyOf<typeof startAssessment>['target'];

/** Name of the built-in lab as a target, at any origin. */
const LAB_TARGET = 'lab';

/** Returns the key under which an assessment is stored: the issuer or the URL of the resource, without secrets. */
export function identifyTarget(target: OrderedTarget): string {
  return 'lab' in target ? LAB_TARGET : removeSecrets(findAddress(target.server));
}

/** Returns the default name of an assessment. */
export function nameTarget(target: OrderedTarget): string {
  if (!('lab' in target)) return new URL(findAddress(target.server)).host;
  const { off, requirements } = target.lab;
  const required =
    requirements.length === 0
      ? ''
      : ` with ${requirements.length} of ${FAPI_REQUIREMENTS.length} requirements of FAPI 2.0`;
  const lab = `The built-in lab${required}`;
  return off.length === 0 ? lab : `${lab}, ${off.length} ${off.length === 1 ? 'control' : 'controls'} off`;
}

function findAddress({
  url,
  issuer,
  resource_url,
  endpoints,
}: Extract<OrderedTarget, { server: unknown }>['server']): string {
  const [first] = Object.values(endpoints ?? {});
  return url ?? issuer ?? resource_url ?? new URL(first ?? '').origin;
}

/** Removes secrets. An address without any stays unchanged, because issuers are compared as written. */
function removeSecrets(address: string): string {
  const url = new URL(address);
  if (url.username + url.password + url.search + url.hash === '') return address;
  return url.origin + url.pathname;
}
