'use client';

import { createContext, type ReactNode, useContext, useEffect, useReducer, useRef, useState } from 'react';
import {
  type BuilderState,
  currentRequest,
  initialState,
  reduceBuilder,
} from '@/components/oauth/builder/builder-state';
import { sendRequest } from '@/components/oauth/builder/send-request';
import {
  clearSession,
  readSession,
  type Session,
  type SessionRequest,
  writeSession,
} from '@/components/oauth/builder/session';
import { type OpenSet, useOpenSet } from '@/components/oauth/disclosure';
import { useLab } from '@/components/oauth/lab-context';
import { type BuilderRequest, type BuilderTab, toRawRequest } from '@/lib/oauth/builder/builder-request';
import { toShareQuery } from '@/lib/oauth/builder/share-link';
import { switchedOff } from '@/lib/oauth/lab/controls';

interface Builder {
  state: BuilderState;
  change: (part: Partial<BuilderState>) => void;
  /** Sets fields of a tab, and what of them is to be remembered. */
  fill: (tab: BuilderTab, fields: Readonly<Record<string, string>>, latest?: Partial<Session['latest']>) => void;
  forget: () => void;
  /** The request as it stands. */
  request: BuilderRequest;
  /** Path and query that open the builder in this state, without any secret. */
  link: string;
  sending: boolean;
  /** Sends the request of the current tab. */
  send: () => Promise<void>;
  /** The rows of the matrix that are open. */
  matrixRows: OpenSet;
  /** Leads to a control's row in the matrix. */
  openControl: (control: string) => void;
  /** Leads to a request of the session and its answer. */
  openRequest: (request: SessionRequest) => void;
}

const BuilderContext = createContext<Builder | null>(null);

export function useBuilder(): Builder {
  const builder = useContext(BuilderContext);
  if (!builder) throw new Error('useBuilder is used outside the builder.');
  return builder;
}

/** The id of the panes with request and answer. */
export const PANES_ID = 'request-and-response';

/** The builder's state, kept in the address (without secrets) and in this browser tab's session. */
export function BuilderProvider({ query, children }: { query: string; children: ReactNode }) {
  const { issuer } = useLab();
  const [state, dispatch] = useReducer(reduceBuilder, query, (given) => initialState(given, issuer));
  const [sending, setSending] = useState(false);
  const matrixRows = useOpenSet();
  const restored = useRef(false);
  const request = currentRequest(state);
  const link = linkTo(request, state);
  const change = (part: Partial<BuilderState>) => dispatch({ type: 'change', part });

  useEffect(() => {
    const kept = readSession();
    if (kept) dispatch({ type: 'change', part: kept });
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
    const outcome = await sendRequest(raw, state.compare);
    const id = crypto.getRandomValues(new Uint32Array(2)).join('');
    const off = switchedOff(request.controls);
    dispatch({ type: 'sent', request: { id, at: Date.now(), tab: request.tab, raw, off, ...outcome } });
    setSending(false);
  };
  const openControl = (control: string) => {
    change({ view: 'matrix' });
    matrixRows.setOpen(control, true);
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        const row = document.getElementById(`control-${control}`);
        row?.scrollIntoView({ block: 'center' });
        row?.querySelector('button')?.focus({ preventScroll: true });
      }),
    );
  };
  const openRequest = ({ id, tab }: SessionRequest) => {
    change({ tab, shown: id });
    const panes = document.getElementById(PANES_ID);
    panes?.scrollIntoView({ block: 'start' });
    panes?.focus({ preventScroll: true });
  };
  const forget = () => {
    clearSession();
    dispatch({ type: 'forget' });
  };
  const fill: Builder['fill'] = (tab, fields, latest) => dispatch({ type: 'fill', tab, fields, latest });
  return (
    <BuilderContext
      value={{ state, change, fill, forget, request, link, sending, send, matrixRows, openControl, openRequest }}
    >
      {children}
    </BuilderContext>
  );
}

function linkTo(request: BuilderRequest, { compare, view }: BuilderState): string {
  const query = toShareQuery(request);
  if (compare) query.set('compare', '1');
  if (view !== 'matrix') query.set('view', view);
  return `/oauth?${query}`;
}
