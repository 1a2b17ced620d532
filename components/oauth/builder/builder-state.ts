import { z } from 'zod';
import { editRequest, type FlowState, mergeFlow } from '@/components/oauth/flow-state';
import { RefusalCodeSchema } from '@/lib/contract/fields/enumerations';
import { parseJsonObject } from '@/lib/oauth/assessment/exchange';
import {
  BUILDER_TABS,
  type BuilderRequest,
  type BuilderTab,
  LAB_REQUESTS,
  listOmittedParameters,
  parseShareQuery,
} from '@/lib/oauth/builder/builder-request';
import { findHeader, learnFrom } from '@/lib/oauth/client/check-answer';
import { buildLabEnvironments } from '@/lib/oauth/client/environment';
import { type ClientFlow, EMPTY_FLOW, NO_EDITS, planRequest } from '@/lib/oauth/client/plan-request';
import { type ControlSwitch, type Controls, isControlSwitch } from '@/lib/oauth/lab/controls';

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

/** Builder data that is stored for the life of the browser tab. `latest` are the newest values of the flow. */
const Session = z.object({
  history: z.array(SessionRequest).readonly(),
  latest: z.object({ code: z.string(), verifier: z.string(), accessToken: z.string(), refreshToken: z.string() }),
});

export const VIEWS = ['response', 'token', 'matrix', 'sequence', 'attacks', 'lessons'] as const;

export interface BuilderState extends FlowState {
  tab: BuilderTab;
  controls: Controls;
  encoding: 'form' | 'json';
  compare: boolean;
  /** Verifier of `flow.codeChallenge`. `flow.codeVerifier` is that of the newest code. */
  verifier: string;
  /** True if the data request sends the newest token; false for its own field. */
  useLatestToken: boolean;
  view: (typeof VIEWS)[number];
  /** The lesson that is shown. Null shows the list of lessons. */
  lesson: ControlSwitch | null;
  /** Oldest first. */
  history: readonly SessionRequest[];
  /** Id of the request whose answer is shown. Null means the newest request of the tab. */
  shown: string | null;
}

export type BuilderAction =
  | { type: 'change'; part: Partial<BuilderState> }
  /** Edits parameters of a tab. Empty ones are left out of the request. */
  | { type: 'edit'; tab: BuilderTab; fields: Readonly<Record<string, string>> }
  /** Stores what the flow has brought. `verifier` is that of a new challenge. */
  | { type: 'learn'; learnt: Partial<ClientFlow>; verifier?: string }
  /** Fills in the authorization request of a lesson, unless another lesson was opened since. */
  | { type: 'teach'; lesson: ControlSwitch; fields: Readonly<Record<string, string>> }
  | { type: 'sent'; request: SessionRequest }
  | { type: 'forget' };

const MOST_REQUESTS = 50;

/** Builds the state from a link. Without one, it is a conforming authorization request. */
export function buildInitialState(query: string, issuer: string): BuilderState {
  const parameters = new URLSearchParams(query);
  const { tab, fields, controls, encoding } = parseShareQuery(parameters);
  const [environment] = buildLabEnvironments(issuer);
  const state: BuilderState = {
    ...{ environment, flow: EMPTY_FLOW, edits: {}, tab, controls, encoding: encoding ?? 'form' },
    compare: parameters.get('compare') === '1',
    verifier: '',
    useLatestToken: true,
    view: VIEWS.find((view) => view === parameters.get('view')) ?? 'response',
    lesson: readLesson(parameters),
    history: [],
    shown: null,
  };
  const omitting = listOmittedParameters(parameters).reduce(
    (before, name) => editFields(before, 'authorize', setField(name, '')),
    state,
  );
  if (!parameters.has('tab')) return omitting;
  const blank = Object.fromEntries(Object.keys(readFields(state, tab)).map((name) => [name, '']));
  return editFields(omitting, tab, { ...blank, ...fields });
}

function readLesson(parameters: URLSearchParams): ControlSwitch | null {
  const id = parameters.get('lesson') ?? '';
  return isControlSwitch(id) ? id : null;
}

