import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type BuilderState,
  buildCurrentRequest,
  buildInitialState,
  isAccepted,
  reduceBuilder,
  type SessionRequest,
} from '@/components/oauth/builder/builder-state';
import { sendLabRequest } from '@/components/oauth/builder/request/send-request';
import { getLabToken, sendToLab } from '@/components/oauth/token/call-lab';
import { BUILDER_TABS, type BuilderTab, planLabRequest } from '@/lib/oauth/builder/builder-request';
import { buildWireRequest } from '@/lib/oauth/client/wire-request';
import { enableControlsExcept } from '@/lib/oauth/lab/controls';
import { createPkcePair } from '@/lib/oauth/pkce';
import { type LabServer, labServer } from '@/tests/fixtures/lab-server';
import { close, listen } from '@/tests/fixtures/listen';

let lab: LabServer;
beforeAll(async () => {
  lab = await labServer();
});
afterAll(() => lab[Symbol.asyncDispose]());
beforeEach(() => openPageAt(lab.origin));

const openPageAt = (origin: string) => void vi.stubGlobal('window', { location: { origin } });

/** Sends the request of a tab as the page does. */
async function send(state: BuilderState, tab: BuilderTab): Promise<BuilderState> {
  const selected = { ...state, tab };
  const wire = buildWireRequest(planLabRequest(buildCurrentRequest(selected), lab.origin));
  const outcome = await sendLabRequest(wire, false);
  const request: SessionRequest = { id: tab, at: 0, tab, off: [], ...outcome };
  return reduceBuilder(selected, { type: 'sent', request });
}

async function start(query = ''): Promise<BuilderState> {
  const pair = await createPkcePair();
  const learnt = { state: 'a-state', codeChallenge: pair?.challenge ?? '' };
  return reduceBuilder(buildInitialState(query, lab.origin), { type: 'learn', learnt, verifier: pair?.verifier });
}

const answersOf = ({ history }: BuilderState) => history.map(({ answer }) => answer);
const last = (state: BuilderState) => {
  const answer = answersOf(state).at(-1);
  return answer?.kind === 'answer' ? answer : { status: 0, body: answer?.text ?? '' };
};

describe('the flow of the builder', () => {
  it.each(['', 'encoding=json'])(
    'is accepted by the lab, each request filled in by the last answer (%s)',
    async (query) => {
      let state = await start(query);
      for (const tab of BUILDER_TABS) state = await send(state, tab);
      expect(answersOf(state).every(isAccepted)).toBe(true);
      expect(last(state).body).toContain('You have reached the protected resource.');
    },
  );

  it('redeems a code of another client and address as that client, and a refresh token twice', async () => {
    const redirect_uri = 'https://app.example.com/callback';
    let state = reduceBuilder(await start(), {
      ...{ type: 'edit', tab: 'authorize' },
      fields: { redirect_uri, client_id: 'demo-native', scope: 'offline_access' },
    });
    expect(last(await send(state, 'authorize')).status).toBe(400);
    state = reduceBuilder(state, { type: 'edit', tab: 'authorize', fields: { client_id: 'demo-client' } });
    state = await send(await send(state, 'authorize'), 'token');
    expect(last(state).status).toBe(200);
    const { refreshToken: refresh_token } = state.flow;
    const fields = { grant_type: 'refresh_token', refresh_token };
    state = await send(reduceBuilder(state, { type: 'edit', tab: 'token', fields }), 'token');
    expect(last(state).status).toBe(200);
    expect(last(await send(state, 'token')).body).toContain('invalid_grant');
  });

  it('fails without the verifier of a challenge that was not generated here', async () => {
    let state = await start();
    const code_challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
    state = reduceBuilder(state, { type: 'edit', tab: 'authorize', fields: { code_challenge } });
    state = await send(await send(state, 'authorize'), 'token');
    expect(answersOf(state).map(isAccepted)).toEqual([true, false]);
    const code_verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
    state = await send(await send(state, 'authorize'), 'authorize');
    state = await send(reduceBuilder(state, { type: 'edit', tab: 'token', fields: { code_verifier } }), 'token');
    expect(last(state).status).toBe(200);
  });
});

describe('the workbench', () => {
  it('gets a token from the lab, and sends it and forged ones', async () => {
    const token = await getLabToken();
    if (!token.ok) throw new Error(token.problem);
    expect(await sendToLab(token.value, [])).toMatchObject({ ok: true, value: { status: 200 } });
    const forged = `${token.value.slice(0, -4)}AAAA`;
    expect(await sendToLab(forged, [])).toMatchObject({
      value: { status: 401, blocked_by: ['signature-verified'] },
    });
    expect(await sendToLab(forged, ['signature-verified'])).toMatchObject({ value: { status: 200 } });
  });
});

describe('a missing answer', () => {
  const wireOf = (origin: string, access_token = 'a') =>
    buildWireRequest(
      planLabRequest({ tab: 'data', fields: { access_token }, controls: enableControlsExcept('alg-none') }, origin),
    );

  it('is explained: a header that cannot be sent, and a server that is down', async () => {
    const { answer: unsendable } = await sendLabRequest(wireOf(lab.origin, 'tok\u2028en'), false);
    expect(unsendable).toMatchObject({ kind: 'fault', text: expect.stringContaining('not allowed in headers') });
    const server = createServer();
    const origin = `http://127.0.0.1:${await listen(server)}`;
    await close(server);
    openPageAt(origin);
    for (const compare of [false, true]) {
      const { answer, secure } = await sendLabRequest(wireOf(origin), compare);
      expect([answer, secure]).toEqual([
        { kind: 'fault', text: 'The request could not be sent, or no response came. Is the server reachable?' },
        null,
      ]);
    }
    expect(await getLabToken()).toMatchObject({
      ok: false,
      problem: expect.stringContaining('Is the server reachable?'),
    });
  });
});
