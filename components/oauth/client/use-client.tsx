import { useQuery } from '@tanstack/react-query';
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useReducer,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { watchHandOver } from '@/components/oauth/callback/handed-over';
import { buildInitialClientState, type ClientEntry, reduceClient } from '@/components/oauth/client/client-state';
import { useEnvironmentDraft } from '@/components/oauth/client/environment-draft';
import { explainFault, sendWireRequest } from '@/components/oauth/send-wire-request';
import { useHasLab } from '@/components/shell/member';
import { checkAnswer, learnFrom } from '@/lib/oauth/client/check-answer';
import { checkAuthorizationResponse, type ReturnedParameters } from '@/lib/oauth/client/check-authorization-response';
import type { ClientStep } from '@/lib/oauth/client/client-step';
import { discover, readKeys } from '@/lib/oauth/client/discover';
import {
  buildEmptyEnvironment,
  buildLabEnvironments,
  type ClientEnvironment,
  parseShareQuery,
} from '@/lib/oauth/client/environment';
import { type ClientFlow, EMPTY_FLOW, NO_EDITS, planRequest } from '@/lib/oauth/client/plan-request';
import { type ClientTransport, explainObstacle, sendStep } from '@/lib/oauth/client/send-step';
import { findEndpoint } from '@/lib/oauth/client/server-metadata';
import type { ProofKey } from '@/lib/oauth/client/sign';
import { startFlow } from '@/lib/oauth/client/start-flow';
import { describeMissingValue, explainSkip } from '@/lib/oauth/client/why-skipped';
import { buildWireRequest } from '@/lib/oauth/client/wire-request';

const ClientContext = createContext<ReturnType<typeof useClientState> | null>(null);

/** Provides the state of the OAuth client. It lasts as long as the page; only environments are stored. */
export function ClientProvider({ origin, query, children }: { origin: string; query: string; children: ReactNode }) {
  return <ClientContext value={useClientState(origin, query)}>{children}</ClientContext>;
}

export function useClient() {
  const client = useContext(ClientContext);
  if (!client) throw new Error('useClient is used outside the OAuth client.');
  return client;
}

const clock = () => Date.now();
const createTransport = (proofKey: ProofKey | null, nonces: Map<string, string>): ClientTransport => ({
  send: sendWireRequest,
  clock,
  proofKey,
  nonces,
});

