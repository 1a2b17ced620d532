import { describe, expect, it } from 'vitest';
import { buildInitialState, readFields, reduceBuilder } from '@/components/oauth/builder/builder-state';
import { editRequest, type FlowState, mergeFlow } from '@/components/oauth/flow-state';
import type { ClientStep } from '@/lib/oauth/client/client-step';
import { buildLabEnvironments } from '@/lib/oauth/client/environment';
import { EMPTY_FLOW, NO_EDITS, planRequest } from '@/lib/oauth/client/plan-request';

const ORIGIN = 'http://localhost:3000';
const begun: FlowState = { environment: buildLabEnvironments(ORIGIN)[0], flow: EMPTY_FLOW, edits: {} };
const parametersOf = ({ environment, flow, edits }: FlowState, step: ClientStep) =>
  Object.fromEntries(
    planRequest(step, { environment, flow, metadata: null, thumbprint: '', edits: edits[step] ?? NO_EDITS }).parameters,
  );

describe('a value that the flow brings', () => {
  it.each([
    ['authorize', 'state', { state: 'new' }],
    ['authorize', 'nonce', { nonce: 'new' }],
    ['authorize', 'code_challenge', { codeChallenge: 'new' }],
    ['par', 'state', { state: 'new' }],
    ['token', 'code', { code: 'new' }],
    ['token', 'code_verifier', { codeVerifier: 'new' }],
    ['refresh', 'refresh_token', { refreshToken: 'new' }],
    ['introspect', 'token', { accessToken: 'new' }],
  ] as const)('replaces what was typed: %s %s', (step, name, learnt) => {
    const typed = editRequest(begun, step, { parameters: { [name]: 'typed', own: 'typed' } });
    expect(parametersOf(typed, step)).toMatchObject({ [name]: 'typed', own: 'typed' });
    expect(parametersOf(mergeFlow(typed, learnt), step)).toMatchObject({ [name]: 'new', own: 'typed' });
  });

  it('leaves a refresh token that was typed into the token request, so that it can be used twice', () => {
    const typed = editRequest(begun, 'token', { parameters: { grant_type: 'refresh_token', refresh_token: 'old' } });
    expect(parametersOf(mergeFlow(typed, { accessToken: 'a', refreshToken: 'new' }), 'token')).toMatchObject({
      grant_type: 'refresh_token',
      refresh_token: 'old',
    });
  });

  it.each(['authorize', 'par'] as const)('makes the token request repeat what the request changed: %s', (step) => {
    const start: FlowState = { ...begun, environment: { ...begun.environment, par: step === 'par' } };
    const sent = { client_id: 'demo-native', redirect_uri: 'http://127.0.0.1:1/callback' };
    let state = editRequest(start, 'token', { parameters: { grant_type: 'password', client_id: 'x', own: 'typed' } });
    state = editRequest(state, step, { parameters: { ...sent, scope: 'email' } });
    expect(parametersOf(mergeFlow(state, { code: 'c' }), 'token')).toEqual({
      ...{ grant_type: 'authorization_code', code: 'c', own: 'typed' },
      ...sent,
    });
    expect(mergeFlow(start, { code: 'c' }).edits).toEqual({});
  });
});

describe('the builder', () => {
  it('redeems a code with the verifier of its challenge, also after a new pair was generated', () => {
    let state = buildInitialState('', ORIGIN);
    state = reduceBuilder(state, { type: 'learn', learnt: { codeChallenge: 'c1' }, verifier: 'v1' });
    state = reduceBuilder(state, { type: 'learn', learnt: { code: 'code' } });
    state = reduceBuilder(state, { type: 'learn', learnt: { codeChallenge: 'c2' }, verifier: 'v2' });
    expect(readFields(state, 'token')).toMatchObject({ code: 'code', code_verifier: 'v1' });
    expect(readFields(state, 'authorize')).toMatchObject({ code_challenge: 'c2', code_challenge_method: 'S256' });
  });

  it.each([
    ['', {}],
    ['omit=state', { state: '' }],
    ['omit=code_challenge', { code_challenge: '', code_challenge_method: '' }],
    [
      'tab=authorize&omit=code_challenge state',
      { code_challenge: '', code_challenge_method: '', state: '', scope: '' },
    ],
    ['tab=token&omit=scope', {}],
  ])('generates what the link %j does not leave out', (query, empty) => {
    const learnt = { state: 's', codeChallenge: 'c' };
    const state = reduceBuilder(buildInitialState(query, ORIGIN), { type: 'learn', learnt: {} });
    const { flow } = { flow: { ...state.flow, ...learnt } };
    expect(readFields({ ...state, flow }, 'authorize')).toMatchObject({
      ...{ state: 's', code_challenge: 'c', code_challenge_method: 'S256' },
      ...empty,
    });
  });
});
