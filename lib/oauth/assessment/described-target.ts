import type { startAssessment } from '@/lib/contract/assessments';
import type { BodyOf } from '@/lib/contract/operation';

type OrderedTarget = BodyOf<typeof startAssessment>['target'];

/** What stands for the built-in lab as a target, under whatever origin it is called. */
const LAB_TARGET = 'lab';

/** What an assessment is kept under: the issuer, or the URL of the resource, without anything that could be a secret. */
export function targetOf(target: OrderedTarget): string {
  return 'lab' in target ? LAB_TARGET : withoutSecrets(addressOf(target.server));
}

/** The name of an assessment that was given none. */
export function nameOf(target: OrderedTarget): string {
  if (!('lab' in target)) return new URL(addressOf(target.server)).host;
  const { length } = target.lab.off;
  return length === 0 ? 'The built-in lab' : `The built-in lab, ${length} ${length === 1 ? 'control' : 'controls'} off`;
}

function addressOf({ issuer, resource_url, endpoints }: Extract<OrderedTarget, { server: unknown }>['server']): string {
  const [first] = Object.values(endpoints ?? {});
  return issuer ?? resource_url ?? new URL(first ?? '').origin;
}

/** An issuer is compared as it is written, so that nothing is changed that need not be. */
function withoutSecrets(address: string): string {
  const url = new URL(address);
  if (url.username + url.password + url.search + url.hash === '') return address;
  return url.origin + url.pathname;
}
