import { FAPI_REQUIREMENTS, SWITCHES } from '@/lib/contract/lab-switches';

/** Id of a control with a switch: a key of the `Sluice-Lab-Controls` header. */
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
  'revocation-refresh',
  'revocation-client-bound',
  'dpop-proof',
  'dpop-code-binding',
  'dpop-refresh-binding',
  'client-assertion',
  'client-certificate',
  'certificate-binding',
  'certificate-refresh-binding',
  'jar-signature',
] as const;

/** Controls of the resource server: the end of the catalogue, without those for issuing tokens. */
export const RESOURCE_CONTROLS = SWITCHES.slice(SWITCHES.indexOf('validate-audience')).filter(
  (id) => id !== 'short-token-lifetime',
);

/** A control that may appear in `blocked_by`. */
export type RefusingControl = ControlSwitch | (typeof FIXED_CONTROLS)[number];

/** State of each control. All are on, unless the caller weakens the lab. */
export type Controls = Readonly<Record<ControlSwitch, boolean>>;

/** Id of a requirement of FAPI 2.0: a key of the `Sluice-Lab-Controls` header. */
export type FapiRequirement = (typeof FAPI_REQUIREMENTS)[number];

/** State of each requirement of FAPI 2.0. All are off, unless the caller asks for them. */
export type Requirements = Readonly<Record<FapiRequirement, boolean>>;

export function isFapiRequirement(id: string): id is FapiRequirement {
  return (FAPI_REQUIREMENTS as readonly string[]).includes(id);
}

/** Turns the named requirements on. */
export function enableRequirements(...on: readonly FapiRequirement[]): Requirements {
  return Object.fromEntries(FAPI_REQUIREMENTS.map((id) => [id, on.includes(id)])) as Record<FapiRequirement, boolean>;
}

/** Returns whether an id is one that the lab names when it refuses. */
export function isRefusingControl(id: string): id is RefusingControl {
  return isControlSwitch(id) || (FIXED_CONTROLS as readonly string[]).includes(id);
}

export function isControlSwitch(id: string): id is ControlSwitch {
  return (SWITCHES as readonly string[]).includes(id);
}

/** Turns every control on, except the named ones. */
export function enableControlsExcept(...off: readonly ControlSwitch[]): Controls {
  return Object.fromEntries(SWITCHES.map((id) => [id, !off.includes(id)])) as Record<ControlSwitch, boolean>;
}

export const SECURE_CONTROLS: Controls = Object.freeze(enableControlsExcept());

/** Lists the ids of the controls that are off, in the catalogue's order. */
export function listDisabledControls(controls: Controls): ControlSwitch[] {
  return SWITCHES.filter((id) => !controls[id]);
}

/** Names of the presets, the weakest first. */
export const PRESET_NAMES = ['insecure', 'partial', 'secure'] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

/**
 * Configurations to start from. `insecure` turns every control off, `secure` turns every control on. `partial`
 * resembles a server of ten years ago: OAuth 2.0 with signed tokens, and registered redirect URIs that it reads as
 * patterns. It lacks what RFC 9700 has required since.
 */
export const PRESETS: Readonly<Record<PresetName, Controls>> = {
  insecure: enableControlsExcept(...SWITCHES),
  partial: enableControlsExcept(
    'redirect-uri-wildcard',
    'require-pkce',
    'pkce-s256',
    'pkce-downgrade',
    'response-type-code',
    'issuer-in-response',
    'par',
    'referrer-policy',
    'code-reuse-revokes',
    'refresh-rotation',
    'refresh-reuse-revokes',
    'validate-audience',
    'token-type-header',
    'short-token-lifetime',
    'no-token-in-query',
    'sender-constrained',
    'revocation-cascade',
  ),
  secure: SECURE_CONTROLS,
};

/** Returns the preset that equals the given controls, or null. */
export function findPreset(controls: Controls): PresetName | null {
  return PRESET_NAMES.find((name) => SWITCHES.every((id) => PRESETS[name][id] === controls[id])) ?? null;
}
