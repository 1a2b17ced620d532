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
  type Latest,
  reduceBuilder,
} from '@/components/oauth/builder/builder-state';
import { compareRequest, sendRequest } from '@/components/oauth/builder/send-request';
import type { SessionRequest } from '@/components/oauth/builder/session';
import { useLab } from '@/components/oauth/lab-context';
import { type BuilderRequest, toRawRequest } from '@/lib/oauth/builder/builder-request';
import { toShareQuery } from '@/lib/oauth/builder/share-link';
import { switchedOff } from '@/lib/oauth/lab/controls';

const KEY = 'sluice.oauth.builder';
/** A session keeps no longer texts than this, in characters. */
const LONGEST = 1_000_000;

interface Memory {
  history: readonly SessionRequest[];
  latest: Latest;
}

/** What the builder remembers of this browser tab's session, or null. */
export function readSession(): Memory | null {
  try {
    const memory: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
    // Only this page writes the key; a version of it that wrote something else is forgotten.
    return isMemory(memory) ? memory : null;
  } catch {
    return null;
  }
}

/** Keeps the session's requests; the oldest go first when there is no room. */
export function writeSession({ history, latest }: Memory): void {
  for (let from = 0; from <= history.length; from = from * 2 + 1) {
    const text = JSON.stringify({ history: history.slice(from), latest });
    if (text.length > LONGEST) continue;
    try {
      sessionStorage.setItem(KEY, text);
      return;
    } catch {
      // No room: try with less.
    }
  }
}

/** Forgets the session. */
export function clearSession(): void {
  sessionStorage.removeItem(KEY);
}

function isMemory(value: unknown): value is Memory {
  if (typeof value !== 'object' || value === null || !('history' in value) || !('latest' in value)) return false;
  const { history, latest } = value;
  return (
    Array.isArray(history) &&
    history.every(
      (one) => typeof one?.id === 'string' && typeof one?.answer?.kind === 'string' && Array.isArray(one?.raw?.headers),
    ) &&
    typeof latest === 'object' &&
    latest !== null &&
    'accessToken' in latest
  );
}

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
