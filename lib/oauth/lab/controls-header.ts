import { ParseError, parseDictionary, serializeDictionary } from 'structured-headers';
import { type Controls, isControlSwitch, listDisabledControls, SECURE_CONTROLS } from '@/lib/oauth/lab/controls';

/** Request header that weakens the lab for one request: an RFC 9651 dictionary of booleans. */
export const CONTROLS_HEADER = 'Sluice-Lab-Controls';

/** Result of reading the header: the controls, or a sentence about its fault. */
type ControlsReading = { ok: true; controls: Controls } | { ok: false; problem: string };

/**
 * Reads the header's value (RFC 9651 section 4.2.2). Without one every control is on. An unlisted key, or a value that
 * is not a boolean, is rejected, because a misspelt switch must not look like a secure server.
 */
export function readControlsHeader(value: string | null): ControlsReading {
  if (value === null) return { ok: true, controls: SECURE_CONTROLS };
  const createProblem = (what: string): ControlsReading => ({ ok: false, problem: CONTROLS_HEADER + what });
  const controls = { ...SECURE_CONTROLS };
  try {
    for (const [key, member] of parseDictionary(value)) {
      const [setting] = member;
      if (!isControlSwitch(key)) return createProblem(' names a control that has no switch.');
      if (typeof setting !== 'boolean') return createProblem(`: ${key} must be a boolean, ?1 or ?0.`);
      controls[key] = setting;
    }
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return createProblem(' is not a structured field dictionary (RFC 9651).');
  }
  return { ok: true, controls };
}

/** Formats the header's value for these controls. It names only what is off. Returns null if everything is on. */
export function writeControlsHeader(controls: Controls): string | null {
  const off = listDisabledControls(controls);
  return off.length === 0 ? null : serializeDictionary(Object.fromEntries(off.map((id) => [id, false])));
}
