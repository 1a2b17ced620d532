import { SWITCHES } from '@/lib/contract/lab-switches';
import { type Controls, controlsWithout, SECURE_CONTROLS } from '@/lib/oauth/lab/controls';

/** The names of the presets, the weakest first. */
export const PRESET_NAMES = ['insecure', 'partial', 'secure'] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

/**
 * Configurations to start from. `insecure` leaves everything out; `partial` is a server of ten years ago: OAuth 2.0 with
 * exact redirect URIs and signed tokens, without what RFC 9700 has asked for since; `secure` leaves nothing out.
 */
export const PRESETS: Readonly<Record<PresetName, Controls>> = {
  insecure: controlsWithout(...SWITCHES),
  partial: controlsWithout(
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

/** The preset that some controls are, or null. */
export function presetOf(controls: Controls): PresetName | null {
  return PRESET_NAMES.find((name) => SWITCHES.every((id) => PRESETS[name][id] === controls[id])) ?? null;
}
