import { editRequest, type FlowState, mergeFlow } from '@/components/oauth/flow-state';
import type { Exchange } from '@/lib/oauth/assessment/exchange';
import { learnFrom } from '@/lib/oauth/client/check-answer';
import type { ReturnedParameters } from '@/lib/oauth/client/check-authorization-response';
import type { ClientCheck } from '@/lib/oauth/client/client-check';
import { CLIENT_STEPS, type ClientStep } from '@/lib/oauth/client/client-step';
import type { ClientEnvironment } from '@/lib/oauth/client/environment';
import { type ClientFlow, EMPTY_FLOW, NO_EDITS, type RequestEdits } from '@/lib/oauth/client/plan-request';
import { findEndpoint, type ServerMetadata } from '@/lib/oauth/client/server-metadata';
import { describeMissingValue, explainSkip } from '@/lib/oauth/client/why-skipped';

/** A finished step and its result. */
export interface ClientEntry {
  id: string;
  step: ClientStep;
  exchanges: readonly Exchange[];
  /** Parameters that the browser came back with, for the step `authorize`. */
  returned: ReturnedParameters | null;
  checks: readonly ClientCheck[];
}

export interface ClientState extends FlowState {
  step: ClientStep;
  entries: readonly ClientEntry[];
  /** True while a page of the server is open and has not come back. */
  waiting: boolean;
  /** Reason why the last request got no answer. */
  fault: string | null;
}

export type ClientAction =
  | { type: 'choose'; environment: ClientEnvironment }
  | { type: 'set'; part: Partial<ClientEnvironment> }
  | { type: 'start'; flow: ClientFlow }
  | { type: 'step'; step: ClientStep }
  | { type: 'edit'; step: ClientStep; edits: Partial<RequestEdits> }
  | { type: 'restore'; step: ClientStep }
  | { type: 'wait' }
  | { type: 'fault'; fault: string }
  | { type: 'done'; entry: ClientEntry; learnt: Partial<ClientFlow> };

export function buildInitialClientState(environment: ClientEnvironment): ClientState {
  const step = environment.par ? 'par' : 'authorize';
  return { environment, flow: EMPTY_FLOW, step, edits: {}, entries: [], waiting: false, fault: null };
}

export function reduceClient(state: ClientState, action: ClientAction): ClientState {
  switch (action.type) {
    case 'choose':
      return buildInitialClientState(action.environment);
    case 'set':
      return { ...state, environment: { ...state.environment, ...action.part } };
    case 'start':
      return { ...mergeFlow(state, action.flow), waiting: false, fault: null };
    case 'step':
      return { ...state, step: action.step, fault: null };
    case 'edit':
      return editRequest(state, action.step, action.edits);
    case 'restore':
      return { ...state, edits: { ...state.edits, [action.step]: NO_EDITS } };
    case 'wait':
      return { ...state, waiting: true, fault: null };
    case 'fault':
      return { ...state, fault: action.fault };
    case 'done':
      return {
        ...mergeFlow(state, action.learnt),
        entries: [...state.entries, action.entry],
        waiting: state.waiting && !(action.entry.step === 'authorize' && action.learnt.code !== undefined),
        fault: null,
      };
  }
}

const TOKENS = { accessToken: 'Access token', idToken: 'ID token', refreshToken: 'Refresh token' } as const;

/** Lists the tokens that an entry brought, with their names. */
export function listTokens({ step, exchanges }: ClientEntry): readonly { name: string; token: string }[] {
  const answer = exchanges.at(-1)?.response;
  const learnt = answer === undefined ? {} : learnFrom(step, answer);
  return (['accessToken', 'idToken', 'refreshToken'] as const).flatMap((member) => {
    const token = learnt[member];
    return token ? [{ name: TOKENS[member], token }] : [];
  });
}

const AFTER: Readonly<Record<ClientStep, readonly ClientStep[]>> = {
  par: ['authorize'],
  authorize: ['token'],
  token: ['userinfo', 'refresh', 'introspect', 'revoke'],
  userinfo: ['refresh', 'introspect', 'revoke'],
  refresh: ['introspect', 'revoke'],
  client_credentials: ['introspect', 'revoke'],
  resource: ['refresh', 'introspect', 'revoke'],
  introspect: ['revoke'],
  revoke: [],
};

/** Returns the usual next step among those that the server offers and that are open. Null at the end of the flow. */
export function findNextStep(
  step: ClientStep,
  { flow, environment, entries }: ClientState,
  metadata: ServerMetadata | null,
): ClientStep | null {
  const begun = entries.findLastIndex((entry) => entry.step === 'authorize' || entry.step === 'par');
  const done = new Set(entries.slice(Math.max(begun, 0)).map((entry) => entry.step));
  const isOffered = (next: ClientStep) => {
    if (done.has(next) || explainSkip(next, environment, metadata) || describeMissingValue(next, flow)) return false;
    const { endpoint } = CLIENT_STEPS[next];
    return endpoint !== null && findEndpoint(endpoint, environment, metadata) !== '';
  };
  return AFTER[step].find(isOffered) ?? null;
}
