import type { JSONWebKeySet } from 'jose';
import { LAB_PATHS, RESOURCE_AUDIENCE } from '@/lib/contract/lab-paths';
import { describeCatalogue } from '@/lib/oauth/controls/catalogue';
import type { ControlDescription } from '@/lib/oauth/controls/control';
import { CODE_KEPT, CODE_LIFETIME } from '@/lib/oauth/lab/authorize';
import { ACCESS_TOKEN_LIFETIME, WEAK_ACCESS_TOKEN_LIFETIME } from '@/lib/oauth/lab/grant';
import { handleLabRequest } from '@/lib/oauth/lab/handle-lab-request';
import type { LabServices } from '@/lib/oauth/lab/services';
import type { Replay } from '@/lib/oauth/replays/replay';
import { describeReplays } from '@/lib/oauth/replays/replays';

/** Lifetimes of the lab's secrets in seconds, each with and without the control that limits it. */
interface LabLifetimes {
  code: { limited: number; unlimited: number };
  accessToken: { limited: number; unlimited: number };
}

/** Facts about the lab that a page needs before it sends a request. */
export interface LabDescription {
  /** The issuer: the origin under which the caller reaches the lab. */
  issuer: string;
  audience: string;
  /** Keys that the lab publishes at its JWKS address. */
  keys: JSONWebKeySet;
  lifetimes: LabLifetimes;
  controls: readonly ControlDescription[];
  replays: readonly Omit<Replay, 'play'>[];
}

/** Describes the lab. The published keys are read in process, so this uses up no rate limit. */
export async function describeLab(lab: LabServices): Promise<LabDescription> {
  const answer = await handleLabRequest(new Request(lab.origin + LAB_PATHS.jwks), lab);
  const keys: JSONWebKeySet = await answer.json();
  return {
    issuer: lab.origin,
    audience: RESOURCE_AUDIENCE,
    keys,
    lifetimes: {
      code: { limited: CODE_LIFETIME, unlimited: CODE_KEPT },
      accessToken: { limited: ACCESS_TOKEN_LIFETIME, unlimited: WEAK_ACCESS_TOKEN_LIFETIME },
    },
    controls: describeCatalogue(),
    replays: describeReplays(),
  };
}
