/**
 * The controls that the lab can be told to leave out, one request at a time. Each is a row marked `S` of the catalogue
 * in `lib/oauth/controls`; a test holds the two lists together.
 */
export const SWITCHES = [
  'strict-redirect-uri',
  'redirect-uri-wildcard',
  'redirect-uri-scheme',
  'require-state',
  'require-pkce',
  'pkce-s256',
  'response-type-code',
  'issuer-in-response',
  'no-open-redirect-on-error',
  'scope-limits',
  'frame-protection',
  'user-consent',
  'par',
  'referrer-policy',
  'code-single-use',
  'code-reuse-revokes',
  'code-lifetime',
  'code-client-binding',
  'code-redirect-binding',
  'pkce-verified',
  'pkce-downgrade',
  'client-authentication',
  'token-no-store',
  'refresh-rotation',
  'refresh-reuse-revokes',
  'refresh-client-binding',
  'validate-audience',
  'signature-verified',
  'alg-none',
  'alg-confusion',
  'token-expiry',
  'short-token-lifetime',
  'issuer-validated',
  'token-type-header',
  'scope-enforced',
  'no-token-in-query',
  'sender-constrained',
  'not-before',
  'revocation-effective',
  'revocation-cascade',
] as const;

/** The id of a control with a switch: a key of the `Sluice-Lab-Controls` header. */
export type ControlSwitch = (typeof SWITCHES)[number];

/** Controls without a switch that the lab names when they refuse a request. */
export const FIXED_CONTROLS = [
  'redirect-uri-fragment',
  'redirect-uri-required',
  'pkce-challenge-syntax',
  'duplicate-parameters',
  'client-id-mixup',
  'pkce-method-downgrade',
  'credentials-in-uri',
  'token-post-only',
  'no-password-grant',
  'refresh-scope',
  'revocation-client-bound',
] as const;

/** A control that may appear in `blocked_by`. */
export type RefusingControl = ControlSwitch | (typeof FIXED_CONTROLS)[number];

/** Which controls are on. All of them are, unless the caller weakens the lab. */
export type Controls = Readonly<Record<ControlSwitch, boolean>>;

/** Whether a text is the id of a control with a switch. */
export function isControlSwitch(id: string): id is ControlSwitch {
  return (SWITCHES as readonly string[]).includes(id);
}

/** Every control on, except those that are named. */
export function controlsWithout(...off: readonly ControlSwitch[]): Controls {
  return Object.fromEntries(SWITCHES.map((id) => [id, !off.includes(id)])) as Record<ControlSwitch, boolean>;
}

/** The secure configuration: every control on. */
export const SECURE_CONTROLS: Controls = Object.freeze(controlsWithout());

/** The ids of the controls that are off, in the catalogue's order. */
export function switchedOff(controls: Controls): ControlSwitch[] {
  return SWITCHES.filter((id) => !controls[id]);
}
