import type { ClientStep } from '@/lib/oauth/client/client-step';
import type { ClientEnvironment } from '@/lib/oauth/client/environment';
import { type ClientFlow, NO_EDITS, type RequestEdits } from '@/lib/oauth/client/plan-request';

/** A flow in progress. The builder and the OAuth client plan their requests from it. */
export interface FlowState {
  environment: ClientEnvironment;
  flow: ClientFlow;
  /** Changes that a person made to each request. */
  edits: Readonly<Partial<Record<ClientStep, RequestEdits>>>;
}

/** Edits a request. State and nonce are also stored in the flow, because the response is compared with them. */
export function editRequest<State extends FlowState>(
  state: State,
  step: ClientStep,
  part: Partial<RequestEdits>,
): State {
  const before = state.edits[step] ?? NO_EDITS;
  const { parameters = {} } = part;
  const edits = { ...before, ...part, parameters: { ...before.parameters, ...parameters } };
  const asks = step === 'authorize' || step === 'par';
  const flow = { ...state.flow };
  for (const name of ['state', 'nonce'] as const)
    if (asks && parameters[name] !== undefined) flow[name] = parameters[name] ?? '';
  return { ...state, flow, edits: { ...state.edits, [step]: edits } };
}

type Filled = Readonly<Partial<Record<keyof ClientFlow, string>>>;
const AUTHORIZATION = { state: 'state', nonce: 'nonce', codeChallenge: 'code_challenge' };
/** Parameters that learnt values fill, by step. */
const FILLED: Readonly<Partial<Record<ClientStep, Filled>>> = {
  par: AUTHORIZATION,
  authorize: { ...AUTHORIZATION, requestUri: 'request_uri' },
  token: { code: 'code', codeVerifier: 'code_verifier' },
  refresh: { refreshToken: 'refresh_token' },
  introspect: { accessToken: 'token' },
  revoke: { accessToken: 'token' },
};

/**
 * Stores what a new flow or an answer brought. Edits of the parameters that this fills are dropped. With a new code, the
 * token request repeats the client and the redirect URI that the authorization request had.
 */
export function mergeFlow<State extends FlowState>(state: State, learnt: Partial<ClientFlow>): State {
  const { environment, edits } = state;
  const current = Object.entries(edits).map(([step, edit]) => {
    const outdated = Object.entries(FILLED[step as ClientStep] ?? {}).flatMap(([member, name]) =>
      member in learnt ? [name] : [],
    );
    return [step, { ...edit, parameters: omit(edit.parameters, outdated) }] as const;
  });
  const remainingEdits: FlowState['edits'] = Object.fromEntries(current);
  const next = { ...state, flow: { ...state.flow, ...learnt }, edits: remainingEdits };
  if (!learnt.code) return next;
  const sent = edits[environment.par ? 'par' : 'authorize']?.parameters ?? {};
  const repeated = Object.fromEntries(REPEATED.flatMap((name) => (name in sent ? [[name, sent[name] ?? null]] : [])));
  if (remainingEdits.token === undefined && Object.keys(repeated).length === 0) return next;
  const token = remainingEdits.token ?? NO_EDITS;
  const parameters = { ...omit(token.parameters, ['grant_type', ...REPEATED]), ...repeated };
  return { ...next, edits: { ...remainingEdits, token: { ...token, parameters } } };
}

const REPEATED = ['client_id', 'redirect_uri'];

const omit = (parameters: RequestEdits['parameters'], names: readonly string[]): RequestEdits['parameters'] =>
  Object.fromEntries(Object.entries(parameters).filter(([name]) => !names.includes(name)));
