import {
  type BuilderResponse,
  listControls,
  parseJsonBody,
  readLimitWait,
  type SessionRequest,
} from '@/components/oauth/builder/builder-state';
import type { Arrow } from '@/components/oauth/sequence-diagram';
import { nameEndpoint } from '@/lib/oauth/builder/builder-request';

export const FLOW_ACTORS = ['browser', 'client', 'authorization server', 'resource server'] as const;

const ROUTES = {
  authorize: ['browser', 'authorization server'],
  token: ['client', 'authorization server'],
  data: ['client', 'resource server'],
} as const;

/** Builds the arrows of the requests so far, oldest first. Each opens its exchange. */
export function buildFlowArrows(history: readonly SessionRequest[], open: (request: SessionRequest) => void): Arrow[] {
  return history.flatMap((request) => {
    const { id, tab, answer } = request;
    const [from, to] = ROUTES[tab];
    const onOpen = () => open(request);
    const verdict = listControls(answer).waived.length > 0 ? 'bad' : undefined;
    const arrows: Arrow[] = [
      { key: `${id}-request`, from, to, text: nameEndpoint(tab), onOpen },
      { key: `${id}-answer`, from: to, to: from, ...summarizeOutcome(answer), answer: true, verdict, onOpen },
    ];
    if (tab === 'authorize' && typeof parseJsonBody(answer).code === 'string') {
      arrows.push({ key: `${id}-code`, from: 'browser', to: 'client', text: 'code, state, iss', onOpen });
    }
    return arrows;
  });
}

const ISSUED = {
  code: 'code',
  access_token: 'access token',
  refresh_token: 'refresh token',
  id_token: 'ID token',
};

/** Summarizes an answer in a few words. */
export function summarizeOutcome(answer: BuilderResponse): { text: string; refused: boolean } {
  if (answer.kind === 'fault') return { text: 'no response', refused: true };
  if (readLimitWait(answer) !== null) return { text: `${answer.status} rate limit of Sluice`, refused: true };
  const body = parseJsonBody(answer);
  if (typeof body.error === 'string') return { text: `${answer.status} ${body.error}`, refused: true };
  const issued = Object.entries(ISSUED).flatMap(([name, words]) => (typeof body[name] === 'string' ? words : []));
  return { text: `${answer.status} ${issued.join(', ')}`.trim(), refused: answer.status >= 400 };
}
