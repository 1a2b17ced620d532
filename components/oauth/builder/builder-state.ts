import { z } from 'zod';
import { initialFields, type Quoted } from '@/components/oauth/builder/request-fields';
import { RefusalCodeSchema } from '@/lib/contract/fields/enumerations';
import { jsonObject } from '@/lib/oauth/assessment/exchange';
import {
  BUILDER_TABS,
  type BuilderRequest,
  type BuilderTab,
  fromShareQuery,
} from '@/lib/oauth/builder/builder-request';
import { headerOf } from '@/lib/oauth/client/check-answer';
import type { Controls } from '@/lib/oauth/lab/controls';
import type { PkcePair } from '@/lib/oauth/pkce';

/** Answer as received. */
export const HttpAnswer = z.object({
  status: z.number(),
  headers: z.array(z.tuple([z.string(), z.string()]).readonly()).readonly(),
  body: z.string(),
});
type HttpAnswer = z.output<typeof HttpAnswer>;

const BuilderResponse = z.discriminatedUnion('kind', [
  HttpAnswer.extend({ kind: z.literal('answer'), durationMs: z.number() }),
  z.object({ kind: z.literal('fault'), text: z.string() }),
]);
export type BuilderResponse = z.output<typeof BuilderResponse>;

const SessionRequest = z.object({
  id: z.string(),
  /** Time in milliseconds since the epoch. */
  at: z.number(),
  tab: z.enum(BUILDER_TABS),
  off: z.array(z.string()),
  answer: BuilderResponse,
  /** Answer of the secure configuration at the same time. Null without a comparison. */
  secure: BuilderResponse.nullable(),
  /** Controls that refuse the request in the secure configuration. */
  blockedBy: z.array(z.string()),
});
export type SessionRequest = z.output<typeof SessionRequest>;

const Session = z.object({
  /** Oldest first. */
  history: z.array(SessionRequest).readonly(),
  /** Newest values that the flow has produced, for the fill-in buttons. */
  latest: z.object({ code: z.string(), verifier: z.string(), accessToken: z.string(), refreshToken: z.string() }),
});
/** Builder data that is stored for the life of the browser tab. */
export type Session = z.output<typeof Session>;

export const VIEWS = ['response', 'token', 'matrix', 'sequence', 'attacks'] as const;

export interface BuilderState extends Session {
  tab: BuilderTab;
  fields: Readonly<Record<BuilderTab, Readonly<Record<string, string>>>>;
  controls: Controls;
  encoding: 'form' | 'json';
  compare: boolean;
  /** Newest PKCE pair. It matches the challenge of the authorization request unless that was edited. */
  pair: PkcePair | null;
  /** True if the data request sends `latest.accessToken`; false for its own field. */
  useLatestToken: boolean;
  view: (typeof VIEWS)[number];
  /** Id of the request whose answer is shown. Null means the newest request of the tab. */
  shown: string | null;
}

/** Actions of the reducer. `fill` sets fields of a tab and the values to remember from them. */
export type BuilderAction =
  | { type: 'change'; part: Partial<BuilderState> }
  | { type: 'fill'; tab: BuilderTab; fields: Readonly<Record<string, string>>; latest?: Partial<Session['latest']> }
  /** Replaces the values that a client generates for each flow. */
  | { type: 'freshen'; fields: Readonly<Record<string, string>>; pair: PkcePair | null }
  | { type: 'sent'; request: SessionRequest }
  | { type: 'forget' };

const NOTHING = { code: '', verifier: '', accessToken: '', refreshToken: '' };
const MOST_REQUESTS = 50;

/** Builds the state from a link. Without one, it is a conforming authorization request. */
export function initialState(query: string, lab: Omit<Quoted, 'controls'>): BuilderState {
  const parameters = new URLSearchParams(query);
  const linked = fromShareQuery(parameters);
  const quoted = { ...lab, controls: linked.controls };
  const fields = {
    authorize: initialFields('authorize', quoted),
    token: initialFields('token', quoted),
    data: initialFields('data', quoted),
  };
  if (parameters.has('tab')) {
    const empty = Object.fromEntries(Object.keys(fields[linked.tab]).map((name) => [name, '']));
    fields[linked.tab] = { ...empty, ...linked.fields };
  }
  return {
    ...linked,
    fields,
    encoding: linked.encoding ?? 'form',
    compare: parameters.get('compare') === '1',
    pair: null,
    useLatestToken: true,
    view: VIEWS.find((view) => view === parameters.get('view')) ?? 'response',
    latest: NOTHING,
    history: [],
    shown: null,
  };
}