export function reduceBuilder(state: BuilderState, action: BuilderAction): BuilderState {
  switch (action.type) {
    case 'change':
      return { ...state, ...action.part };
    case 'edit':
      return editFields(state, action.tab, action.fields);
    case 'learn':
      return { ...mergeFlowInBuilder(state, action.learnt), verifier: action.verifier ?? state.verifier };
    case 'teach':
      return action.lesson === state.lesson ? editFields(state, 'authorize', action.fields) : state;
    case 'sent': {
      const { id, tab, answer } = action.request;
      // The builder pushes no requests, so a typed `request_uri` is kept.
      const { requestUri: _, ...learnt } = answer.kind === 'answer' ? learnFrom(LAB_REQUESTS[tab].step, answer) : {};
      const history = [...state.history, action.request].slice(-MOST_REQUESTS);
      return { ...mergeFlowInBuilder(state, learnt), history, shown: id };
    }
    case 'forget':
      return { ...state, flow: { ...state.flow, ...NOTHING_LEARNT }, history: [], shown: null };
  }
}

const NOTHING_LEARNT = { code: '', codeVerifier: '', accessToken: '', refreshToken: '', idToken: '' };

/** A code comes with the verifier of the sent challenge, or without one if the challenge was not generated here. */
function mergeFlowInBuilder(state: BuilderState, learnt: Partial<ClientFlow>): BuilderState {
  if (!learnt.code) return mergeFlow(state, learnt);
  const isOwn = readFields(state, 'authorize').code_challenge === state.flow.codeChallenge;
  return mergeFlow(state, { ...learnt, codeVerifier: isOwn ? state.verifier : '' });
}

/** Returns a field with its new value. Clearing the challenge also clears its method. */
export function setField(name: string, value: string): Readonly<Record<string, string>> {
  return name === 'code_challenge' && value === '' ? { [name]: '', code_challenge_method: '' } : { [name]: value };
}

function editFields(state: BuilderState, tab: BuilderTab, fields: Readonly<Record<string, string>>): BuilderState {
  const parameters = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value || null]));
  return editRequest(state, LAB_REQUESTS[tab].step, { parameters });
}

/** Returns the fields of a tab: the parameters that are sent, and those that a person has emptied. */
export function readFields(state: BuilderState, tab: BuilderTab): Readonly<Record<string, string>> {
  const { environment, flow, useLatestToken } = state;
  const { step } = LAB_REQUESTS[tab];
  const edits = state.edits[step] ?? NO_EDITS;
  if (tab === 'data')
    return { access_token: (useLatestToken ? flow.accessToken : edits.parameters.access_token) ?? '' };
  const planned = planRequest(step, { environment, flow, edits, metadata: null, thumbprint: '' });
  const emptied = Object.entries(edits.parameters).filter(([, value]) => value === null);
  return Object.fromEntries([...planned.parameters, ...emptied.map(([name]) => [name, ''])]);
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
  const header = findHeader(answer, 'sluice-lab-waived') ?? '';
  const waived = isAccepted(answer) ? header.split(', ').filter((id) => id !== '') : [];
  return { refusedBy, waived };
}

/** Returns the seconds to wait if Sluice's own limit refused the request. Null if the lab received it. */
export function readLimitWait(answer: HttpAnswer): number | null {
  // The lab never uses these codes.
  const limited =
    [429, 503].includes(answer.status) && RefusalCodeSchema.safeParse(parseJsonObject(answer.body).error).success;
  return limited ? Math.max(1, Number(findHeader(answer, 'retry-after')) || 1) : null;
}

export function buildCurrentRequest(state: BuilderState): BuilderRequest {
  const { tab, controls, encoding } = state;
  return { tab, fields: readFields(state, tab), controls, encoding };
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
export function readSession(): Pick<BuilderState, 'history' | 'flow'> | null {
  try {
    const { history, latest } = Session.parse(JSON.parse(sessionStorage.getItem(KEY) ?? 'null'));
    const { verifier: codeVerifier, ...tokens } = latest;
    return { history, flow: { ...EMPTY_FLOW, ...tokens, codeVerifier } };
  } catch {
    return null;
  }
}

/** Stores a session. If it is too large, the oldest requests are dropped. */
export function writeSession({ history, flow }: Pick<BuilderState, 'history' | 'flow'>): void {
  const { code, codeVerifier: verifier, accessToken, refreshToken } = flow;
  const latest = { code, verifier, accessToken, refreshToken };
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
  return response.kind === 'fault' ? {} : parseJsonObject(response.body);
}

export function readText(response: BuilderResponse, name: string): string | null {
  const value = parseJsonBody(response)[name];
  return typeof value === 'string' ? value : null;
}