function useClientState(origin: string, query: string) {
  const hasLab = useHasLab();
  const [state, dispatch] = useReducer(reduceClient, query, (initialQuery) =>
    buildInitialClientState(
      parseShareQuery(initialQuery) ?? (hasLab ? buildLabEnvironments(origin)[0] : buildEmptyEnvironment(origin)),
    ),
  );
  const { environment, flow, step, edits, waiting } = state;
  useEnvironmentDraft(
    environment,
    parseShareQuery(query) === null ? (draft) => dispatch({ type: 'choose', environment: draft }) : null,
  );
  const discovery = useDiscovery(environment.issuer, origin);
  const metadata = discovery.found?.metadata ?? null;
  const isSecure = useIsSecure();
  const proofKey = useProofKey(environment.dpop && isSecure);
  const nonces = useRef(new Map<string, string>());
  const [sending, setSending] = useState(false);

  const plan = (which: ClientStep, from: ClientFlow) =>
    planRequest(which, {
      environment,
      metadata,
      flow: from,
      thumbprint: proofKey?.thumbprint ?? '',
      edits: edits[which] ?? NO_EDITS,
    });
  const planned = plan(step, flow);
  const obstacle = !isSecure
    ? 'Browsers offer cryptography over https and on localhost only: open the page there.'
    : (environment.dpop || planned.proof) && proofKey === null
      ? 'The key for DPoP is being made.'
      : explainObstacle(planned, environment, flow);

  const startAgain = useCallback(async () => {
    const started = (await startFlow()) ?? EMPTY_FLOW;
    dispatch({ type: 'start', flow: started });
    return started;
  }, []);
  useEffect(() => void startAgain(), [startAgain]);

  const recordEntry = (entry: Omit<ClientEntry, 'id'>, learnt: Partial<ClientFlow>) =>
    dispatch({ type: 'done', entry: { ...entry, id: crypto.randomUUID() }, learnt });

  const send = async () => {
    if (sending || obstacle !== null) return;
    setSending(true);
    try {
      // A received code has used up its state, nonce and verifier.
      const sentFlow = step === 'par' && flow.code !== '' ? await startAgain() : flow;
      const request = plan(step, sentFlow);
      const transport = createTransport(proofKey, nonces.current);
      const { exchanges, answer } = await sendStep(request, environment, transport);
      const keysAddress = findEndpoint('jwks_uri', environment, null);
      const keys =
        keysAddress === '' ? (discovery.found?.keys ?? null) : await readKeys(keysAddress, transport).catch(() => null);
      const now = Math.floor(clock() / 1000);
      const checks = await checkAnswer(answer, { planned: request, environment, flow: sentFlow, keys, now });
      recordEntry({ step, exchanges, returned: null, checks }, learnFrom(step, answer));
    } catch (error) {
      dispatch({ type: 'fault', fault: explainFault(error) });
    }
    setSending(false);
  };

  /**
   * Opens the server's page. Returns null if an obstacle remains; `opened` is false if the browser blocked the window.
   */
  const authorize = async (): Promise<{ address: string; opened: boolean } | null> => {
    if (obstacle !== null) return null;
    const sentFlow = flow.code !== '' && !environment.par ? await startAgain() : flow;
    const address = buildWireRequest(plan('authorize', sentFlow)).url;
    const opened = window.open(address, '_blank', 'popup,width=560,height=760') !== null;
    dispatch({ type: 'wait' });
    return { address, opened };
  };

  /**
   * Processes a response from the browser. A response that matches no request of this page leaves the flow unchanged.
   * Returns whether this page waited for it.
   */
  const receive = (returned: ReturnedParameters): boolean => {
    const { issuer } = environment;
    const checks = checkAuthorizationResponse(returned, { state: flow.state, issuer, metadata });
    const sound = checks.every(({ outcome }) => outcome !== 'failed');
    recordEntry(
      { step: 'authorize', exchanges: [], returned, checks },
      sound ? { code: returned.code, requestUri: '' } : {},
    );
    return returned.state === flow.state;
  };
  const receiveNow = useRef(receive);
  useEffect(() => {
    receiveNow.current = receive;
  });
  useEffect(() => {
    if (!waiting) return;
    return watchHandOver((returned) => receiveNow.current(returned));
  }, [waiting]);

  const set = (part: Partial<ClientEnvironment>) => dispatch({ type: 'set', part });
  const choose = async (chosen: ClientEnvironment) => {
    nonces.current.clear();
    dispatch({ type: 'choose', environment: chosen });
    await startAgain();
  };
  return {
    ...{ origin, state, dispatch, discovery, metadata, proofKey, planned, obstacle, sending },
    skipped: explainSkip(step, environment, metadata) ?? (edits[step] ? null : describeMissingValue(step, flow)),
    ...{ set, choose, send, authorize, receive, startAgain },
    nonceOf: (url: string) => (URL.canParse(url) ? nonces.current.get(new URL(url).origin) : undefined),
  };
}

/** True if the browser offers cryptography to this page. Assumed before hydration. */
function useIsSecure(): boolean {
  return useSyncExternalStore(
    () => () => {},
    () => globalThis.isSecureContext,
    () => true,
  );
}

/** Returns the DPoP key. Null until it is needed and generated. */
function useProofKey(wanted: boolean): ProofKey | null {
  const [key, setKey] = useState<ProofKey | null>(null);
  useEffect(() => {
    if (!wanted || key !== null) return;
    void import('@/lib/oauth/client/sign')
      .then(({ generateProofKey }) => generateProofKey())
      .then((generated) => setKey((before) => before ?? generated));
  }, [wanted, key]);
  return key;
}

/** Fetches metadata and keys of the issuer: at once for this origin, on request for any other. */
function useDiscovery(issuer: string, origin: string) {
  const [wantedIssuer, setWantedIssuer] = useState(origin);
  const query = useQuery({
    queryKey: ['oauth-discovery', wantedIssuer],
    queryFn: () => discover(wantedIssuer, { send: sendWireRequest, clock }),
    enabled: wantedIssuer === issuer && URL.canParse(issuer),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    networkMode: 'always',
  });
  const current = wantedIssuer === issuer;
  return {
    found: current ? (query.data ?? null) : null,
    fault: current && query.error !== null ? explainFault(query.error) : null,
    running: current && query.isFetching,
    /** Fetches the metadata of an issuer. A repeated call refetches it. */
    ask: (wanted: string) => {
      if (wanted === wantedIssuer) void query.refetch();
      else setWantedIssuer(wanted);
    },
  };
}