export function reduceBuilder(state: BuilderState, action: BuilderAction): BuilderState {
  const { fields, latest } = state;
  switch (action.type) {
    case 'change':
      return { ...state, ...action.part };
    case 'fill':
      return {
        ...state,
        fields: { ...fields, [action.tab]: { ...fields[action.tab], ...action.fields } },
        latest: { ...latest, ...action.latest },
      };
    case 'freshen':
      return {
        ...state,
        pair: action.pair ?? state.pair,
        fields: { ...fields, authorize: { ...fields.authorize, ...action.fields } },
      };
    case 'sent': {
      const { id, tab, answer } = action.request;
      const code = tab === 'authorize' ? readText(answer, 'code') : null;
      const verifier = code === null ? latest.verifier : findVerifier(state);
      return {
        ...state,
        fields:
          code === null ? fields : { ...fields, token: { ...fields.token, ...buildRedemption(state, code, verifier) } },
        history: [...state.history, action.request].slice(-MOST_REQUESTS),
        latest: {
          ...latest,
          code: readText(answer, 'code') || latest.code,
          verifier,
          accessToken: readText(answer, 'access_token') || latest.accessToken,
          refreshToken: readText(answer, 'refresh_token') || latest.refreshToken,
        },
        shown: id,
      };
    }
    case 'forget':
      return { ...state, history: [], latest: NOTHING, shown: null };
  }
}

/** Returns the verifier of the sent challenge, or an empty text if the challenge was not generated here. */
function findVerifier({ fields, pair }: BuilderState): string {
  return pair !== null && fields.authorize.code_challenge === pair.challenge ? pair.verifier : '';
}

/** Returns the fields that the token request takes from the authorization request and its answer. */
function buildRedemption({ fields }: BuilderState, code: string, code_verifier: string): Record<string, string> {
  const { client_id = '', redirect_uri = '' } = fields.authorize;
  return { grant_type: 'authorization_code', code, code_verifier, client_id, redirect_uri };
}

/** Returns the newest request of each tab since the last authorization request, which is the current flow. */
export function selectFlow(history: readonly SessionRequest[]): readonly SessionRequest[] {
  const start = history.findLastIndex(({ tab }) => tab === 'authorize');
  const flow = history.slice(Math.max(0, start));
  return BUILDER_TABS.flatMap((tab) => flow.findLast((request) => request.tab === tab) ?? []);
}

/** True if the request was answered without an error. */
export function isAccepted(answer: BuilderResponse): boolean {
  return answer.kind === 'answer' && answer.status < 400;
}

/** Lists the controls that an answer names: in its body if they refused, in a header if they would have refused. */
export function listControls(answer: BuilderResponse): { refusedBy: readonly string[]; waived: readonly string[] } {
  if (answer.kind === 'fault') return { refusedBy: [], waived: [] };
  const named = parseJsonBody(answer).blocked_by;
  const refusedBy = Array.isArray(named) ? named.filter((id) => typeof id === 'string') : [];
  const header = headerOf(answer, 'sluice-lab-waived') ?? '';
  const waived = isAccepted(answer) ? header.split(', ').filter((id) => id !== '') : [];
  return { refusedBy, waived };
}

/** Returns the seconds to wait if Sluice's own limit refused the request. Null if the lab received it. */
export function readLimitWait(answer: HttpAnswer): number | null {
  // The lab never uses these codes.
  const limited =
    [429, 503].includes(answer.status) && RefusalCodeSchema.safeParse(jsonObject(answer.body).error).success;
  return limited ? Math.max(1, Number(headerOf(answer, 'retry-after')) || 1) : null;
}

export function currentRequest(state: BuilderState): BuilderRequest {
  const { tab, controls, encoding } = state;
  const latestToken = tab === 'data' && state.useLatestToken ? { access_token: state.latest.accessToken } : null;
  return { tab, fields: { ...state.fields[tab], ...latestToken }, controls, encoding };
}

/** Returns the request whose answer the current tab shows. */
export function findShownRequest({ history, tab, shown }: BuilderState): SessionRequest | null {
  const ofTab = history.filter((request) => request.tab === tab);
  return ofTab.find(({ id }) => id === shown) ?? ofTab.at(-1) ?? null;
}

const KEY = 'sluice.oauth.builder';
/** Maximum size of a stored session, in characters. */
const LONGEST = 1_000_000;

/** Reads the session of this browser tab. Null if there is none, or if another version of the page wrote it. */
export function readSession(): Session | null {
  try {
    return Session.parse(JSON.parse(sessionStorage.getItem(KEY) ?? 'null'));
  } catch {
    return null;
  }
}

/** Stores a session. If it is too large, the oldest requests are dropped. */
export function writeSession({ history, latest }: Session): void {
  for (let from = 0; from <= history.length; from = from * 2 + 1) {
    const text = JSON.stringify({ history: history.slice(from), latest });
    if (text.length > LONGEST) continue;
    try {
      sessionStorage.setItem(KEY, text);
      return;
    } catch {
      // The storage is full; the loop retries with fewer requests.
    }
  }
}

export const clearSession = () => sessionStorage.removeItem(KEY);

/** Parses the JSON object in a response body. Empty if there is none. */
export function parseJsonBody(response: BuilderResponse): Record<string, unknown> {
  return response.kind === 'fault' ? {} : jsonObject(response.body);
}

export function readText(response: BuilderResponse, name: string): string | null {
  const value = parseJsonBody(response)[name];
  return typeof value === 'string' ? value : null;
}
