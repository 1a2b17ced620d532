'use client';

import {
  createContext,
  type Dispatch,
  type ReactNode,
  useContext,
  useEffect,
  useReducer,
  useRef,
  useState,
} from 'react';
import {
  type BuilderAction,
  type BuilderState,
  currentRequest,
  initialState,
  reduceBuilder,
} from '@/components/oauth/builder/builder-state';
import { compareRequest, sendRequest } from '@/components/oauth/builder/send-request';
import { readSession, writeSession } from '@/components/oauth/builder/session-memory';
import { useLab } from '@/components/oauth/lab-context';
import { type BuilderRequest, toRawRequest } from '@/lib/oauth/builder/builder-request';
import { toShareQuery } from '@/lib/oauth/builder/share-link';
import { switchedOff } from '@/lib/oauth/lab/controls';

interface Builder {
  state: BuilderState;
  dispatch: Dispatch<BuilderAction>;
  /** The request as it stands. */
  request: BuilderRequest;
  /** The link that opens the builder in this state: path and query, without any secret. */
  link: string;
  sending: boolean;
  /** Sends the request of the current tab. */
  send: () => Promise<void>;
}

const BuilderContext = createContext<Builder | null>(null);

/** The builder. Only below its provider. */
export function useBuilder(): Builder {
  const builder = useContext(BuilderContext);
  if (!builder) throw new Error('useBuilder is used outside the builder.');
  return builder;
}

/** The builder's state, kept in the address (without secrets) and in this browser tab's session. */
export function BuilderProvider({ query, children }: { query: string; children: ReactNode }) {
  const { issuer } = useLab();
  const [state, dispatch] = useReducer(reduceBuilder, query, (given) => initialState(given, issuer));
  const [sending, setSending] = useState(false);
  const restored = useRef(false);
  const request = currentRequest(state);
  const link = `/oauth?${linkQuery(request, state)}`;

  useEffect(() => {
    const kept = readSession();
    if (kept) dispatch({ type: 'restore', ...kept });
    restored.current = true;
  }, []);
  useEffect(() => {
    if (restored.current && (state.history.length > 0 || state.latest.verifier !== '')) writeSession(state);
  }, [state]);
  useEffect(() => {
    const timer = setTimeout(() => window.history.replaceState(null, '', link), 300);
    return () => clearTimeout(timer);
  }, [link]);

  const send = async () => {
    if (sending) return;
    setSending(true);
    const raw = toRawRequest(request);
    const outcome = await (state.compare ? compareRequest(raw) : sendRequest(raw));
    const off = switchedOff(request.controls);
    dispatch({
      type: 'sent',
      request: {
        id: crypto.getRandomValues(new Uint32Array(2)).join(''),
        at: Date.now(),
        tab: request.tab,
        raw,
        off,
        ...outcome,
      },
    });
    setSending(false);
  };
  return <BuilderContext value={{ state, dispatch, request, link, sending, send }}>{children}</BuilderContext>;
}

function linkQuery(request: BuilderRequest, { compare, view }: BuilderState): URLSearchParams {
  const query = toShareQuery(request);
  if (compare) query.set('compare', '1');
  if (view !== 'matrix') query.set('view', view);
  return query;
}
