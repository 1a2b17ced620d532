import type { Controls } from '@/lib/oauth/lab/controls';
import { CONTROLS_HEADER, writeControlsHeader } from '@/lib/oauth/lab/controls-header';

/** The tabs of the builder: one request each. */
export const BUILDER_TABS = ['authorize', 'token', 'data'] as const;
export type BuilderTab = (typeof BUILDER_TABS)[number];

/** What a person has put together. */
export interface BuilderRequest {
  tab: BuilderTab;
  /** Parameters in order; those without a value are not sent. `access_token` of the data tab goes into a header. */
  fields: Readonly<Record<string, string>>;
  controls: Controls;
  encoding?: 'form' | 'json';
}

export interface RawRequest {
  method: 'GET' | 'POST';
  /** Path and query under the origin of Sluice. */
  path: string;
  headers: readonly (readonly [string, string])[];
  body: string | null;
}

/** The request as it is really sent. */
export function toRawRequest(request: BuilderRequest): RawRequest {
  const weakened = writeControlsHeader(request.controls);
  const control: [string, string][] = weakened === null ? [] : [[CONTROLS_HEADER, weakened]];
  const sent = Object.entries(request.fields).filter(([, value]) => value !== '');
  if (request.tab === 'data') {
    const token = request.fields.access_token ?? '';
    const authorization: [string, string][] = token === '' ? [] : [['Authorization', `Bearer ${token}`]];
    return { method: 'GET', path: '/api/data', headers: [...authorization, ...control], body: null };
  }
  const json = request.encoding === 'json';
  return {
    method: 'POST',
    path: request.tab === 'authorize' ? '/auth/authorize' : '/auth/token',
    headers: [['Content-Type', json ? 'application/json' : 'application/x-www-form-urlencoded'], ...control],
    body: json ? JSON.stringify(Object.fromEntries(sent), null, 2) : new URLSearchParams(sent).toString(),
  };
}
